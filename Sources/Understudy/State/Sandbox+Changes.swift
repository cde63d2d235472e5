import Contract
import Faults
import JSON
import Primitives
import Report
import Services

extension Sandbox {
  /// Returns the response to a call; nil if it takes so long that it must be computed off the loop.
  ///
  /// - Parameter changesState: False if the contract declares that the call only reads.
  func respondAtOnce(api: Int, to call: Call, changesState: Bool) -> Response? {
    // A read remembers no state: with a second reference to it, rendering the response would copy a part of it.
    guard changesState else { return state.store.respondAtOnce(api: api, to: call) }
    return applying(api: api) { state.store.respondAtOnce(api: api, to: call) }
  }

  /// Adopts the state of an evaluated write, and returns its response.
  func adopt(_ evaluation: Evaluation, api: Int) -> Response {
    applying(api: api) {
      state.store = evaluation.store
      return evaluation.response
    }
    return evaluation.response
  }

  @discardableResult
  private func applying(api: Int, _ body: () -> Response?) -> Response? {
    var response: Response?
    persisting(.data(api: api)) {
      let before = historyDepth > 0 ? state.store : nil
      response = body()
      if let before, response?.changed == true { addToHistory(before) }
      return response?.changed == true
    }
    return response
  }

  private func addToHistory(_ before: Store) {
    state.history.append(before)
    let excess = state.history.count - historyDepth
    if excess > 0 { state.history.removeFirst(excess) }
  }

  /// Carries out the actions of rivals that are due.
  func move(_ rivals: [Rivals.Move], at real: Instant) {
    guard !rivals.isEmpty else { return }
    for (api, move) in state.store.moves(of: rivals) {
      let version = state.store.version
      persisting(.data(api: api)) {
        let before = historyDepth > 0 ? state.store : nil
        state.store.carryOut(move, api: api)
        if let before { addToHistory(before) }
        state.unansweredChangeCount += 1
        return true
      }
      traffic.record(move.event, versions: version..<state.store.version, at: real)
      traffic.report(.rival(rules: [move.rule]))
    }
  }

  /// Sets the clock.
  ///
  /// An advance skips the outages that are planned in it: no client meets them, so they are no time offline.
  func set(_ clock: SandboxClock, at real: Instant) {
    let before = mayHaveBeenOffline ? timeOffline(at: real) : .zero
    persisting {
      state.clock = clock
      guard mayHaveBeenOffline else { return }
      state.timeOfflineBefore = state.timeOfflineBefore - NanosecondDuration(timeOffline(at: real) - before)
    }
  }

  /// Changes the data of some APIs by a merge patch.
  func merge(_ patch: JSONValue, at now: Instant) throws(Problem) {
    var merged = state.store
    try merged.merge(patch, at: now)
    adopt(merged)
  }

  /// Adopts the result of a merge patch.
  func adopt(_ merged: Store) {
    let replaced = state.store
    persisting { state.store = merged }
    workers?.discard(replaced)
  }
}
