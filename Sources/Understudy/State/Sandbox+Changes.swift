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
    persisting(
      {
        let before = historyDepth > 0 ? state.store : nil
        let response = body()
        if let before, response?.changed == true { addToHistory(before) }
        return response
      }, as: { $0?.change.map { .state(api: api, $0) } })
  }

  private func addToHistory(_ before: Store) {
    state.history.append(before)
    let excess = state.history.count - historyDepth
    if excess > 0 { state.history.removeFirst(excess) }
  }

  /// Applies the actions of rivals that are due.
  func move(_ rivals: [Rivals.Move], at real: Instant) {
    for rival in rivals {
      let version = state.store.version
      guard let move = persisting({ move(rival) }, as: { $0.map { .state(api: $0.api, $0.move.change) } })?.move else {
        continue
      }
      traffic.record(move.event, versions: version..<state.store.version, at: real)
      traffic.report(.rival(rules: [rival.rule]))
    }
  }

  private func move(_ rival: Rivals.Move) -> (api: Int, move: RivalMove)? {
    let before = historyDepth > 0 ? state.store : nil
    guard let moved = state.store.move(rival) else { return nil }
    if let before { addToHistory(before) }
    state.unansweredChangeCount += 1
    return moved
  }

  /// Sets the clock.
  ///
  /// An advance skips the outages that are planned in it: no client meets them, so they are no time offline.
  func set(_ clock: SandboxClock, at real: Instant) {
    let before = mayHaveBeenOffline ? timeOffline(at: real) : .zero
    persisting(.clock(clock)) {
      state.clock = clock
      guard mayHaveBeenOffline else { return }
      state.timeOfflineBefore = state.timeOfflineBefore - NanosecondDuration(timeOffline(at: real) - before)
    }
  }

  /// Changes the data of some APIs by a merge patch.
  func merge(_ patch: JSONValue, at now: Instant) throws(Problem) {
    var merged = state.store
    try merged.merge(patch, at: now)
    adopt(merged, mergedFrom: patch, at: now)
  }

  /// Adopts the result of a merge patch.
  func adopt(_ merged: Store, mergedFrom patch: JSONValue, at now: Instant) {
    let replaced = state.store
    persisting(.merged(patch, at: now)) { state.store = merged }
    workers?.discard(replaced)
  }
}
