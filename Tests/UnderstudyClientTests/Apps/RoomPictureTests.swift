import Foundation
import Testing

@testable import UnderstudyClient

@Suite("The pictures of rooms")
struct RoomPictureTests {
  private static let picture = Data([0xFF, 0xD8, 0xFF]) + Data((0..<1_000).map { UInt8($0 & 0xFF) })

  private static func host(lost: Set<Int> = []) -> ScriptedTransport {
    ScriptedTransport { request, number in
      if lost.contains(number) { return .lost }
      let fields = ["ETag": "\"a\"", "Cache-Control": "max-age=600", "Content-Type": "image/jpeg"]
      if request.headers["If-None-Match"] == "\"a\"" { return .response(304, "", fields) }
      return .success(TransportResponse(status: 200, headers: fields, body: picture))
    }
  }

  private func board(
    _ transport: any Transport, _ store: MemoryFileStore, _ clock: TestClock = TestClock()
  ) throws -> RoomBoard {
    try RoomBoard(.scripted(transport, clock) { $0.policy.maximumAttempts = 1 }, .memory(store))
  }

  private func room() throws -> MeetingRoom {
    MeetingRoom(name: "Ljerka", spots: 1, thumbnail: try url("https://photos.example/ljerka.jpg"))
  }

  @Test("a JPEG at the list's URL is used from disk while it is fresh")
  func disk() async throws {
    let (store, clock, transport) = (MemoryFileStore(), TestClock(), Self.host())
    #expect(try await board(transport, store, clock).picture(of: room()) == Self.picture)
    #expect(await transport.requests.count == 1)
    #expect(await transport.requests.allSatisfy { $0.url.host == "photos.example" })
    clock.advance(by: .seconds(600))
    #expect(try await board(transport, store, clock).picture(of: room()) == Self.picture)
    #expect(await transport.requests.count == 1)
    clock.advance(by: .seconds(1))
    #expect(try await board(transport, store, clock).picture(of: room()) == Self.picture)
    #expect(await transport.requests.last?.headers["If-None-Match"] == "\"a\"")
    clock.advance(by: .seconds(601))
    let offline = try board(ScriptedTransport(.offline), store, clock)
    #expect(try await offline.picture(of: room()) == Self.picture, "an old picture is better than none")
  }

  @Test("a picture that was cut is not stored, and is requested again")
  func cut() async throws {
    let (store, transport) = (MemoryFileStore(), Self.host(lost: [1]))
    await #expect(throws: RequestError.self) { try await board(transport, store).picture(of: room()) }
    #expect(store.files.isEmpty)
    #expect(try await board(transport, store).picture(of: room()) == Self.picture)
    #expect(await transport.requests.last?.headers["If-None-Match"] == nil)
  }

  @Test("the pictures on disk are bounded, and the oldest are removed first")
  func bounded() async throws {
    let (store, transport) = (MemoryFileStore(), Self.host())
    let client = try BackendClient.scripted(transport)
    let one = try StoredPicture(
      url: url("https://photos.example/1.jpg"), etag: "\"a\"", content: Self.picture, date: Date(),
      lifetimeInSeconds: 600)
    let size = try JSONEncoder().encode(one).count
    let board = RoomBoard(client, .memory(store), pictureCapacity: size * 5 / 2)
    for number in 1...5 {
      _ = try await board.picture(
        of: MeetingRoom(name: "", spots: 1, thumbnail: url("https://photos.example/\(number).jpg")))
    }
    #expect(store.files.keys.count { $0.contains("picture-") } == 2)
    let requestCount = await transport.requests.count
    for (number, isKept) in [(5, true), (4, true), (1, false)] {
      let before = await transport.requests.count
      _ = try await board.picture(
        of: MeetingRoom(name: "", spots: 1, thumbnail: url("https://photos.example/\(number).jpg")))
      #expect((await transport.requests.count == before) == isKept, "\(number)")
    }
    #expect(requestCount == 5)
  }

  @Test("a picture is requested in the formats that are accepted")
  func formats() async throws {
    let transport = Self.host()
    _ = try await board(transport, MemoryFileStore()).picture(of: room())
    #expect(await transport.requests.map { $0.headers["Accept"] } == ["image/png, image/jpeg"])
  }

  @Test("an HTML page is refused as a picture")
  func page() async throws {
    let transport = ScriptedTransport(.response(200, "<html>", ["ETag": "\"a\""]))
    await #expect(throws: RequestError.self) { try await board(transport, MemoryFileStore()).picture(of: room()) }
  }
}
