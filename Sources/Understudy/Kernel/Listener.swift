import Platform

/// A socket that accepts connections at one address.
final class Listener {
  /// Nil if the port could not stay bound when the listener was suspended.
  private var socket: Socket?
  /// The address, with the port 0 if that was left to the system.
  let address: SocketAddress
  let port: Int
  private(set) var isSuspended = false

  var descriptor: Int32 { socket?.descriptor ?? -1 }

  /// Listens at every address of a host, because a client may try any of them: `localhost` is `127.0.0.1` and `::1`.
  ///
  /// Addresses that this machine does not have, such as IPv6 addresses without IPv6, are skipped.
  ///
  /// - Parameters:
  ///   - host: A name or an IP address; nil for both loopback addresses.
  ///   - port: 0 asks the system for a free port, the same for all addresses.
  static func all(host: String?, port: Int) throws(SystemError) -> [Listener] {
    // A port that is free at one address may be in use at the next; another attempt gets another port.
    for _ in 0..<8 where port == 0 {
      do {
        return try listeners(host: host, port: port)
      } catch {
        guard error.isAddressInUse else { throw error }
      }
    }
    return try listeners(host: host, port: port)
  }

  private static func listeners(host: String?, port: Int) throws(SystemError) -> [Listener] {
    var listeners: [Listener] = []
    var refusal: SystemError?
    for address in try addresses(of: host) {
      do {
        listeners.append(try Listener(at: address, port: listeners.first?.port ?? port))
      } catch {
        guard !error.isAddressInUse else { throw error }
        refusal = refusal ?? error
      }
    }
    if let refusal, listeners.isEmpty { throw refusal }
    return listeners
  }

  private static let loopback = ["127.0.0.1", "::1"]

  private init(at address: SocketAddress, port: Int) throws(SystemError) {
    let socket = try Self.bound(to: address, port: port)
    try socket.listen()
    self.port = socket.port
    self.address = address
    self.socket = consume socket
  }

  /// Refuses connections. The port stays bound, so that the system does not assign it to another program.
  func suspend() {
    guard !isSuspended else { return }
    isSuspended = true
    socket = nil
    socket = try? Self.bound(to: address, port: port)
  }

  /// Listens again after `suspend()`.
  func resume() throws(SystemError) {
    guard isSuspended else { return }
    let reserved = socket.take()
    let bound = if let reserved { reserved } else { try Self.bound(to: address, port: port) }
    try bound.listen()
    socket = consume bound
    isSuspended = false
  }

  private static func bound(to address: SocketAddress, port: Int) throws(SystemError) -> Socket {
    var address = address
    address.port = port
    let socket = try Socket(for: address)
    socket.makeNonBlocking()
    socket.reuseAddress()
    try socket.bind(to: address)
    return socket
  }

  func accept() -> Socket.Accepted { socket?.accept() ?? Socket.Accepted.none }

  /// Returns the addresses at which to listen for a host, with the port 0.
  static func addresses(of host: String?) throws(SystemError) -> [SocketAddress] {
    // What `localhost` means to the resolver of this machine does not matter: Node 17 and others try ::1 first.
    let hosts = host.map { $0 == "localhost" ? loopback : [$0] } ?? loopback
    let found = hosts.flatMap { SocketAddress.resolve($0, port: 0, isPassive: true) }
    guard found.isEmpty else { return found }
    throw SystemError("the host \(hosts[0]) has no address", code: SystemError.noAddress)
  }
}
