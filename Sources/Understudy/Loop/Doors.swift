import Contract

/// The ports on which a server listens, each with the labels of its connections.
struct Doors: ~Copyable {
  enum Arrival: ~Copyable {
    case connection(Socket, peer: String, Labels)
    case none
    case exhausted
  }

  private final class Door {
    let listener: Listener
    let labels: Labels

    init(_ listener: Listener, _ labels: Labels) {
      self.listener = listener
      self.labels = labels
    }
  }

  private var doors: [Door?] = []
  private var isPaused = false
  private static let mark = UInt64(1) << 63

  /// Returns the index of the listener that a token identifies, if it identifies one.
  static func place(of token: UInt64) -> Int? {
    token & mark == 0 ? nil : Int(token & ~mark)
  }

  mutating func add(_ listener: Listener, _ labels: Labels, _ poller: any Poller) {
    let place = doors.firstIndex { $0 == nil } ?? doors.count
    if place == doors.count { doors.append(nil) }
    poller.add(listener.descriptor, token: Self.mark | UInt64(place), isPaused ? [] : .reading)
    doors[place] = Door(listener, labels)
  }

  func accept(at place: Int) -> Arrival {
    guard place < doors.count, let door = doors[place] else { return .none }
    switch door.listener.accept() {
    case .connection(let socket, let peer): return .connection(socket, peer: peer, door.labels)
    case .none: return .none
    case .exhausted: return .exhausted
    }
  }

  var places: Range<Int> { doors.indices }

  mutating func close(port: Int, _ poller: any Poller) {
    for (place, door) in doors.enumerated() {
      guard let door, door.listener.port == port else { continue }
      if !door.listener.isSuspended { poller.remove(door.listener.descriptor) }
      doors[place] = nil
    }
  }

  mutating func suspend(port: Int, _ poller: any Poller) {
    for door in doors {
      guard let door, door.listener.port == port, !door.listener.isSuspended else { continue }
      poller.remove(door.listener.descriptor)
      door.listener.suspend()
    }
  }

  mutating func resume(port: Int, _ poller: any Poller) throws(SystemError) {
    for (place, door) in doors.enumerated() {
      guard let door, door.listener.port == port, door.listener.isSuspended else { continue }
      try door.listener.resume()
      poller.add(door.listener.descriptor, token: Self.mark | UInt64(place), isPaused ? [] : .reading)
    }
  }

  mutating func closeAll(_ poller: any Poller) {
    for door in doors { if let door, !door.listener.isSuspended { poller.remove(door.listener.descriptor) } }
    doors = []
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
    for (place, door) in doors.enumerated() {
      guard let door, !door.listener.isSuspended else { continue }
      poller.change(door.listener.descriptor, token: Self.mark | UInt64(place), to: interest)
    }
  }
}

extension EventLoop {
  /// Listens at all addresses of a host, and returns the port.
  ///
  /// - Parameter port: 0 for a free one.
  func open(_ port: Int, at host: String, for labels: Labels) throws(SystemError) -> Int {
    let opened = try Listener.all(host: host, port: port)
    for listener in opened { doors.add(listener, labels, poller) }
    return opened.first?.port ?? port
  }

  func reopenDoors() { doors.resume(poller) }

  func closeDoors() { doors.closeAll(poller) }
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

  func close(_ port: Int) { loop.doors.close(port: port, loop.poller) }

  func suspend(_ port: Int) { loop.doors.suspend(port: port, loop.poller) }

  func resume(_ port: Int) throws(SystemError) { try loop.doors.resume(port: port, loop.poller) }

  func releaseResponses(of sandbox: String) {
    // The caller may be in the midst of an exchange of the same sandbox.
    loop.mailbox.post { loop in
      for entry in loop.connections.all where entry.connection.sandbox == sandbox {
        entry.connection.release()
        loop.markDirty(entry)
      }
    }
  }

  var hasWorkers: Bool { true }

  func runOffLoop(_ work: @escaping @Sendable () -> OnLoop, for backend: Backend) {
    loop.workers.run(work) { [mailbox = loop.mailbox] onLoop in
      mailbox.post { loop in onLoop(loop.backend) }
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
