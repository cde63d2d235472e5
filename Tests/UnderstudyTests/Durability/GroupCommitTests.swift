import Foundation
import HTTP1
import JSON
import LiveTesting
import Platform
import Primitives
import Testing

@testable import Understudy

@Suite("Responses that wait for the disk", .live, .temporaryFiles)
struct GroupCommitTests {
  @Test("all writes of a turn are one image; reads alone are none")
  func oneImage() throws {
    let disk = MemoryDisk(seed: 1)
    let server = try DurableServer(on: disk)
    let before = disk.operations
    #expect(
      server.turn([dated(1), dated(2), wire("GET", "/kitchen/light/on")]).map(\.status) == [200, 200, 200])
    #expect(disk.operations - before == 5, "a file is written and renamed")
    _ = server.turn([
      wire("GET", "/devices"), wire("HEAD", "/living-room/tv/on"), dated(2), wire("GET", "/_mock/state"),
    ])
    #expect(disk.operations - before == 5, "nothing changed")
  }

  @Test("a response waits if it made or read an uncommitted change, and only in its own sandbox")
  func waits() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 2))
    server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"ci-1\"}"))
    func connection(_ request: String) -> HeldConnection { server.connect(request) }
    let early = connection(wire("GET", "/devices"))
    let write = connection(dated(1))
    let read = connection(wire("GET", "/devices"))
    let other = connection(wire("GET", "/@ci-1/devices"))
    let control = connection(wire("GET", "/@ci-1/_mock/sandboxes"))
    #expect([early, write, read, other, control].map(\.awaitsCommit) == [false, true, true, false, true])
    #expect([early, write, read, other, control].map { $0.output.bytes.isEmpty } == [false, true, true, false, true])
    #expect(server.application.state.commit().isEmpty)
    for connection in [early, write, read, other, control] { connection.resolve(isDurable: true) }
    #expect([early, write, read, other, control].allSatisfy { $0.output.pending > 0 && !$0.awaitsCommit })
  }

  @Test("during a commit, further changes and reads of uncommitted changes wait, and other requests do not")
  func overlapping() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 12))
    server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"ci-1\"}"))
    let first = server.begin([dated(1)])
    let commit = try #require(server.application.state.beginCommit())
    #expect(server.application.state.beginCommit() == nil, "one at a time")
    let second = server.begin([dated(2), wire("GET", "/devices"), wire("GET", "/@ci-1/devices")])
    #expect(second.map(\.awaitsCommit) == [true, true, false])
    #expect(server.application.state.endCommit(commit.run()).isEmpty)
    for connection in first { connection.resolve(isDurable: true) }
    #expect(server.responses(first).map(\.status) == [200])
    #expect(server.application.state.isUncommitted)
    #expect(server.application.state.commit().isEmpty)
    for connection in second { connection.resolve(isDurable: true) }
    #expect(server.responses(second).map(\.status) == [200, 200, 200])
    #expect(server.begin([wire("GET", "/devices")]).map(\.awaitsCommit) == [false])
  }

  @Test("a failed commit also rolls back the changes made during it", arguments: [5, 28])
  func overlappingFailure(code: Int32) throws {
    let disk = MemoryDisk(seed: 13)
    let server = try DurableServer(on: disk)
    #expect(server.ask(dated(1)).status == 200)
    let before = server.image
    let isFailing = Locked(true)
    disk.action = { _ in isFailing.withLock { $0 } ? .error(code) : nil }
    let first = server.begin([dated(2)])
    let commit = try #require(server.application.state.beginCommit())
    let second = server.begin([dated(3), wire("POST", "/_mock/sandboxes"), wire("GET", "/devices/WWM-0001-12")])
    let refused = server.application.state.endCommit(commit.run())
    for connection in first { connection.resolve(afterRefusing: refused) }
    for connection in second { connection.resolve(afterRefusing: refused, isLater: true) }
    server.commit(second)
    #expect(server.responses(first + second).map(\.status) == [507, 507, 507, 200])
    #expect(server.image == before)
    #expect(server.responses(second)[2].text.contains("2023-07-01"))
    isFailing.withLock { $0 = false }
    server.runMaintenance()
    #expect(server.ask(dated(4)).status == 200)
    #expect(try DurableServer(on: disk.afterPowerLoss(seed: 13)).image == server.image)
  }

  @Test("no timeout of the client ends an exchange that waits for the disk")
  func noTimeout() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 14))
    let connections = server.begin([dated(1), wire("GET", "/devices")])
    #expect(connections.map(\.awaitsCommit) == [true, true])
    #expect(connections.map(\.timeout) == [.distantFuture, .distantFuture])
  }

  @Test("an exchange that is performed again after a rollback waits for the rest of its delay, and not twice")
  func delayedAgain() throws {
    let disk = MemoryDisk(seed: 15)
    let server = try DurableServer(on: disk)
    disk.action = { _ in .error(5) }
    let unknown = wire("PATCH", "/devices/unknown", "Prefer: delay=5s; phase=after", body: #"{"type":"heating"}"#)
    let connections = server.begin([dated(1), unknown])
    server.pass(seconds: 2)
    let refused = server.application.state.commit()
    for connection in connections { connection.resolve(afterRefusing: refused) }
    #expect(connections[1].wakeUp == server.application.tick + .seconds(3))
    server.pass(seconds: 3)
    connections[1].resume()
    #expect(server.responses(connections).map(\.status) == [507, 404] && connections[1].wakeUp == nil)
  }

  @Test("a write is kept if the plan loses its response")
  func lostReply() throws {
    let disk = MemoryDisk(seed: 3)
    let server = try DurableServer(on: disk)
    let request = wire("POST", "/book", "Prefer: fault=reset; phase=after", body: "{\"name\":\"Ljerka\"}")
    #expect(server.ask(request).body.isEmpty)
    let again = try DurableServer(on: disk.afterPowerLoss(seed: 3))
    #expect(again.ask(wire("GET", "/rooms.json")).text.contains("\"Ljerka\",\"spots\":42,"))
  }

  @Test("writes that a plan discards are not stored")
  func undone() throws {
    let disk = MemoryDisk(seed: 4)
    let server = try DurableServer(on: disk)
    let before = disk.operations
    server.ask(
      wire("POST", "/book", "Prefer: fault=truncate; phase=before", "Idempotency-Key: a", body: "{\"name\":\"Ljerka\"}")
    )
    #expect(
      server.ask(wire("PATCH", "/devices/WWM-0001-12", "If-Match: \"other\"", body: "{\"type\":\"heating\"}")).status
        == 412)
    #expect(disk.operations == before)
  }

  @Test("the deletion of an expired sandbox and the moves of rivals are stored")
  func maintenance() throws {
    let disk = MemoryDisk(seed: 5)
    let server = try DurableServer(on: disk)
    server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"short\",\"ttl\":\"10s\"}"))
    server.ask(wire("PUT", "/_mock/scenario", body: "\"rush-hour\""))
    server.pass(seconds: 60)
    server.runMaintenance()
    server.runMaintenance()
    #expect(server.image.allSatisfy { !$0.contains("short") })
    #expect(
      server.image.contains { $0.contains("default/state: {\"version\":2,\"data\":{\"booking\":") }, "rivals have moved"
    )
    #expect(try DurableServer(on: disk.afterPowerLoss(seed: 5)).image == server.image)
  }

  @Test(
    "a write that ends after its sandbox was deleted is not stored, even if the name is in use again",
    arguments: [false, true])
  func outlivesSandbox(isTakenAgain: Bool) throws {
    let disk = MemoryDisk(seed: 6)
    let server = try DurableServer(on: disk)
    server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"short\"}"))
    let late = HeldConnection(peer: "peer", port: Labels(), application: server.application, timeouts: Timeouts())
    let patch = wire(
      "PATCH", "/@short/devices/WWM-0001-12", "Prefer: delay=3s", body: "{\"meterPointDescription\":\"Attic\"}")
    late.receive(Array(patch.utf8)[...])
    #expect(server.ask(wire("DELETE", "/_mock/sandboxes/short")).status == 204)
    if isTakenAgain { server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"short\"}")) }
    server.pass(seconds: 4)
    late.resume()
    #expect(String(decoding: late.output.bytes, as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
    server.runMaintenance()
    #expect(server.image.allSatisfy { !$0.contains("Attic") })
    #expect(try DurableServer(on: disk.afterPowerLoss(seed: 6)).image == server.image)
  }

  @Test(
    "a commit in the middle of a turn leaves no earlier write without a response",
    arguments: PollerKind.allCases)
  func madeInProcess(poller: PollerKind) async throws {
    let directory = TemporaryFiles.newDirectory().path
    try await withServer(using: poller, { $0.stateDirectory = directory }) { server in
      let client = try WireConnection(server.port)
      #expect(await server.becomes { $0.connections.count == 1 })
      server.jobs.post { loop in
        for entry in loop.connections.all {
          entry.connection.receive(Array(dated(1).utf8)[...], at: loop.application.now)
          loop.markDirty(entry)
        }
        loop.commit()
      }
      #expect(try client.response().status == 200)
      client.hangUp()
    }
  }

  @Test(
    "pipelined writes are answered in order over sockets, and are there after a restart",
    arguments: PollerKind.allCases)
  func pipelined(poller: PollerKind) async throws {
    let directory = TemporaryFiles.newDirectory().path
    try await withServer(using: poller, { $0.stateDirectory = directory }) { server in
      let client = try WireConnection(server.port)
      try client.send((1...9).map(dated).joined() + wire("GET", "/devices/WWM-0001-12"))
      for _ in 1...9 { #expect(try client.response().status == 200) }
      #expect(try client.response().text.contains("2023-07-09"))
      var options = MockServer.Options()
      options.stateDirectory = directory
      await #expect(throws: StartError.self, "the first server has locked the directory") {
        try await MockServer.start(options)
      }
    }
    try await withServer(using: poller, { $0.stateDirectory = directory }) { server in
      let device = try exchange(server, wire("GET", "/devices/WWM-0001-12"))
      #expect(device.text.contains("2023-07-09"))
    }
  }

  @Test("a server that has stopped has released its state directory")
  func releasesDirectory() async throws {
    let directory = TemporaryFiles.newDirectory().path
    for _ in 0..<20 { try await withServer({ $0.stateDirectory = directory }) { _ in } }
  }

  @Test("data files that change at run time become the initial state of all sandboxes, and stay so after a restart")
  func watchedData() throws {
    let directory = try TemporaryFiles.dataDirectory()
    try TemporaryFiles.write(devices: "A", at: "Kitchen", to: directory)
    let disk = MemoryDisk(seed: 6)
    let server = try DurableServer(on: disk, data: try DataDirectory.load(directory))
    server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"ci-1\",\"data\":{\"house\":{\"temperature\":31}}}"))
    try TemporaryFiles.write(devices: "A", at: "Attic, under the roof", to: directory)
    server.runMaintenance()
    #expect(server.notices.all == ["data files have changed and were read again"])
    server.ask(wire("PATCH", "/@ci-1/devices/A", body: "{\"type\":\"cold_water\"}"))
    let again = try DurableServer(on: disk.afterPowerLoss(seed: 6), data: try DataDirectory.load(directory))
    #expect(again.image == server.image)
    #expect(again.ask(wire("GET", "/@ci-1/devices")).text.contains("\"cold_water\",\"meterPointDescription\":\"Attic"))
    again.ask(wire("POST", "/@ci-1/_mock/reset"))
    #expect(again.ask(wire("GET", "/@ci-1/devices")).text.contains("\"heating\",\"meterPointDescription\":\"Attic"))
    #expect(again.ask(wire("GET", "/@ci-1/@house/state")).text.contains("31"))
  }

  @Test("a sandbox listens on its port again after a restart")
  func ports() async throws {
    let directory = TemporaryFiles.newDirectory().path
    let port = try await withServer({ $0.stateDirectory = directory }) { server in
      let made = try exchange(
        server, wire("POST", "/_mock/sandboxes", body: "{\"name\":\"ci-1\",\"port\":0,\"api\":\"users\"}"))
      return try #require(JSONValue(parsing: made.body)["port"]?.int)
    }
    try await withServer({ $0.stateDirectory = directory }) { server in
      let described = try JSONValue(parsing: exchange(server, wire("GET", "/_mock/sandboxes/ci-1")).body)
      // Another process may have taken the port; then the sandbox loses it.
      if described["port"]?.int == port {
        #expect(try exchange(server, wire("GET", "/users/1"), port: port).status == 200)
      } else {
        #expect(described["port"] == nil)
      }
    }
  }
}
