import Contract
import Faults

extension Sandbox {
  func respond(api: Int, to call: Call) -> Response {
    let before = scenarioState.depth > 0 ? store : nil
    let response = store.respond(api: api, to: call)
    return applied(response, api: api, before)
  }

  /// Adopts the state of an evaluated write, and returns its response.
  func adopt(_ evaluation: Evaluation, api: Int) -> Response {
    let before = scenarioState.depth > 0 ? store : nil
    store = evaluation.store
    return applied(evaluation.response, api: api, before)
  }

  private func applied(_ response: Response, api: Int, _ before: Store?) -> Response {
    if let before, response.changed { remember(before) }
    if let writeAheadLog, let change = response.change {
      note(.state(api: api, change.new), undo: .state(self, api: api, change.old), in: writeAheadLog)
    }
    return response
  }

  private func remember(_ before: Store) {
    history = (history + [before]).suffix(scenarioState.depth)
  }

  /// Applies the actions of rivals that are due.
  func move(_ rivals: [Rivals.Move], at real: Instant) {
    for rival in rivals {
      let before = scenarioState.depth > 0 ? store : nil
      let version = store.version
      guard let (api, move) = store.move(rival) else { continue }
      if let before { remember(before) }
      if let writeAheadLog { note(.state(api: api, move.change.new), undo: .none, in: writeAheadLog) }
      journal.note(move.event, versions: version..<store.version, at: real)
      let rules = scenarioState.scenario.rules.filter { $0.effect.kind == Rivals.kind }
      examination.note(
        .rival(takes: rival.takes, versions: version..<store.version, rules: rules.map(\.identity)))
    }
  }
}
