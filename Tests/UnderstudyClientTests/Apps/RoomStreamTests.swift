import Foundation
import JSON
import LiveTesting
import Testing
import UnderstudyInMemory

@testable import UnderstudyClient

@Suite("A board that follows the stream of rooms", .temporaryFiles)
struct RoomStreamTests {
  private struct House {
    let board: RoomBoard
    let client: BackendClient
    let transport: InMemoryTransport

    init(_ scenario: String = "calm") throws {
      let clock = TestClock()
      transport = try InMemoryTransport(scenario: scenario, clock: clock.clock)
      let endpoints = Endpoints(try url("http://localhost"))
      client = try BackendClient.scripted(transport, clock) { $0.endpoints = endpoints }
      board = RoomBoard(client, .memory())
    }

    /// The `Last-Event-ID` of each request for the stream.
    func resumptions() async throws -> [String?] {
      let request = TransportRequest(method: "GET", url: try url("http://localhost/_mock/journal"))
      let journal = try JSONValue(parsing: Array(await transport.send(request, timeout: .seconds(5)).body))
      return (journal["entries"]?.array ?? []).filter { $0["path"]?.string == "/rooms/stream" }
        .map { $0["request"]?["headers"]?["Last-Event-ID"]?.string }
    }
  }

  private func spots(_ state: ModelState<RoomList>) -> Int? { state.rooms.first { $0.id == "Ljerka" }?.room.spots }

  @Test("shows each change without another request, and its own booking once")
  func changes() async throws {
    let house = try House()
    let following = Task { await house.board.follow() }
    defer { following.cancel() }
    for await state in await house.board.updates() where spots(state) == 43 { break }
    try await house.client.booking.book("Ljerka", key: "another device")
    for await state in await house.board.updates() where spots(state) == 42 { break }
    try await house.board.book("Ljerka", for: "ada")
    for await state in await house.board.updates() where spots(state) == 41 { break }
    try await house.client.booking.book("Mina", key: "another booking")
    for await state in await house.board.updates() where state.rooms.first(where: { $0.id == "Mina" })?.room.spots == 38
    {
      #expect(spots(state) == 41)
      break
    }
    #expect(try await house.resumptions() == [nil])
  }

  @Test("resumes a cut stream after the last received event, and misses no change")
  func resumed() async throws {
    let house = try House(
      #"{"name":"cut","rules":[{"match":{"path":"/rooms/stream"},"effect":{"fault":"truncate","events":1}}]}"#)
    let following = Task { await house.board.follow() }
    defer { following.cancel() }
    for expected in stride(from: 43, to: 38, by: -1) {
      for await state in await house.board.updates() where spots(state) == expected { break }
      try await house.client.booking.book("Ljerka", key: "\(expected)")
    }
    let resumptions = try await house.resumptions()
    #expect(resumptions.count >= 5 && resumptions.first == .some(nil))
    #expect(resumptions.dropFirst().allSatisfy { $0 != nil })
  }

  @Test("shows the reason while offline, and the rooms when the network is back")
  func offline() async throws {
    let house = try House()
    await house.transport.setOnline(false)
    let following = Task { await house.board.follow() }
    defer { following.cancel() }
    for await state in await house.board.updates() where state.failure == .notSent(.offline) { break }
    await house.transport.setOnline(true)
    for await state in await house.board.updates() where spots(state) == 43 {
      #expect(state.failure == nil)
      break
    }
  }

  @Test("opens the stream again after a captive portal's page")
  func portal() async throws {
    let house = try House(
      #"{"name":"x","rules":[{"match":{"path":"/rooms/stream"},"when":{"first":1},"effect":{"fault":"captive-portal"}}]}"#
    )
    let following = Task { await house.board.follow() }
    defer { following.cancel() }
    for await state in await house.board.updates() where spots(state) == 43 { break }
    #expect(try await house.resumptions().count == 2)
  }

  @Test("gets each event from URLSession as it arrives")
  func live() async throws {
    let sandbox = try await LiveSandbox()
    let board = RoomBoard(BackendClient(sandbox.url), directory: TemporaryFiles.newDirectory())
    let following = Task { await board.follow() }
    defer { following.cancel() }
    for await state in await board.updates() where spots(state) == 43 { break }
    try await BackendClient(sandbox.url).booking.book("Ljerka", key: "another device")
    for await state in await board.updates() where spots(state) == 42 { break }
    let entries = try await sandbox.control("GET", "journal")["entries"]?.array ?? []
    #expect(entries.count { $0["path"]?.string?.hasPrefix("/rooms") == true } == 1)
  }
}
