import Dispatch
import JSON
import LiveTesting
import Platform
import Primitives
import Testing

@testable import Understudy

/// Commits go to a disk that the test blocks and unblocks; while it is blocked, they are in progress.
@Suite("Commits on their own thread", .live)
struct CommitTests {
  private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let isOpen = Locked(true)

    func close() { isOpen.withLock { $0 = false } }

    /// Lets one commit pass: a file is created, written, synchronized and renamed, and then its name synchronized.
    func letOneThrough() { for _ in 0..<5 { semaphore.signal() } }

    func open() {
      isOpen.withLock { $0 = true }
      for _ in 0..<100 { semaphore.signal() }
    }

    func pass() { if !isOpen.withLock({ $0 }) { semaphore.wait() } }
  }

  private static let read = wire("GET", "/devices/WWM-0001-12")
  private let disk = MemoryDisk(seed: 1)
  private let gate = Gate()
  private let loop: VirtualLoop

  init() throws {
    let gate = gate
    disk.action = { _ in
      gate.pass()
      return nil
    }
    loop = try VirtualLoop(disk: disk)
    gate.close()
  }

  private func client(_ request: String) throws -> WireConnection {
    let client = try WireConnection(loop.port)
    try client.send(request)
    return client
  }

  @Test("a change during a commit is acknowledged after the next commit, and not before")
  func nextCommit() throws {
    defer { gate.open() }
    let first = try client(dated(1))
    #expect(loop.turn { loop.loop.disk.isCommitting })
    let later = try [client(dated(2)), client(Self.read)]
    #expect(loop.turn { loop.journal.lastID == 3 })
    #expect(first.available().isEmpty)
    gate.letOneThrough()
    #expect(try loop.response(to: first).status == 200)
    #expect(loop.turn { loop.loop.disk.isCommitting })
    #expect(later.allSatisfy { $0.available().isEmpty })
    gate.letOneThrough()
    #expect(try loop.response(to: later[0]).status == 200)
    #expect(try loop.response(to: later[1]).text.contains("2023-07-02"))
  }

  @Test("a read during a commit is answered after that commit, even if no other follows")
  func readMeanwhile() throws {
    defer { gate.open() }
    let writer = try client(dated(1))
    #expect(loop.turn { loop.loop.disk.isCommitting })
    let reader = try client(Self.read)
    #expect(loop.turn { loop.journal.lastID == 2 })
    gate.letOneThrough()
    #expect(try loop.response(to: writer).status == 200)
    #expect(try loop.response(to: reader).text.contains("2023-07-01"))
    #expect(!loop.application.state.isUncommitted)
  }

  @Test("responses that show nothing of a change do not wait for it: other APIs, health, metrics and pages")
  func others() throws {
    defer { gate.open() }
    let writer = try client(dated(1))
    #expect(loop.turn { loop.loop.disk.isCommitting })
    for target in [
      "/users/1", "/rooms.json", "/_mock/health", "/_mock/metrics", "/openapi.yaml", "/_mock/schemas/scenario.json",
      "/_mock/scenarios", "/_mock/",
    ] {
      #expect(try loop.ask(wire("GET", target)).status == 200, "\(target)")
    }
    #expect(try loop.ask(wire("GET", "/", "Accept: text/html")).status == 200)
    #expect(try loop.ask(wire("GET", "/_mock/none")).status == 404)
    let state = try client(wire("GET", "/_mock/state"))
    #expect(loop.turn { loop.connections.count == 2 && !loop.connections.contains { $0.connection.isIdle } })
    #expect(writer.available().isEmpty && state.available().isEmpty)
    gate.letOneThrough()
    #expect(try loop.response(to: state).text.contains("2023-07-01"))
  }

  @Test("calls wait for the changes made before them, and not for later commits")
  func calls() throws {
    defer { gate.open() }
    let called = Locked(0)
    loop.loop.whenCommitted { called.withLock { $0 += 1 } }
    #expect(called.withLock { $0 } == 1, "there is no uncommitted change")
    let writer = try client(dated(1))
    #expect(loop.turn { loop.loop.disk.isCommitting })
    loop.loop.whenCommitted { called.withLock { $0 += 1 } }
    #expect(called.withLock { $0 } == 1)
    gate.letOneThrough()
    #expect(try loop.response(to: writer).status == 200)
    #expect(loop.turn { called.withLock { $0 } == 2 })
  }

  @Test("a connection waits for each of its writes")
  func eachWrite() throws {
    let client = try WireConnection(loop.port)
    for day in 1...3 {
      try client.send(dated(day))
      #expect(loop.turn { loop.loop.disk.isCommitting })
      #expect(client.available().isEmpty)
      gate.letOneThrough()
      #expect(try loop.response(to: client).status == 200)
    }
    gate.open()
  }

  @Test("a failed commit is rolled back, and all waiting requests are refused")
  func failure() throws {
    gate.open()
    disk.action = { _ in .error(28) }
    #expect(try loop.ask(dated(1)).status == 507)
    disk.action = { _ in nil }
    #expect(try !loop.ask(Self.read).text.contains("2023-07-01"))
  }

  @Test("a call writes the changes to the disk itself if the loop has ended")
  func afterEnd() throws {
    gate.open()
    let client = try WireConnection(loop.port)
    #expect(loop.turn { loop.connections.count == 1 })
    try #require(loop.connections.first).connection.receive(Array(dated(2).utf8)[...], at: loop.application.now)
    loop.loop.hasEnded = true
    let called = Locked(false)
    loop.loop.whenCommitted { called.withLock { $0 = true } }
    #expect(called.withLock { $0 })
    #expect(!loop.application.state.isUncommitted)
    #expect(try DurableServer(on: disk).ask(Self.read).text.contains("2023-07-02"))
    client.hangUp()
  }
}
