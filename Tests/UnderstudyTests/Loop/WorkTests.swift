import Contract
import Foundation
import JSON
import Testing

@testable import Understudy

/// Works are begun and finished by hand here, so that anything can happen in between.
@Suite("Work off the loop")
struct WorkTests {
  private static let seeds: Result<SeedData, any Error> = Result { try SeedData.embedded() }
  private static let target = "/devices/WWM-0001-12"

  private let backend: Backend

  init() throws {
    backend = Backend(seeds: try Self.seeds.get())
    backend.loop = WorkerLoop()
  }

  private func connection(_ requests: String...) -> Connection {
    let connection = Connection(peer: "peer", port: Labels(), backend: backend, timeouts: Timeouts())
    connection.receive(Array(requests.joined().utf8)[...])
    return connection
  }

  private func text(_ connection: Connection) -> String { String(decoding: connection.output.bytes, as: UTF8.self) }

  private func statuses(_ connection: Connection) -> [String] {
    text(connection).components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
  }

  private func finish(_ connection: Connection) throws {
    let work = try #require(connection.takeWork())
    connection.finish(work, work.body())
  }

  /// A body that is read off the loop: it sets the description of a device.
  private func long(_ description: String) -> String {
    "{\"meterPointDescription\":\"\(description)\"\(String(repeating: " ", count: Call.maximumShortBody))}"
  }

  @Test("a long body is read off the loop while others are answered, and what is pipelined behind it comes behind it")
  func longBody() throws {
    let slow = connection(wire("PATCH", Self.target, body: long("Attic")), wire("GET", Self.target))
    #expect(slow.output.bytes.isEmpty)
    #expect(statuses(connection(wire("GET", "/_mock/health"))) == ["200"])
    try finish(slow)
    #expect(statuses(slow) == ["200", "200"])
    #expect(text(slow).contains("Attic"))
  }

  @Test("a write is evaluated again when the state has changed in the meantime, so that neither change is lost")
  func changedMeanwhile() throws {
    let slow = connection(wire("PATCH", Self.target, body: long("Attic")))
    let work = try #require(slow.takeWork())
    let result = work.body()
    let quick = connection(wire("PATCH", "/devices/HEA-5513-39", body: "{\"meterPointDescription\":\"Cellar\"}"))
    #expect(statuses(quick) == ["200"])
    slow.finish(work, result)
    #expect(slow.output.bytes.isEmpty)
    try finish(slow)
    #expect(statuses(slow) == ["200"])
    let list = text(connection(wire("GET", "/devices")))
    #expect(list.contains("Attic") && list.contains("Cellar"))
  }

  @Test("a state that never stops changing does not keep a write waiting for ever")
  func everChanging() throws {
    let slow = connection(wire("PATCH", Self.target, body: long("Attic")))
    var works = 0
    while let work = slow.takeWork(), works < 100 {
      works += 1
      let result = work.body()
      let body = "{\"meterPointDescription\":\"\(works)\"}"
      #expect(statuses(connection(wire("PATCH", "/devices/HEA-5513-39", body: body))) == ["200"])
      slow.finish(work, result)
    }
    #expect(statuses(slow) == ["200"])
    #expect((2...5).contains(works))
  }

  @Test("while a keyed write is worked out, its key is in flight, and afterwards its reply is replayed")
  func keyed() throws {
    let body = long("Attic")
    let first = connection(wire("PATCH", Self.target, "Idempotency-Key: a", body: body))
    let second = connection(wire("PATCH", Self.target, "Idempotency-Key: a", body: body))
    #expect(statuses(second) == ["409"])
    try finish(first)
    #expect(statuses(first) == ["200"])
    let third = connection(wire("PATCH", Self.target, "Idempotency-Key: a", body: body))
    #expect(statuses(third) == ["200"])
    #expect(third.takeWork() == nil)
  }

  @Test("the result for a peer that has gone is dropped, and changes nothing")
  func gone() throws {
    let slow = connection(wire("PATCH", Self.target, body: long("Attic")))
    let work = try #require(slow.takeWork())
    let result = work.body()
    slow.disconnect()
    slow.finish(work, result)
    #expect(!text(connection(wire("GET", Self.target))).contains("Attic"))
  }

  @Test(
    "answers that take long are made off the loop, whatever asks for them",
    arguments: [
      "/_mock/journal", "/_mock/report", "/_mock/report?format=html", "/_mock/history", "/_mock/state",
      "/_mock/sandboxes", "/_mock/scenario", "/_mock/plan?method=GET&path=/devices&count=1000", "/image/Ljerka?1",
    ])
  func longAnswers(target: String) throws {
    // A picture is drawn once a process: this one is of a room that no other test has.
    let path = target.hasPrefix("/image") ? "/image/Away" : target
    if path == "/image/Away" {
      let sandbox = try #require(backend.sandboxes[nil])
      try sandbox.merge(["booking": ["rooms": [["name": "Away", "spots": 1]]]], at: Instant(seconds: 0))
    }
    let slow = connection(wire("GET", path))
    #expect(slow.output.bytes.isEmpty)
    try finish(slow)
    #expect(statuses(slow) == ["200"])
  }

  @Test("a state is patched off the loop, and a sandbox's data read there")
  func longChanges() throws {
    let patch = connection(wire("PATCH", "/_mock/state", body: "{\"house\":{\"temperature\":31}}"))
    try finish(patch)
    #expect(statuses(patch) == ["200"] && text(patch).contains("\"temperature\":31"))
    let made = connection(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"a\",\"data\":{\"devices\":[]}}"))
    try finish(made)
    #expect(statuses(made) == ["201"])
    let wrong = connection(wire("POST", "/_mock/sandboxes", body: "{\"data\":{\"devices\":3}}"))
    try finish(wrong)
    #expect(statuses(wrong) == ["400"])
  }

  @Test("values computed from changes that are rolled back are computed again")
  func takenBack() throws {
    let slow = connection(wire("PATCH", Self.target, body: long("Attic")))
    let work = try #require(slow.takeWork())
    let result = work.body()
    backend.rollbackCount += 1
    slow.finish(work, result)
    #expect(slow.output.bytes.isEmpty)
    try finish(slow)
    #expect(statuses(slow) == ["200"])
  }

  @Test("a drawing server answers others meanwhile, and each picture in the end")
  func pictures() async throws {
    try await withServer { server in
      let rooms = try JSONValue(parsing: exchange(server, wire("GET", "/rooms.json")).body)["rooms"]?.array ?? []
      let clients = try rooms.compactMap { $0["name"]?.string }.map { name in
        let client = try WireConnection(server.port)
        try client.send(wire("GET", "/image/\(name)"))
        return client
      }
      #expect(try exchange(server, wire("GET", "/_mock/health")).status == 200)
      for client in clients { #expect(try client.response().status == 200) }
    }
  }
}
