import Contract
import Faults

extension Sandbox {
  func respond(api: Int, to call: Call) -> Reply {
    let before = arming.depth > 0 ? store : nil
    let reply = store.respond(api: api, to: call)
    return applied(reply, api: api, before)
  }

  /// Adopts the state of an evaluated write, and returns its response.
  func adopt(_ evaluation: Evaluation, api: Int) -> Reply {
    let before = arming.depth > 0 ? store : nil
    store = evaluation.store
    return applied(evaluation.reply, api: api, before)
  }

  private func applied(_ reply: Reply, api: Int, _ before: Store?) -> Reply {
    if let before, reply.changed { remember(before) }
    if let ledger, let change = reply.change {
      note(.state(api: api, change.new), undo: .state(self, api: api, change.old), in: ledger)
    }
    return reply
  }

  private func remember(_ before: Store) {
    history = (history + [before]).suffix(arming.depth)
  }

  /// Applies the actions of rivals that are due.
  func move(_ rivals: [Rivals.Move], at real: Instant) {
    for rival in rivals {
      let before = arming.depth > 0 ? store : nil
      let version = store.version
      guard let (api, move) = store.move(rival) else { continue }
      if let before { remember(before) }
      if let ledger { note(.state(api: api, move.change.new), undo: .none, in: ledger) }
      journal.note(move.event, versions: version..<store.version, at: real)
      let rules = arming.scenario.rules.filter { $0.effect.kind == Rivals.kind }
      examination.note(
        .rival(takes: rival.takes, versions: version..<store.version, rules: rules.map(\.identity)))
    }
  }
}
