import Platform
import Primitives

/// The addresses of the upstream's host, resolved on other threads: a container that restarts may get another address,
/// and a name may exist later than this server.
final class UpstreamResolver: Sendable {
  private struct State: Sendable {
    var addresses: [SocketAddress]
    var resolved: ContinuousClock.Instant
    var isResolving = false
  }

  private let host: String
  private let port: Int
  private let state: Locked<State>

  /// The time for which the addresses are used without a new look.
  private static let lifetime = Duration.seconds(5)

  /// Resolves the host, which may take the time of a name server.
  init(_ address: UpstreamAddress) {
    (host, port) = (address.host, address.port)
    state = Locked(State(addresses: SocketAddress.resolve(address.host, port: address.port), resolved: .now))
  }

  /// Returns the addresses that are known, and looks for new ones if these are old; none if the name has none yet.
  func addresses() -> [SocketAddress] {
    let (addresses, isOld) = state.withLock { state in
      let isOld = !state.isResolving && state.resolved + Self.lifetime < .now
      if isOld { state.isResolving = true }
      return (state.addresses, isOld)
    }
    if isOld { refresh() }
    return addresses
  }

  private func refresh() {
    let isStarted: Void? = try? LoopThread.start { [self] in
      let found = SocketAddress.resolve(host, port: port)
      state.withLock { state in
        // A name server that does not answer does not make the addresses wrong.
        if !found.isEmpty { state.addresses = found }
        (state.resolved, state.isResolving) = (.now, false)
      }
    }
    if isStarted == nil { state.withLock { $0.isResolving = false } }
  }
}
