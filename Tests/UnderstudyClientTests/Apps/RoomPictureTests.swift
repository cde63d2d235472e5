import Foundation
import Testing

@testable import UnderstudyClient

@Suite("The pictures of rooms")
struct RoomPictureTests {
  private static let part = PictureRequest.partSize
  /// A JPEG of two parts and a half.
  private static let picture = Data([0xFF, 0xD8, 0xFF]) + Data((0..<(part * 5 / 2)).map { UInt8($0 & 0xFF) })

  /// Serves ranges according to RFC 9110 section 14, and loses the responses that the test selects.
  private static func host(
    lost: Set<Int> = [], ranges: Bool = true, tag: @escaping @Sendable (Int) -> String = { _ in "\"a\"" }
  ) -> ScriptedTransport {
    ScriptedTransport { request, number in
      if lost.contains(number) { return .lost }
      var fields = ["ETag": tag(number), "Cache-Control": "max-age=600", "Content-Type": "image/jpeg"]
      if request.headers["If-None-Match"] == tag(number) { return .response(304, "", fields) }
      let condition = request.headers["If-Range"]
      guard ranges, let range = request.headers["Range"], condition == nil || condition == tag(number) else {
        return .success(TransportResponse(status: 200, headers: fields, body: picture))
      }
      let start = Int(range.dropFirst(6).split(separator: "-")[0]) ?? 0
      let end = min(start + part, picture.count)
      fields["Content-Range"] = "bytes \(start)-\(end - 1)/\(picture.count)"
      return .success(TransportResponse(status: 206, headers: fields, body: Data(picture[start..<end])))
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

  @Test("a JPEG from wherever the list says comes in parts, and is used from the disk while it is fresh")
  func disk() async throws {
    let (store, clock, transport) = (MemoryFileStore(), TestClock(), Self.host())
    #expect(try await board(transport, store, clock).picture(of: room()) == Self.picture)
    #expect(await transport.requests.count == 3)
    #expect(await transport.requests.allSatisfy { $0.url.host == "photos.example" })
    clock.advance(by: .seconds(600))
    #expect(try await board(transport, store, clock).picture(of: room()) == Self.picture)
    #expect(await transport.requests.count == 3)
    clock.advance(by: .seconds(1))
    #expect(try await board(transport, store, clock).picture(of: room()) == Self.picture)
    #expect(await transport.requests.last?.headers["If-None-Match"] == "\"a\"")
    clock.advance(by: .seconds(601))
    let offline = try board(ScriptedTransport(.offline), store, clock)
    #expect(try await offline.picture(of: room()) == Self.picture, "an old picture is better than none")
  }

  @Test("after a loss it goes on where it was, over a relaunch too")
  func resumed() async throws {
    let (store, transport) = (MemoryFileStore(), Self.host(lost: [2]))
    await #expect(throws: RequestError.self) { try await board(transport, store).picture(of: room()) }
    #expect(try await board(transport, store).picture(of: room()) == Self.picture)
    let ranges = await transport.requests.map { $0.headers["Range"] }
    #expect(ranges[1] == ranges[2] && ranges[1] == "bytes=\(Self.part)-\(2 * Self.part - 1)")
    #expect(await transport.requests[2].headers["If-Range"] == "\"a\"")
  }

  @Test("parts of two pictures are never put together")
  func changed() async throws {
    let (store, transport) = (MemoryFileStore(), Self.host(lost: [2], tag: { $0 == 1 ? "\"a\"" : "\"b\"" }))
    await #expect(throws: RequestError.self) { try await board(transport, store).picture(of: room()) }
    #expect(try await board(transport, store).picture(of: room()) == Self.picture)
    #expect(await transport.requests.count == 3, "the other picture came whole")
  }

  @Test("a host that knows no ranges sends it whole")
  func whole() async throws {
    let transport = Self.host(ranges: false)
    #expect(try await board(transport, MemoryFileStore()).picture(of: room()) == Self.picture)
    #expect(await transport.requests.count == 1)
  }

  @Test("a page is not taken for a picture")
  func page() async throws {
    let transport = ScriptedTransport(.response(200, "<html>", ["ETag": "\"a\""]))
    await #expect(throws: RequestError.self) { try await board(transport, MemoryFileStore()).picture(of: room()) }
  }

  @Test("what is no range of bytes is refused", arguments: ["", "bytes */9", "bytes 5-4/9", "bytes 0-9/9"])
  func badRange(_ text: String) throws {
    #expect(throws: UnreadableBody.self) { try ContentRange(text) }
    #expect(try ContentRange("bytes 0-8/9").byteCount == 9)
  }
}
