import HTTP1
import Platform
import Primitives

/// The addresses of the upstream's host, resolved on other threads: a container that restarts may get another address,
/// and a name may exist later than this server.
final class UpstreamResolver: Sendable {
  /// Runs a body on a new thread.
  typealias ThreadStart = @Sendable (_ body: @escaping @Sendable () -> Void) throws(SystemError) -> Void

  private struct State: Sendable {
    var addresses: [SocketAddress]
    var resolved: ContinuousClock.Instant
    var isResolving = false
    /// The functions to call when the current search has ended.
    var whenEnded: [@Sendable (SystemError?) -> Void] = []
  }

  private let lookUp: @Sendable () -> [SocketAddress]
  private let startThread: ThreadStart
  private let state: Locked<State>

  /// The time for which the addresses are used without a new search.
  private static let lifetime = Duration.seconds(5)

  /// Resolves the host, which may take the time of a name server.
  convenience init(_ address: BaseURL) {
    self.init { SocketAddress.resolve(address.host, port: address.port) }
  }

  /// - Parameters:
  ///   - lookUp: Returns the addresses of the host; none if the name has none.
  ///   - startThread: Starts the thread of a search.
  init(
    _ lookUp: @escaping @Sendable () -> [SocketAddress], startThread: @escaping ThreadStart = LoopThread.start
  ) {
    self.lookUp = lookUp
    self.startThread = startThread
    state = Locked(State(addresses: lookUp(), resolved: .now))
  }

  /// Returns the addresses that are known, and searches for new ones if these are old; none if the name had none when it was
  /// last looked up.
  func addresses() -> [SocketAddress] {
    let (addresses, isOld) = state.withLock { state in
      let isOld = state.resolved + Self.lifetime < .now
      return (state.addresses, isOld && !state.addresses.isEmpty && !state.isResolving)
    }
    if isOld { search { _ in } }
    return addresses
  }

  /// Searches for the addresses, unless a search is under way, and calls a function at its end, mostly on another thread.
  ///
  /// - Parameter whenEnded: Called with the error that prevented the search; nil if there was none.
  func search(_ whenEnded: @escaping @Sendable (SystemError?) -> Void) {
    let isFirst = state.withLock { state in
      state.whenEnded.append(whenEnded)
      defer { state.isResolving = true }
      return !state.isResolving
    }
    guard isFirst else { return }
    do throws(SystemError) {
      try startThread { [self] in finish(with: lookUp()) }
    } catch {
      finish(with: [], error)
    }
  }

  private func finish(with found: [SocketAddress], _ failure: SystemError? = nil) {
    let waiting = state.withLock { state in
      // A name server that does not answer does not make the addresses wrong.
      if !found.isEmpty { state.addresses = found }
      (state.resolved, state.isResolving) = (.now, false)
      defer { state.whenEnded = [] }
      return state.whenEnded
    }
    for call in waiting { call(failure) }
  }
}
