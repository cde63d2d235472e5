import Contract
import Faults
import Report

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
    if let before, response.changed { addToHistory(before) }
    if let writeAheadLog, let change = response.change {
      record(.state(api: api, change.new), undo: .state(self, api: api, change.old), in: writeAheadLog)
    }
    return response
  }

  private func addToHistory(_ before: Store) {
    history.append(before)
    let excess = history.count - scenarioState.depth
    if excess > 0 { history.removeFirst(excess) }
  }

  /// Applies the actions of rivals that are due.
  func move(_ rivals: [Rivals.Move], at real: Instant) {
    for rival in rivals {
      let before = scenarioState.depth > 0 ? store : nil
      let version = store.version
      guard let (api, move) = store.move(rival) else { continue }
      if let before { addToHistory(before) }
      if let writeAheadLog { record(.state(api: api, move.change.new), undo: .none, in: writeAheadLog) }
      record(move.event, versions: version..<store.version, at: real)
      checks.record(.rival(takes: rival.takes, versions: version..<store.version, rules: [rival.rule]))
    }
  }
}
