import Contract
import HTTP1
import JSON
import LiveTesting
import Platform
import Primitives
import Services
import Testing

@testable import Report
@testable import Understudy

/// A loop whose jobs the test runs itself.
final class WorkerLoop: Loop {
  var works: [@Sendable () -> OnLoop] = []
  var hasWorkers: Bool { true }
  func runOffLoop(_ work: @escaping @Sendable () -> OnLoop, for state: ServerState) { works.append(work) }
  var connectionCount: Int { 0 }
  func open(_ port: Int, for labels: Labels, keepsReserve: Bool) throws(SystemError) -> Int {
    throw SystemError("no ports")
  }
  func close(_ port: Int) {}
  func suspend(_ port: Int) {}
  func resume(_ port: Int) throws(SystemError) {}
  func releaseResponses(of sandbox: String) {}
  func resetConnections(of sandboxes: Set<String>) {}
}

@Suite("The application's work off the loop", .temporaryFiles)
struct ApplicationWorkTests {
  private let application: Application
  private let loop = WorkerLoop()

  init() throws {
    application = Application(seeds: try SeedData.embedded())
    application.state.loop = loop
  }

  private func connection(_ request: String) -> HeldConnection {
    let connection = HeldConnection(peer: "peer", port: Labels(), application: application, timeouts: Timeouts())
    connection.receive(Array(request.utf8)[...])
    return connection
  }

  private func text(_ request: String) -> String { String(decoding: connection(request).output.bytes, as: UTF8.self) }

  private func make(_ sandbox: String) throws {
    #expect(text(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"\(sandbox)\"}")).hasPrefix("HTTP/1.1 201"))
  }

  /// Runs the oldest job of the application.
  private func finishWork() throws {
    try #require(!loop.works.isEmpty)
    loop.works.removeFirst()()(application.state)
  }

  @Test("changed data files are read off the loop, and the new states replace the old ones together")
  func watchedData() throws {
    let directory = try TemporaryFiles.dataDirectory()
    try TemporaryFiles.write(devices: "A", at: "Kitchen", to: directory)
    application.state.watched = try DataDirectory.load(directory)
    application.state.notify = { _ in }
    try TemporaryFiles.write(devices: "A", at: "Attic, under the roof", to: directory)
    application.state.runMaintenance(at: application.tick)
    application.state.runMaintenance(at: application.tick)
    #expect(loop.works.count == 1, "the files are read by one job at a time")
    try make("late")
    #expect(!text(wire("GET", "/devices")).contains("Attic"))
    try finishWork()
    #expect(text(wire("GET", "/devices")).contains("Attic"))
    #expect(text(wire("GET", "/@late/devices")).contains("Attic"), "it was made meanwhile")
    application.state.runMaintenance(at: application.tick)
    #expect(loop.works.count == 1, "the files are read again")
  }

  @Test("the final report card of a sandbox is computed off the loop, or earlier on request")
  func lastCards() throws {
    for name in ["a", "b"] {
      try make(name)
      #expect(text(wire("GET", "/@\(name)/users/1")).hasPrefix("HTTP/1.1 200"))
      #expect(text(wire("DELETE", "/_mock/sandboxes/\(name)")).hasPrefix("HTTP/1.1 204"))
    }
    #expect(loop.works.count == 2)
    try finishWork()
    #expect(application.state.allCards().map(\.card.exchanges) == [1, 1, 0])
    try finishWork()
    #expect(application.state.finalCards.map(\.card.sandbox) == ["a", "b"])
  }

  @Test("the final report card of a sandbox is neither computed nor kept by a server that reports on no run")
  func noLastCards() throws {
    application.state.keepsFinalCards = false
    try make("a")
    #expect(text(wire("GET", "/@a/users/1")).hasPrefix("HTTP/1.1 200"))
    #expect(text(wire("DELETE", "/_mock/sandboxes/a")).hasPrefix("HTTP/1.1 204"))
    #expect(loop.works.isEmpty && application.state.finalCards.isEmpty)
  }

  @Test("a deferred value is computed once, and a handover gives its content once")
  func once() {
    let count = Locked(0)
    let worked = Deferred { count.withLock { $0 += 1 } }
    _ = (worked.value, worked.value)
    #expect(count.withLock { $0 } == 1)
    let handover = Handover("content")
    #expect(handover.take() == "content")
    #expect(handover.take() == nil)
  }
}
