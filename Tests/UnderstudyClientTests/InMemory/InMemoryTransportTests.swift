import Foundation
import LiveTesting
import Testing
// Imported as by an app, without internal declarations.
import Understudy
import UnderstudyClient
import UnderstudyInMemory

@Suite("A server in memory", .temporaryFiles)
struct InMemoryTransportTests {
  /// Returns a client whose server shares its clock, so that delays take no real time.
  private func client(
    _ scenario: String = "calm", seed: UInt64 = 1, timeout: Duration = .seconds(15)
  ) throws -> (client: BackendClient, transport: InMemoryTransport) {
    let clock = TestClock().clock
    let transport = try InMemoryTransport(scenario: scenario, seed: seed, clock: clock)
    let base = try #require(URL(string: "http://localhost"))
    var configuration = BackendClient.Configuration(Endpoints(base), transport: transport)
    configuration.clock = clock
    configuration.policy.maximumAttempts = 1
    configuration.policy.timeoutPerTry = timeout
    return (BackendClient(configuration), transport)
  }

  private func scenario(_ effect: String, phase: String = "before") -> String {
    #"{"name":"x","rules":[{"phase":"\#(phase)","match":{"changes":true},"effect":\#(effect)}]}"#
  }

  @Test("serves the models of all five apps after one line of setup")
  func models() async throws {
    let client = BackendClient.inMemory()
    let directory = TemporaryFiles.newDirectory()
    let devices = DeviceBoard(client, directory: directory)
    #expect(try await devices.refresh().devices.count == 4)
    try await devices.record(Date(), for: "WWM-0001-12")
    #expect(await devices.syncNow().isEmpty)
    #expect(try await client.devices.get("WWM-0001-12").installationDate != nil)
    let feed = ActivityFeed(client, directory: directory)
    #expect(try await feed.refresh().items.count == 6)
    #expect(await feed.archiveAll().isEmpty)
    let house = HouseController(client, directory: directory, weatherSource: .hot)
    #expect(try await house.refresh().rooms.count == 3)
    #expect(try await house.followWeatherOnce() == .turnOn)
    await house.waitUntilSwitched()
    #expect(await house.state.isOn[Fixture("AC", in: "Bedroom")] == true)
    let chooser = UserChooser(client, directory: directory)
    #expect(try await chooser.choose(ownerID: "3").users.first?.id == 3)
    let board = RoomBoard(client, directory: directory)
    let room = try #require(try await board.refresh().rooms.first?.room)
    try await board.book(room.name, for: "ada")
    #expect(try await board.refresh().rooms.first { $0.id == room.id }?.room.spots == room.spots - 1)
    #expect(try await board.picture(of: room).starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }

  @Test("shares no data with another server")
  func apart() async throws {
    let (one, other) = (BackendClient.inMemory(), BackendClient.inMemory())
    try await one.activities.setArchived(true, for: 7_834)
    #expect(try await other.activities.get(7_834).isArchived == false)
  }

  @Test(
    "applies a write only if the fault comes after the change, and the client reports an unknown outcome",
    arguments: [
      #"{"fault":"reset"}"#, #"{"fault":"empty"}"#, #"{"fault":"hang"}"#, #"{"fault":"truncate","at":"1/2"}"#,
      #"{"fault":"bad-chunk"}"#, #"{"fault":"garbage"}"#, #"{"fault":"captive-portal"}"#, #"{"status":503}"#,
    ])
  func faults(effect: String) async throws {
    for phase in ["before", "after"] {
      let (client, transport) = try client(scenario(effect, phase: phase))
      await #expect {
        try await client.booking.book("Ljerka", key: "k")
      } throws: { error in
        guard case RequestError.unknown = error else { return false }
        return true
      }
      try await transport.setScenario("calm")
      let spots = try await client.booking.rooms().value.first?.spots
      #expect(spots == (phase == "after" ? 42 : 43), "\(phase)")
    }
  }

  @Test("ends the exchange of a response that cannot be read, though the server would send more")
  func unreadable() async throws {
    let rules = #"[{"effect":{"fault":"bad-chunk"}},{"effect":{"pace":{"bytesPerSecond":1000}}}]"#
    for seed in UInt64(1)...6 {
      let (client, transport) = try client(#"{"name":"x","rules":\#(rules)}"#, seed: seed)
      await #expect(throws: RequestError.self) { try await client.users.list() }
      let url = try url("http://localhost/_mock/journal")
      let journal = try await transport.send(TransportRequest(method: "GET", url: url), timeout: .seconds(5))
      let text = String(decoding: journal.body, as: UTF8.self)
      #expect(text.contains("\"outcome\"") && !text.contains("\"pending\""), "seed \(seed): \(text)")
    }
  }

  @Test("delays responses by the transport's clock, and a call with a shorter timeout fails")
  func delay() async throws {
    let slow = scenario(#"{"latency":"3s"}"#)
    let patient = try client(slow, timeout: .seconds(4)).client
    let before = patient.configuration.clock.elapsed()
    try await patient.booking.book("Ljerka", key: "k")
    #expect(patient.configuration.clock.elapsed() - before >= .seconds(3))
    await #expect(throws: RequestError.unknown(.timedOut)) {
      try await client(slow, timeout: .seconds(2)).client.booking.book("Ljerka", key: "k")
    }
  }

  @Test("injects equal faults for equal seeds")
  func seeds() async throws {
    func outcomes(_ seed: UInt64) async throws -> [Bool] {
      let client = try client("mayhem", seed: seed).client
      var outcomes: [Bool] = []
      for _ in 0..<30 { outcomes.append((try? await client.users.get(1)) != nil) }
      return outcomes
    }
    let (one, again, other) = (try await outcomes(1), try await outcomes(1), try await outcomes(2))
    #expect(one == again && one != other && one.contains(true) && one.contains(false))
  }

  @Test("answers at the real services' addresses, and has the control API")
  func addresses() async throws {
    let transport = try InMemoryTransport()
    let upstream = BackendClient(.init(try #require(Endpoints.upstream), transport: transport))
    #expect(try await upstream.devices.list().count == 4)
    #expect(try await upstream.users.list().users.count == 10)
    #expect(try await upstream.booking.rooms().value.count == 8)
    let url = try #require(URL(string: "http://localhost/_mock/journal?limit=10"))
    let journal = try await transport.send(TransportRequest(method: "GET", url: url), timeout: .seconds(5))
    #expect(journal.status == 200 && String(decoding: journal.body, as: UTF8.self).contains("/users"))
  }

  @Test("gets no request while the transport is offline")
  func offline() async throws {
    let (client, transport) = try client()
    await transport.setOnline(false)
    await #expect(throws: RequestError.notSent(.offline)) { try await client.devices.list() }
    await transport.setOnline(true)
    #expect(try await client.devices.list().count == 4)
  }

  @Test("refuses an unknown or invalid scenario")
  func badScenario() async throws {
    #expect(throws: StartError.self) { try InMemoryTransport(scenario: "no such scenario") }
    #expect(throws: StartError.self) { try InMemoryTransport(scenario: #"{"name":"x","rules":[{"effect":{}}]}"#) }
    await #expect(throws: StartError.self) { try await InMemoryTransport().setScenario("no such scenario") }
  }

  @Test("ends a cancelled call at once")
  func cancelled() async throws {
    let transport = try InMemoryTransport(scenario: scenario(#"{"fault":"hang"}"#))
    let client = BackendClient(.init(Endpoints(try #require(URL(string: "http://localhost"))), transport: transport))
    let task = Task { try await client.booking.book("Ljerka", key: "k") }
    // The task has either not begun, or waits for a response that never comes.
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
  }

  @Test("ends a running request and an open stream at once when the network is switched off", .timeLimit(.minutes(10)))
  func lostNetwork() async throws {
    let clock = VirtualClock(advancesBySleeping: false)
    let transport = try InMemoryTransport(scenario: scenario(#"{"latency":"30s"}"#), clock: ClientClock(clock))
    let (request, stream) = try (url("http://localhost/activities/7834"), url("http://localhost/rooms/stream"))
    let events = try await transport.open(TransportRequest(method: "GET", url: stream), timeout: .seconds(5)).body
    let reading = Task { for try await _ in events {} }
    let body = Data(#"{"is_archived":true}"#.utf8)
    let running = Task {
      try await transport.send(TransportRequest(method: "POST", url: request, body: body), timeout: .seconds(60))
    }
    await clock.waitForSleepers(2)
    await transport.setOnline(false)
    await #expect(throws: TransportFailure.lost(.offline)) { try await running.value }
    await #expect(throws: TransportFailure.lost(.offline)) { try await reading.value }
  }

  @Test("an open stream goes on without other requests: heartbeats arrive, and rivals appear", .timeLimit(.minutes(10)))
  func streamByItself() async throws {
    let rule = #"{"name":"colleagues","match":{"api":"booking"},"effect":{"rivals":{"every":"20s"}}}"#
    let (_, transport) = try client(#"{"name":"x","rules":[\#(rule)]}"#)
    let stream = try await transport.open(
      TransportRequest(method: "GET", url: try url("http://localhost/rooms/stream")), timeout: .seconds(5))
    var text = ""
    for try await piece in stream.body {
      text += String(decoding: piece, as: UTF8.self)
      if text.contains("\n:\n\n"), text.ranges(of: "event: rooms\n").count > 2 { break }
    }
    #expect(text.contains("\n:\n\n") && text.ranges(of: "event: rooms\n").count > 2, "the stream ended by itself")
  }

  @Test("an open stream lives for as long as heartbeats arrive", .timeLimit(.minutes(10)))
  func heartbeats() async throws {
    let (clock, url) = (TestClock(), try url("http://localhost/rooms/stream"))
    let transport = try InMemoryTransport(clock: clock.clock)
    let start = clock.clock.elapsed()
    let stream = try await transport.open(TransportRequest(method: "GET", url: url), timeout: .seconds(5))
    var text = ""
    for try await piece in stream.body {
      text += String(decoding: piece, as: UTF8.self)
      if text.ranges(of: "\n:\n\n").count == 9 { break }
    }
    #expect(text.ranges(of: "\n:\n\n").count == 9, "the stream ended by itself")
    #expect(clock.clock.elapsed() - start >= .seconds(120))
  }

  @Test("the journal says of a request that timed out that its client had gone")
  func timedOut() async throws {
    let (client, transport) = try client(
      #"{"name":"x","rules":[{"match":{"path":"/devices"},"effect":{"fault":"hang"}}]}"#, timeout: .seconds(2))
    await #expect(throws: RequestError.unanswered(.timedOut)) { try await client.devices.list() }
    let url = try #require(URL(string: "http://localhost/_mock/journal"))
    let journal = try await transport.send(TransportRequest(method: "GET", url: url), timeout: .seconds(5))
    #expect(String(decoding: journal.body, as: UTF8.self).contains(#""outcome":"peer gone""#))
  }

  @Test("a stream that a fault silences behind an event goes on by itself when the silence is over")
  func silencedStream() async throws {
    let rule = #"{"match":{"path":"/rooms/stream"},"effect":{"fault":"stall","events":1,"for":"20s","then":"reset"}}"#
    let (_, transport) = try client(#"{"name":"x","rules":[\#(rule)]}"#)
    let url = try #require(URL(string: "http://localhost/rooms/stream"))
    let stream = try await transport.open(TransportRequest(method: "GET", url: url), timeout: .seconds(5))
    var text = ""
    await #expect(throws: TransportFailure.lost(.connectionLost("The connection was reset."))) {
      for try await piece in stream.body { text += String(decoding: piece, as: UTF8.self) }
    }
    #expect(text.ranges(of: "event: rooms\n").count == 1)
  }
}
