import Foundation
import LiveTesting
import Testing
import Understudy
// Both libraries are imported as by an app's tests, without internal declarations.
import UnderstudyClient

/// An app's tests with the server in their own process.
@Suite(.temporaryFiles) struct InstallationTests {
  static let server = Task { try await MockServer.start(.patient) }

  @Test func aLostReplyLosesNoInstallation() async throws {
    let tunnel =
      #"{"name": "tunnel", "rules": [{"when": {"first": 1}, "phase": "after", "effect": {"fault": "reset"}}]}"#
    let backend = try await Self.server.value.makeSandbox(scenario: tunnel)
    let client = BackendClient(try #require(URL(string: backend.url)))

    let file = try TemporaryFiles.newFile()
    let outbox = DeviceOutbox(client, file: file)
    for device in try await client.devices.list() { try await outbox.record(Date(), for: device.id) }
    for await event in await outbox.sync() {
      if case .finished(let deviceID, let outcome, _, _) = event { print(deviceID, outcome) }
    }

    #expect(try await client.devices.list().allSatisfy { $0.installationDate != nil })
    #expect(await backend.report().failedChecks == [])
  }

  @Test func aFullRoomIsSaidToBeFull() async throws {
    let backend = try await Self.server.value.makeSandbox()
    let client = BackendClient(try #require(URL(string: backend.url)))
    var message = "Booked"
    do {
      try await client.booking.book("Alexis", key: UUID().uuidString)
    } catch let error as RequestError {
      switch error {
      case .rejected(let rejection): message = rejection.title
      case .notSent: message = "Nothing was booked: try again when there is a network"
      case .unknown: message = "It may be booked: look before you book again"
      case .unanswered: message = "There was no usable reply"
      }
    }
    #expect(message == "The room is full")
  }
}

@Suite("A sandbox made in process")
struct EmbeddingTests {
  private func client(_ url: String) throws -> BackendClient { BackendClient(try #require(URL(string: url))) }

  @Test("has data of its own")
  func isApart() async throws {
    try await withServer { server in
      let (one, other) = (try await server.makeSandbox(), try await server.makeSandbox())
      let device = try #require(try await client(one.url).devices.list().first)
      try await client(one.url).devices.update(
        device.id, with: DeviceChange(installationDate: .installed(SentDate(Date()))))
      #expect(try await client(one.url).devices.get(device.id).installationDate != nil)
      #expect(try await client(other.url).devices.get(device.id).installationDate == nil)
    }
  }

  @Test("has the requested name, scenario, seed and data")
  func takesWhatIsAskedFor() async throws {
    try await withServer { server in
      let data =
        #"{"devices": [{"id": "A", "type": "heating", "meterPointDescription": "Hall", "installationDate": null}]}"#
      let backend = try await server.makeSandbox(named: "ci-42", scenario: "lost-ack", seed: 7, data: data)
      #expect(backend.name == "ci-42")
      #expect(backend.url == server.url + "/@ci-42")
      #expect(try await client(backend.url).devices.list().map(\.id) == ["A"])
      let described = try await text(server.url + "/_mock/sandboxes/ci-42")
      #expect(described.contains(#""scenario":"lost-ack","seed":7"#))
    }
  }

  @Test("accepts a scenario as JSON")
  func takesAScenario() async throws {
    try await withServer { server in
      let scenario = #"{"name": "no stairs", "rules": [{"name": "gone", "effect": {"status": 410}}]}"#
      let backend = try await server.makeSandbox(scenario: scenario)
      await #expect(throws: RequestError.self) { try await client(backend.url).devices.list() }
    }
  }

  @Test("has the address of each API")
  func saysAddresses() async throws {
    try await withServer { server in
      let backend = try await server.makeSandbox()
      #expect(backend.urls.keys.sorted() == ["activities", "booking", "devices", "house", "users"])
      let rooms = try await text(try #require(backend.urls["booking"]) + "/rooms")
      #expect(rooms.contains("Ljerka"))
    }
  }

  @Test("does not reuse the name of a deleted one")
  func namesAreNotUsedAgain() async throws {
    try await withServer { server in
      let first = try await server.makeSandbox()
      await first.delete()
      let second = try await server.makeSandbox()
      #expect(first.name != second.name)
      #expect(try await status(first.url + "/devices") == 404)
    }
  }

  @Test(
    "is refused with a reason",
    arguments: [
      (
        scenario: "rainy" as String?, seed: nil as UInt64?, data: nil as String?,
        words: "/scenario: there is no scenario"
      ),
      (scenario: "{", seed: nil, data: nil, words: "scenario is not JSON: at byte 1"),
      (scenario: nil, seed: UInt64.max, data: nil, words: "too large"),
      (scenario: nil, seed: nil, data: #"{"meters": []}"#, words: "meters"),
    ])
  func isRefused(scenario: String?, seed: UInt64?, data: String?, words: String) async throws {
    try await withServer { server in
      do {
        let made = try await server.makeSandbox(scenario: scenario, seed: seed, data: data)
        Issue.record("\(made.name) was made")
      } catch let error as SandboxError {
        #expect(error.description.contains(words), "\(error)")
      }
    }
  }

  @Test("cannot have the name of another")
  func nameIsTaken() async throws {
    try await withServer { server in
      _ = try await server.makeSandbox(named: "ci-42")
      do {
        _ = try await server.makeSandbox(named: "ci-42")
        Issue.record("the name was given twice")
      } catch SandboxError.nameTaken {
      }
    }
  }

  @Test("is refused by a stopped server with an error")
  func stoppedServer() async throws {
    let server = try await MockServer.start(.patient)
    await server.stop()
    do {
      _ = try await server.makeSandbox()
      Issue.record("a sandbox was made")
    } catch .notRunning {
    }
    #expect(await server.report().worst == .notExercised)
  }

  @Test("has a report card of its own")
  func ownReport() async throws {
    try await withServer { server in
      let (careless, idle) = (try await server.makeSandbox(scenario: "lost-ack"), try await server.makeSandbox())
      for _ in 1...3 { _ = try? await status(careless.url + "/book", posting: #"{"name": "Mina"}"#) }
      #expect(await careless.report().worst > .notExercised)
      #expect(await idle.report().worst == .notExercised)
    }
  }

  private func text(_ address: String) async throws -> String {
    let request = TransportRequest(method: "GET", url: try #require(URL(string: address)))
    return String(decoding: try await URLSessionTransport().send(request, timeout: Patience.limit).body, as: UTF8.self)
  }

  private func status(_ address: String, posting body: String? = nil) async throws -> Int {
    let request = TransportRequest(
      method: body == nil ? "GET" : "POST", url: try #require(URL(string: address)),
      headers: ["Content-Type": "application/json"], body: body.map { Data($0.utf8) })
    return try await URLSessionTransport().send(request, timeout: Patience.limit).status
  }
}
