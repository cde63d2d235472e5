import Contract
import Platform

/// The ports on which a server listens, each with the labels of its connections.
final class Listeners {
  enum Arrival: ~Copyable {
    case connection(Socket, peer: String, Labels)
    case none
    case exhausted
  }

  private final class BoundListener {
    let listener: Listener
    let labels: Labels

    init(_ listener: Listener, _ labels: Labels) {
      self.listener = listener
      self.labels = labels
    }
  }

  private let poller: any Poller
  private var listeners: [BoundListener?] = []
  private var isPaused = false
  /// True if no connection has been accepted since the last pause.
  private var isExhausted = false
  private static let mark = UInt64(1) << 63
  /// The number of descriptors that are kept for connections; at most a quarter of all.
  static let reservedDescriptors = 64

  init(_ poller: any Poller) { self.poller = poller }

  /// Returns the index of the listener that a token identifies, if it identifies one.
  static func index(of token: UInt64) -> Int? { token & mark == 0 ? nil : Int(token & ~mark) }

  /// Listens at all addresses of a host, and returns the port.
  ///
  /// - Parameters:
  ///   - port: 0 for a free one.
  ///   - host: Nil for both loopback addresses.
  ///   - keepsReserve: True to fail if the port would take one of the descriptors that are kept for connections.
  func open(_ port: Int, at host: String?, for labels: Labels, keepsReserve: Bool) throws(SystemError) -> Int {
    let opened = try Listener.all(host: host, port: port)
    if keepsReserve, let last = opened.map(\.descriptor).max(), Self.isReserved(last) {
      throw SystemError("open", reason: "No descriptor is left for another port; delete a sandbox that has one")
    }
    for listener in opened { add(listener, labels) }
    return opened.first?.port ?? port
  }

  /// True if the descriptor is one of the last. If ports took them all, the server could not accept the connection that
  /// asks it to close one. The system assigns the lowest free number, so the number tells how many are in use.
  private static func isReserved(_ descriptor: Int32) -> Bool {
    guard let count = Descriptor.maximumCount else { return false }
    return Int(descriptor) >= count - min(reservedDescriptors, count / 4)
  }

  private func add(_ listener: Listener, _ labels: Labels) {
    let index = listeners.firstIndex { $0 == nil } ?? listeners.count
    if index == listeners.count { listeners.append(nil) }
    poller.add(listener.descriptor, token: Self.mark | UInt64(index), isPaused ? [] : .reading)
    listeners[index] = BoundListener(listener, labels)
  }

  func accept(at index: Int) -> Arrival {
    guard index < listeners.count, let bound = listeners[index] else { return .none }
    switch bound.listener.accept() {
    case .connection(let socket, let peer):
      isExhausted = false
      // A client without a name is known by its address, and may use both of this machine.
      return .connection(socket, peer: peer == "::1" ? "127.0.0.1" : peer, bound.labels)
    case .none: return .none
    case .exhausted: return .exhausted
    }
  }

  /// Returns an address at which the server listens, or is suspended; nil if the port is not one of its ports.
  func address(of port: Int) -> SocketAddress? {
    guard var address = listeners.lazy.compactMap({ $0?.listener }).first(where: { $0.port == port })?.address else {
      return nil
    }
    address.port = port
    return address
  }

  var indices: Range<Int> { listeners.indices }

  func close(port: Int) {
    for (index, bound) in listeners.enumerated() {
      guard let bound, bound.listener.port == port else { continue }
      if !bound.listener.isSuspended { poller.remove(bound.listener.descriptor) }
      listeners[index] = nil
    }
  }

  func suspend(port: Int) {
    for bound in listeners {
      guard let bound, bound.listener.port == port, !bound.listener.isSuspended else { continue }
      poller.remove(bound.listener.descriptor)
      bound.listener.suspend()
    }
  }

  func resume(port: Int) throws(SystemError) {
    for (index, bound) in listeners.enumerated() {
      guard let bound, bound.listener.port == port, bound.listener.isSuspended else { continue }
      try bound.listener.resume()
      poller.add(bound.listener.descriptor, token: Self.mark | UInt64(index), isPaused ? [] : .reading)
    }
  }

  func closeAll() {
    for bound in listeners { if let bound, !bound.listener.isSuspended { poller.remove(bound.listener.descriptor) } }
    listeners = []
  }

  /// Accepts no connections until `resume()`. Returns true if some have been accepted since the last pause.
  func pause() -> Bool {
    defer { isExhausted = true }
    isPaused = true
    listen(for: [])
    return !isExhausted
  }

  func resume() {
    guard isPaused else { return }
    isPaused = false
    listen(for: .reading)
  }

  private func listen(for interest: Interest) {
    for (index, bound) in listeners.enumerated() {
      guard let bound, !bound.listener.isSuspended else { continue }
      poller.change(bound.listener.descriptor, token: Self.mark | UInt64(index), to: interest)
    }
  }
}
