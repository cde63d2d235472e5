import Contract

/// The ports on which a server listens, each with the labels of its connections.
struct Listeners: ~Copyable {
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

  private var listeners: [BoundListener?] = []
  private var isPaused = false
  private static let mark = UInt64(1) << 63

  /// Returns the index of the listener that a token identifies, if it identifies one.
  static func index(of token: UInt64) -> Int? {
    token & mark == 0 ? nil : Int(token & ~mark)
  }

  mutating func add(_ listener: Listener, _ labels: Labels, _ poller: any Poller) {
    let index = listeners.firstIndex { $0 == nil } ?? listeners.count
    if index == listeners.count { listeners.append(nil) }
    poller.add(listener.descriptor, token: Self.mark | UInt64(index), isPaused ? [] : .reading)
    listeners[index] = BoundListener(listener, labels)
  }

  func accept(at index: Int) -> Arrival {
    guard index < listeners.count, let bound = listeners[index] else { return .none }
    switch bound.listener.accept() {
    case .connection(let socket, let peer): return .connection(socket, peer: peer, bound.labels)
    case .none: return .none
    case .exhausted: return .exhausted
    }
  }

  var indices: Range<Int> { listeners.indices }

  mutating func close(port: Int, _ poller: any Poller) {
    for (index, bound) in listeners.enumerated() {
      guard let bound, bound.listener.port == port else { continue }
      if !bound.listener.isSuspended { poller.remove(bound.listener.descriptor) }
      listeners[index] = nil
    }
  }

  mutating func suspend(port: Int, _ poller: any Poller) {
    for bound in listeners {
      guard let bound, bound.listener.port == port, !bound.listener.isSuspended else { continue }
      poller.remove(bound.listener.descriptor)
      bound.listener.suspend()
    }
  }

  mutating func resume(port: Int, _ poller: any Poller) throws(SystemError) {
    for (index, bound) in listeners.enumerated() {
      guard let bound, bound.listener.port == port, bound.listener.isSuspended else { continue }
      try bound.listener.resume()
      poller.add(bound.listener.descriptor, token: Self.mark | UInt64(index), isPaused ? [] : .reading)
    }
  }

  mutating func closeAll(_ poller: any Poller) {
    for bound in listeners { if let bound, !bound.listener.isSuspended { poller.remove(bound.listener.descriptor) } }
    listeners = []
  }

  mutating func pause(_ poller: any Poller) {
    isPaused = true
    listen(for: [], poller)
  }

  mutating func resume(_ poller: any Poller) {
    guard isPaused else { return }
    isPaused = false
    listen(for: .reading, poller)
  }

  private func listen(for interest: Interest, _ poller: any Poller) {
    for (index, bound) in listeners.enumerated() {
      guard let bound, !bound.listener.isSuspended else { continue }
      poller.change(bound.listener.descriptor, token: Self.mark | UInt64(index), to: interest)
    }
  }
}

extension EventLoop {
  /// Listens at all addresses of a host, and returns the port.
  ///
  /// - Parameter port: 0 for a free one.
  func open(_ port: Int, at host: String, for labels: Labels) throws(SystemError) -> Int {
    let opened = try Listener.all(host: host, port: port)
    for listener in opened { listeners.add(listener, labels, poller) }
    return opened.first?.port ?? port
  }

  func reopenListeners() { listeners.resume(poller) }

  func closeListeners() { listeners.closeAll(poller) }
}

/// The operations of a loop that a backend may use.
struct LoopHandle: Loop {
  unowned let loop: EventLoop
  let host: String

  init(loop: EventLoop, host: String) {
    self.loop = loop
    self.host = host
  }

  func open(_ port: Int, for labels: Labels) throws(SystemError) -> Int {
    try loop.open(port, at: host, for: labels)
  }

  func close(_ port: Int) { loop.listeners.close(port: port, loop.poller) }

  func suspend(_ port: Int) { loop.listeners.suspend(port: port, loop.poller) }

  func resume(_ port: Int) throws(SystemError) { try loop.listeners.resume(port: port, loop.poller) }

  func releaseResponses(of sandbox: String) {
    // The caller may be in the midst of an exchange of the same sandbox.
    loop.jobs.post { loop in
      for entry in loop.connections.all where entry.connection.sandbox == sandbox {
        entry.connection.release()
        loop.markDirty(entry)
      }
    }
  }

  var hasWorkers: Bool { true }

  func runOffLoop(_ work: @escaping @Sendable () -> OnLoop, for backend: Backend) {
    loop.workers.run(work) { [jobs = loop.jobs] onLoop in
      jobs.post { loop in onLoop(loop.backend) }
    }
  }

  func discard(_ value: some Sendable) { loop.workers.discard(value) }

  func resetConnections(of sandboxes: Set<String>) {
    for entry in loop.connections.all where entry.connection.sandbox.map(sandboxes.contains) == true {
      entry.connection.reset()
      loop.markDirty(entry)
    }
  }

  var connectionCount: Int { loop.connections.count }
}
