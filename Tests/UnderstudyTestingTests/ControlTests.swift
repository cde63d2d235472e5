import Foundation
import HTTP1
import JSON
import LiveTesting
import Testing
import Understudy
import UnderstudyTesting

@Suite("A backend's controls", .understudy())
struct ControlTests {
  @Test("read the data as typed values, and write back only the changes")
  func typedState() async throws {
    let backend = try Backend.current
    let before = try await backend.state()
    try await backend.updateState { state in
      state.house.temperature = 31
      state.devices.removeLast()
      state.activities[0].isArchived = true
      state.users[0].name = "Ada"
      state.booking.rooms.append(.init(name: "Nook", spots: 1))
    }
    let after = try await backend.state()
    #expect(after.house.temperature == 31 && after.house.rooms == before.house.rooms)
    #expect(after.devices == before.devices.dropLast())
    #expect(after.activities[0].isArchived && after.activities.dropFirst() == before.activities.dropFirst())
    #expect(after.users[0].name == "Ada" && after.users.dropFirst() == before.users.dropFirst())
    #expect(after.booking.rooms.last == .init(name: "Nook", spots: 1))
  }

  @Test("read the data as JSON or as the caller's types, and merge a patch")
  func rawState() async throws {
    struct House: Codable { var temperature: Int }
    let backend = try Backend.current
    try await backend.mergeState(Data(#"{"house": {"temperature": 3}}"#.utf8))
    #expect(try await backend.state(of: .house, as: House.self).temperature == 3)
    try await backend.setState(of: .house, to: House(temperature: 4))
    #expect(String(decoding: try await backend.stateJSON(), as: UTF8.self).contains(#""temperature":4"#))
  }

  @Test("report which member of the data is invalid")
  func wrongState() async throws {
    let error = await #expect(throws: BackendError.self) {
      try await Backend.current.mergeState(Data(#"{"house": {"temperature": "hot"}}"#.utf8))
    }
    let sentence = try #require(error).description
    #expect(sentence.hasPrefix("The server refused the request with 400: /house/temperature: "), "\(sentence)")
  }

  @Test("freeze, advance and resume the clock")
  func clock() async throws {
    let clock = try Backend.current.clock
    try await clock.freeze()
    let start = try await clock.now()
    try await clock.advance(by: .seconds(90))
    #expect(try await clock.now().timeIntervalSince(start) == 90)
    try await clock.resume()
    #expect(try await clock.now() >= start + 90)
  }

  @Test("give the next request a fault by hand, beside the scenario, and show the response that was sent")
  func failNext() async throws {
    let backend = try Backend.current
    let app = App(backend: backend)
    try await backend.setScenario(.calm, seed: 3)
    try await backend.failNext(.get, "/users/*", .drift)
    try await app.get("/devices")
    for id in 1...2 { try await app.get("/users/\(id)") }
    let (drifted, whole) = (
      try await backend.next(.get, "/users/1", within: Patience.limit),
      try await backend.next(.get, "/users/2", within: Patience.limit)
    )
    #expect(drifted.plan?.hasPrefix("drift: ") == true && drifted.responseBody?.isEmpty == false)
    #expect(whole.plan == nil && whole.responseBody == nil)
    #expect(try await backend.scenario() == ("calm", 3))
    try await backend.failEach(.get, "/users/*", .status(500))
    for id in 3...4 { await #expect(throws: BackendError.self) { try await app.get("/users/\(id)") } }
    try await backend.removeFaults()
    try await app.get("/users/5")
    try await backend.failNext(.post, "/book", .status(500), phase: .after, count: 2)
    await #expect(throws: BackendError.self) { try await app.book("Mina") }
    #expect(try await backend.next(.post, "/book", within: Patience.limit).isApplied)
    try await app.get("/@booking/rooms")
  }

  @Test("replace the scenario and the seed")
  func scenario() async throws {
    let backend = try Backend.current
    try await backend.setScenario(Scenario("gone") { Rule(.status(410)) }, seed: 3)
    #expect(try await backend.scenario() == ("gone", 3))
    await #expect(throws: BackendError.self) { try await App(backend: backend).get("/users") }
    try await backend.setScenario(.calm)
    try await App(backend: backend).get("/devices")
  }

  @Test("take and restore snapshots, and reset")
  func snapshots() async throws {
    let backend = try Backend.current
    try await backend.takeSnapshot("before")
    try await App(backend: backend).book("Mina")
    let changed = try await backend.state().booking
    try await backend.restoreSnapshot("before")
    #expect(try await backend.state().booking != changed)
    try await App(backend: backend).book("Mina")
    #expect(try await backend.requests(.post, "/book").count == 2)
    try await backend.reset()
    #expect(try await backend.state().booking != changed)
    #expect(try await backend.requests(.post, "/book").isEmpty)
  }

  @Test("return the environment variables for an app's launch")
  func launchEnvironment() throws {
    let backend = try Backend.current
    let variables = backend.launchEnvironment(naming: ["WEATHER_BASE": .house])
    #expect(variables["UNDERSTUDY_URL"] == backend.url.absoluteString)
    #expect(variables["UNDERSTUDY_BOOKING_URL"] == backend.url(of: .booking).absoluteString)
    #expect(variables["WEATHER_BASE"] == backend.url.absoluteString + "/@house")
    #expect(variables.count == 7)
  }
}

@Suite("A backend by URL")
struct RemoteTests {
  @Test("is the in-process backend that is served at the URL")
  func attaches() async throws {
    let backend = try await Backend.start(named: "shared-by-two")
    let remote = try await Backend.attach(to: backend.url)
    #expect(remote.name == backend.name && remote.urls == backend.urls)
    let byAPI = try await Backend.attach(to: backend.url(of: .devices))
    #expect(byAPI.name == backend.name)
    try await App(backend: backend).install("WWM-0001-12")
    #expect(try await remote.next(.patch, "/devices/*", within: Patience.limit).isApplied)
    try await remote.delete()
    await #expect(throws: BackendError.self) { try await backend.report() }
  }

  @Test("is found by its own port")
  func ownPort() async throws {
    let backend = try await Backend.start(ownPort: true)
    #expect(backend.url.path == "")
    #expect(try await Backend.attach(to: backend.url).name == backend.name)
    try await App(backend: backend).get("/devices")
    try await backend.delete()
  }

  @Test("is refused after it was deleted, whether it has a label or a port", arguments: [false, true])
  func refusesDeleted(hasPort: Bool) async throws {
    let backend = try await Backend.start(ownPort: hasPort)
    try await backend.delete()
    await #expect(throws: BackendError.self) { try await Backend.attach(to: backend.url) }
  }

  @Test("is created on another server with its token")
  func withToken() async throws {
    var options = MockServer.Options()
    options.adminToken = "secret"
    options.timeouts = .patient
    let server = try await MockServer.start(options)
    let url = try #require(URL(string: server.url))
    let backend = try await Backend.start(.lostAck, seed: 9, on: .at(url, token: "secret"))
    #expect(try await backend.scenario() == ("lost-ack", 9))
    #expect(try await Backend.attach(to: url, token: "secret").name == "default")
    let refusal = await #expect(throws: BackendError.self) { try await Backend.start(on: .at(url, token: "wrong")) }
    #expect("\(try #require(refusal))".contains("401"))
    await server.stop()
    let absence = await #expect(throws: BackendError.self) { try await backend.report() as ReportCard }
    #expect("\(try #require(absence))".hasPrefix("No server answers at 127.0.0.1"))
  }

  @Test("is told that what it gets is JSON", .live)
  func mediaType() async throws {
    let listener = try BoundListener()
    defer { listener.shut() }
    let head = Observed("")
    listener.serve { link in
      link.receive()
      head.withLock { $0 = String(decoding: link.received, as: UTF8.self) }
    }
    let url = try #require(URL(string: "http://127.0.0.1:\(listener.port)"))
    await #expect(throws: BackendError.self) { try await Backend.start(on: .at(url)) }
    let sent = head.withLock { $0 }
    #expect(sent.contains("\r\nContent-Type: application/json\r\n"), "\(sent)")
  }

  @Test(
    "is refused for an address that is not a server's", arguments: ["https://localhost:1", "localhost:1", "/devices"])
  func refusesAddresses(address: String) async throws {
    let url = try #require(URL(string: address))
    await #expect(throws: BackendError.self) { try await Backend.start(on: .at(url)) }
  }
}
