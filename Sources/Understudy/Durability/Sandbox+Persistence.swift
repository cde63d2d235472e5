import Contract
import Faults
import Primitives
import Services

extension Sandbox {
  /// The part of a sandbox's state that a change concerns.
  enum ChangedPart {
    /// The data of the API with this index in the catalogue.
    case data(api: Int)
    /// The responses under idempotency keys, which no other response shows.
    case keys
    case everything
  }

  /// True if it has changes that are not stored yet, or if its image is in doubt.
  var isUncommitted: Bool {
    directory.map { state.changedRound > $0.endedRound || $0.isInDoubt(self) } ?? false
  }

  /// Returns true if a response that shows an API's data shows a change that is not stored yet.
  func isUncommitted(api: Int) -> Bool {
    directory.map { state.changedRounds[api] > $0.endedRound || $0.isInDoubt(self) } ?? false
  }

  /// Makes a change by `body`, and records it if the server has a state directory.
  ///
  /// - Parameter body: Returns true if it has changed something.
  func persisting(
    _ part: ChangedPart, then consequences: StateDirectory.Consequences? = nil, _ body: () -> Bool
  ) {
    let isChanged = body()
    guard let directory else {
      consequences?.ifStored()
      return
    }
    guard isChanged else { return }
    directory.record(.changed, of: self, consequences)
    state.changedRound = directory.round
    switch part {
    case .data(let api): state.changedRounds[api] = directory.round
    case .keys: break
    case .everything: for api in state.changedRounds.indices { state.changedRounds[api] = directory.round }
    }
  }

  /// Makes a change that is not a call of an API.
  func persisting(then consequences: StateDirectory.Consequences? = nil, _ body: () -> Void) {
    persisting(.everything, then: consequences) {
      body()
      state.unansweredChangeCount += 1
      return true
    }
  }

  /// Takes all changes back since its last stored state.
  func rollBack(at real: Instant) {
    guard let stored else { return }
    let isUnanswered = state.unansweredChangeCount > stored.unansweredChangeCount
    state.rollBack(to: stored)
    guard isUnanswered else { return }
    traffic.record("rolled back a change that could not be stored on the disk", versions: nil, at: real)
    reportReplacement()
  }

  /// A restore point, for taking an exchange's changes back before they are stored.
  struct Savepoint {
    fileprivate let state: SandboxState
    /// The number of changes that the state directory has recorded.
    fileprivate let changeCount: Int
  }

  var savepoint: Savepoint {
    get { Savepoint(state: state.copy(), changeCount: directory?.changeCount ?? 0) }
    set {
      state.rollBack(to: newValue.state)
      directory?.forget(beyond: newValue.changeCount)
    }
  }
}
