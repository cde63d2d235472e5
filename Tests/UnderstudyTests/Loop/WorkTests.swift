import Contract
import Foundation
import HTTP1
import JSON
import LiveTesting
import Primitives
import Services
import Testing

@testable import Understudy

/// The tests begin and finish jobs themselves, so that other events can happen in between.
@Suite("Work off the loop")
struct WorkTests {
  private static let seeds: Result<SeedData, any Error> = Result { try SeedData.embedded() }
  private static let target = "/devices/WWM-0001-12"

  private let application: Application

  init() throws {
    application = Application(seeds: try Self.seeds.get())
    application.state.loop = WorkerLoop()
  }

  private func connection(_ requests: String...) -> HeldConnection {
    let connection = HeldConnection(peer: "peer", port: Labels(), application: application, timeouts: Timeouts())
    connection.receive(Array(requests.joined().utf8)[...])
    return connection
  }

  private func text(_ connection: HeldConnection) -> String { String(decoding: connection.output.bytes, as: UTF8.self) }

  private func statuses(_ connection: HeldConnection) -> [String] {
    text(connection).components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
  }

  private func finish(_ connection: HeldConnection) throws {
    let work = try #require(connection.takeWork())
    connection.finish(work, try #require(work.run()))
  }

  /// Finishes all works of a request one after another, such as the digest of a long body and then its evaluation.
  private func finishAll(_ connection: HeldConnection) throws {
    while let work = connection.takeWork() { connection.finish(work, try #require(work.run())) }
  }

  /// A body that is read off the loop: it sets the description of a device.
  private func long(_ description: String) -> String {
    "{\"meterPointDescription\":\"\(description)\"\(String(repeating: " ", count: Call.maximumShortBody))}"
  }

  @Test("a long body is parsed off the loop while other connections are served, and pipelined responses follow it")
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
    let result = try #require(work.run())
    let quick = connection(wire("PATCH", "/devices/HEA-5513-39", body: "{\"meterPointDescription\":\"Cellar\"}"))
    #expect(statuses(quick) == ["200"])
    slow.finish(work, result)
    #expect(slow.output.bytes.isEmpty)
    try finish(slow)
    #expect(statuses(slow) == ["200"])
    let list = text(connection(wire("GET", "/devices")))
    #expect(list.contains("Attic") && list.contains("Cellar"))
  }

  @Test("a write is applied in the end, even if the state changes during each evaluation")
  func everChanging() throws {
    let slow = connection(wire("PATCH", Self.target, body: long("Attic")))
    var works = 0
    while let work = slow.takeWork(), works < 100 {
      works += 1
      let result = try #require(work.run())
      let body = "{\"meterPointDescription\":\"\(works)\"}"
      #expect(statuses(connection(wire("PATCH", "/devices/HEA-5513-39", body: body))) == ["200"])
      slow.finish(work, result)
    }
    #expect(statuses(slow) == ["200"])
    #expect(works == Performance.maximumEvaluations, "the loop does the last one itself")
  }

  @Test("the key of a write is in flight during its evaluation, and afterwards gets the stored response")
  func keyed() throws {
    let body = long("Attic")
    let first = connection(wire("PATCH", Self.target, "Idempotency-Key: a", body: body))
    let second = connection(wire("PATCH", Self.target, "Idempotency-Key: a", body: body))
    #expect(statuses(second) == ["409"])
    try finishAll(first)
    #expect(statuses(first) == ["200"])
    let third = connection(wire("PATCH", Self.target, "Idempotency-Key: a", body: body))
    try finish(third)
    #expect(statuses(third) == ["200"], "its digest is the only work")
    #expect(application.state.sandboxes[nil]?.state.store.version == 1)
  }

  @Test("a long write that is repeated under its key is judged as one write")
  func judgedAsOne() throws {
    let body = long("Attic")
    for _ in 0..<2 { try finishAll(connection(wire("PATCH", Self.target, "Idempotency-Key: a", body: body))) }
    let report = connection(wire("GET", "/_mock/report"))
    try finish(report)
    #expect(text(report).contains("1 key stood for one write each."))
  }

  @Test("the digest of a long body under a key is made off the loop, once")
  func digest() throws {
    let body = String(repeating: " ", count: Call.maximumShortBody) + "{\"name\":\"Ljerka\"}"
    for works in [2, 1] {
      let booking = connection(wire("POST", "/book", "Idempotency-Key: long", body: body))
      for _ in 0..<works { try finish(booking) }
      #expect(booking.takeWork() == nil)
      #expect(statuses(booking) == ["200"])
    }
    let sandbox = try #require(application.state.sandboxes[nil])
    #expect(sandbox.state.store.version == 1, "the second is a replay")
  }

  @Test("a long query is evaluated off the loop, also for a few users")
  func longQuery() throws {
    let short = connection(wire("GET", "/users?name_like=a&_sort=name"))
    #expect(statuses(short) == ["200"])
    let filters = (0..<400).map { "name_like=a\($0)" }.joined(separator: "&")
    let sorted = (0..<200).map { "name\($0)" }.joined(separator: ",")
    for query in [filters, "_sort=" + sorted] {
      let long = connection(wire("GET", "/users?" + query))
      #expect(long.output.bytes.isEmpty)
      try finish(long)
      #expect(statuses(long) == ["200"])
    }
  }

  @Test("the result for a peer that has left is dropped, and changes nothing")
  func gone() throws {
    let slow = connection(wire("PATCH", Self.target, body: long("Attic")))
    let work = try #require(slow.takeWork())
    let result = try #require(work.run())
    slow.disconnect()
    slow.finish(work, result)
    #expect(!text(connection(wire("GET", Self.target))).contains("Attic"))
  }

  @Test(
    "long responses are computed off the loop",
    arguments: [
      "/_mock/journal", "/_mock/report", "/_mock/report?format=html", "/_mock/state",
      "/_mock/plan?method=GET&path=/devices&count=1000",
    ])
  func longAnswers(target: String) throws {
    let slow = connection(wire("GET", target))
    #expect(slow.output.bytes.isEmpty)
    try finish(slow)
    #expect(statuses(slow) == ["200"])
  }

  @Test(
    "a long body is parsed off the loop, whatever the control API is asked for",
    arguments: ["/_mock/clock", "/_mock/network", "/_mock/state", "/_mock/scenario"])
  func longControlBody(target: String) throws {
    let body = "{\"unknown\":\"\(String(repeating: "x", count: Call.maximumShortBody))\"}"
    let slow = connection(wire("PATCH", target, body: body))
    #expect(slow.output.bytes.isEmpty)
    try finish(slow)
    #expect(statuses(slow) == ["400"])
  }

  /// A body for a new sandbox that is read off the loop.
  private func long(sandbox members: String) -> String {
    "{\(members)\(String(repeating: " ", count: Call.maximumShortBody))}"
  }

  @Test("a patch of the state and a sandbox's long data are evaluated off the loop")
  func longChanges() throws {
    let patch = connection(wire("PATCH", "/_mock/state", body: "{\"house\":{\"temperature\":31}}"))
    try finish(patch)
    #expect(statuses(patch) == ["200"] && text(patch).contains("\"temperature\":31"))
    let made = connection(
      wire("POST", "/_mock/sandboxes", body: long(sandbox: "\"name\":\"a\",\"data\":{\"devices\":[]}")))
    try finish(made)
    #expect(statuses(made) == ["201"])
    #expect(text(connection(wire("GET", "/@a/devices"))).hasSuffix("\r\n\r\n[]"), "it begins with its own data")
    let wrong = connection(wire("POST", "/_mock/sandboxes", body: long(sandbox: "\"data\":{\"devices\":3}")))
    try finish(wrong)
    #expect(statuses(wrong) == ["400"])
  }

  @Test("an error in the scenario of a new sandbox has a pointer from the root of the body")
  func scenarioErrors() throws {
    let wrong = connection(wire("POST", "/_mock/sandboxes", body: "{\"scenario\":{\"name\":\"n\",\"rules\":3}}"))
    #expect(statuses(wrong) == ["400"] && text(wrong).contains("\"/scenario/rules\""), "\(text(wrong))")
  }

  @Test("a sandbox that is made while the server's data changes has the new data")
  func changedData() throws {
    let made = connection(wire("POST", "/_mock/sandboxes", body: long(sandbox: "\"name\":\"a\"")))
    let work = try #require(made.takeWork())
    let result = try #require(work.run())
    var changed = try Self.seeds.get().merging(["devices": []])
    changed.number += 1
    application.state.seeds = changed
    made.finish(work, result)
    try finish(made)
    #expect(statuses(made) == ["201"])
    let devices = connection(wire("GET", "/@a/devices"))
    #expect(statuses(devices) == ["200"] && text(devices).hasSuffix("[]"), "\(text(devices))")
  }

  @Test("a long write that waits for its result while its sandbox is reset does nothing")
  func resetMeanwhile() throws {
    let slow = connection(wire("PATCH", Self.target, body: long("Attic")))
    let work = try #require(slow.takeWork())
    #expect(statuses(connection(wire("POST", "/_mock/reset"))) == ["204"])
    slow.finish(work, try #require(work.run()))
    #expect(statuses(slow) == ["409"])
    #expect(!text(connection(wire("GET", Self.target))).contains("Attic"))
  }

  @Test("a long write that is refused for its length while it waits for its result does nothing")
  func refusedMeanwhile() throws {
    let slow = connection(wire("PATCH", Self.target, body: long("Attic")))
    let work = try #require(slow.takeWork())
    slow.refuseRequest()
    slow.finish(work, try #require(work.run()))
    #expect(statuses(slow) == ["503"] && text(slow).contains("too-much-content"))
    #expect(!text(connection(wire("GET", Self.target))).contains("Attic"))
  }

  @Test("a request to the control API can be refused while its response is computed, also while responses are held")
  func refusedControl() throws {
    #expect(statuses(connection(wire("PATCH", "/_mock/network", body: #"{"state":"held"}"#))) == ["200"])
    let slow = connection(wire("GET", "/_mock/journal"))
    _ = try #require(slow.takeWork())
    slow.refuseRequest()
    #expect(statuses(slow) == ["503"])
  }

  @Test("a result that was computed before a rollback is computed again")
  func takenBack() throws {
    let slow = connection(wire("PATCH", Self.target, body: long("Attic")))
    let work = try #require(slow.takeWork())
    let result = try #require(work.run())
    application.state.rollbackCount += 1
    slow.finish(work, result)
    #expect(slow.output.bytes.isEmpty)
    try finish(slow)
    #expect(statuses(slow) == ["200"])
  }
}
