import Contract
import Foundation
import LiveTesting
import Testing

@testable import Understudy

/// A loop whose work is done by hand.
final class WorkerLoop: Loop {
  var works: [@Sendable () -> OnLoop] = []
  var hasWorkers: Bool { true }
  func runOffLoop(_ work: @escaping @Sendable () -> OnLoop, for backend: Backend) { works.append(work) }
  func discard(_ value: some Sendable) {}
  var connectionCount: Int { 0 }
  func open(_ port: Int, for labels: Labels) throws(SystemError) -> Int { throw SystemError("no ports") }
  func close(_ port: Int) {}
  func suspend(_ port: Int) {}
  func resume(_ port: Int) throws(SystemError) {}
  func releaseResponses(of sandbox: String) {}
  func resetConnections(of sandboxes: Set<String>) {}
}

@Suite("Work that the backend has done off the loop")
struct BackendWorkTests {
  private let backend: Backend
  private let loop = WorkerLoop()

  init() throws {
    backend = Backend(seeds: try SeedData.embedded())
    backend.loop = loop
  }

  private func connection(_ request: String) -> Connection {
    let connection = Connection(peer: "peer", port: Labels(), backend: backend, timeouts: Timeouts())
    connection.receive(Array(request.utf8)[...])
    return connection
  }

  private func text(_ request: String) -> String { String(decoding: connection(request).output.bytes, as: UTF8.self) }

  private func make(_ sandbox: String) throws {
    let connection = connection(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"\(sandbox)\"}"))
    let work = try #require(connection.takeWork())
    connection.finish(work, work.body())
  }

  /// Does the oldest work of the backend's own to its end.
  private func finishWork() throws {
    try #require(!loop.works.isEmpty)
    loop.works.removeFirst()()(backend)
  }

  @Test("data files that change are read off the loop, all states made there, and then taken at once")
  func watchedData() throws {
    let directory = NSTemporaryDirectory() + "understudy-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    func write(_ index: String) throws {
      let device =
        "{\"id\":\"A\",\"type\":\"heating\",\"meterPointDescription\":\"\(index)\",\"installationDate\":null}"
      try File.writeAtomically(Array("[\(device)]".utf8), to: directory + "/devices.json")
    }
    try write("Kitchen")
    backend.watched = try DataDirectory.load(directory)
    backend.notify = { _ in }
    try write("Attic, under the roof")
    backend.runMaintenance(at: backend.tick)
    backend.runMaintenance(at: backend.tick)
    #expect(loop.works.count == 1, "the files are looked at once at a time")
    try finishWork()
    #expect(!text(wire("GET", "/devices")).contains("Attic"), "the states are made off the loop, too")
    try make("late")
    try finishWork()
    #expect(text(wire("GET", "/devices")).contains("Attic"))
    #expect(text(wire("GET", "/@late/devices")).contains("Attic"), "it was made meanwhile")
    backend.runMaintenance(at: backend.tick)
    #expect(loop.works.count == 1, "they are looked at again")
  }

  @Test("the last card of a sandbox is worked out off the loop, or by the one who asks before")
  func lastCards() throws {
    for name in ["a", "b"] {
      try make(name)
      #expect(text(wire("GET", "/@\(name)/users/1")).hasPrefix("HTTP/1.1 200"))
      #expect(text(wire("DELETE", "/_mock/sandboxes/\(name)")).hasPrefix("HTTP/1.1 204"))
    }
    #expect(loop.works.count == 2)
    try finishWork()
    #expect(backend.allCards().map(\.card.exchanges) == [1, 1, 0])
    try finishWork()
    #expect(backend.finalCards.map(\.card.sandbox) == ["a", "b"])
  }

  @Test("a value is worked out once, however often it is asked for, and a parcel is emptied once")
  func once() {
    let count = Locked(0)
    let worked = Deferred { count.withLock { $0 += 1 } }
    _ = (worked.value, worked.value)
    #expect(count.withLock { $0 } == 1)
    let parcel = Handover("content")
    #expect(parcel.take() == "content")
    #expect(parcel.take() == nil)
  }

  @Test("three long jobs do not keep a fourth from being done")
  func longJobs() async {
    let workers = Workers()
    let gate = DispatchSemaphore(value: 0)
    let (ended, isDone) = (Locked(0), Locked(false))
    for _ in 0..<3 { workers.run({ gate.wait() }, completion: { ended.withLock { $0 += 1 } }) }
    workers.run({}, completion: { isDone.withLock { $0 = true } })
    #expect(await eventually { isDone.withLock { $0 } })
    #expect(ended.withLock { $0 } == 0)
    for _ in 0..<3 { gate.signal() }
    #expect(await eventually { ended.withLock { $0 } == 3 })
  }
}
