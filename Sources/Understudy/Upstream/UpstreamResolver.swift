import Platform
import Primitives

/// The addresses of the upstream's host, resolved on other threads: a container that restarts may get another address,
/// and a name may exist later than this server.
final class UpstreamResolver: Sendable {
  private struct State: Sendable {
    var addresses: [SocketAddress]
    var resolved: ContinuousClock.Instant
    var isResolving = false
    /// The functions to call when the current search has ended.
    var whenFound: [@Sendable () -> Void] = []
  }

  private let lookUp: @Sendable () -> [SocketAddress]
  private let state: Locked<State>

  /// The time for which the addresses are used without a new search.
  private static let lifetime = Duration.seconds(5)

  /// Resolves the host, which may take the time of a name server.
  convenience init(_ address: UpstreamAddress) {
    self.init { SocketAddress.resolve(address.host, port: address.port) }
  }

  /// - Parameter lookUp: Returns the addresses of the host; none if the name has none.
  init(_ lookUp: @escaping @Sendable () -> [SocketAddress]) {
    self.lookUp = lookUp
    state = Locked(State(addresses: lookUp(), resolved: .now))
  }

  /// Returns the addresses that are known, and searches for new ones if these are old; none if the name had none when it was
  /// last looked up.
  func addresses() -> [SocketAddress] {
    let (addresses, isOld) = state.withLock { state in
      let isOld = state.resolved + Self.lifetime < .now
      return (state.addresses, isOld && !state.addresses.isEmpty && !state.isResolving)
    }
    if isOld { search {} }
    return addresses
  }

  /// Searches for the addresses, unless a search is under way, and calls a function at its end, on another thread.
  func search(_ whenFound: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      state.whenFound.append(whenFound)
      defer { state.isResolving = true }
      return !state.isResolving
    }
    guard isFirst else { return }
    do throws(SystemError) {
      try LoopThread.start { [self] in finish(with: lookUp()) }
    } catch {
      finish(with: [])
    }
  }

  private func finish(with found: [SocketAddress]) {
    let waiting = state.withLock { state in
      // A name server that does not answer does not make the addresses wrong.
      if !found.isEmpty { state.addresses = found }
      (state.resolved, state.isResolving) = (.now, false)
      defer { state.whenFound = [] }
      return state.whenFound
    }
    for call in waiting { call() }
  }
}
