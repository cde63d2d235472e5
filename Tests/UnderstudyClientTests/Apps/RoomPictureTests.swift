import Foundation
import Testing

@testable import UnderstudyClient

@Suite("The pictures of rooms")
struct RoomPictureTests {
  private static let part = PictureRequest.firstPartSize
  /// A JPEG of six units. It takes three requests, since quick parts double: one unit, two, and the last three of four.
  private static let picture = Data([0xFF, 0xD8, 0xFF]) + Data((0..<(part * 6 - 3)).map { UInt8($0 & 0xFF) })

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
      let bounds = range.dropFirst(6).split(separator: "-").compactMap { Int($0) }
      let (start, end) = (bounds[0], min(bounds[1] + 1, picture.count))
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

  @Test("a JPEG at the list's URL is loaded in parts, and used from disk while it is fresh")
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

  @Test("a download resumes where it was cut, also after a relaunch")
  func resumed() async throws {
    let (store, transport) = (MemoryFileStore(), Self.host(lost: [2]))
    await #expect(throws: RequestError.self) { try await board(transport, store).picture(of: room()) }
    #expect(try await board(transport, store).picture(of: room()) == Self.picture)
    let ranges = await transport.requests.map { $0.headers["Range"] }
    #expect(ranges[1] == "bytes=\(Self.part)-\(3 * Self.part - 1)")
    #expect(ranges[2] == "bytes=\(Self.part)-\(2 * Self.part - 1)", "after a loss the parts are small again")
    #expect(await transport.requests[2].headers["If-Range"] == "\"a\"")
  }

  @Test("parts of different versions are never joined")
  func changed() async throws {
    let (store, transport) = (MemoryFileStore(), Self.host(lost: [2], tag: { $0 == 1 ? "\"a\"" : "\"b\"" }))
    await #expect(throws: RequestError.self) { try await board(transport, store).picture(of: room()) }
    #expect(try await board(transport, store).picture(of: room()) == Self.picture)
    #expect(await transport.requests.count == 3, "the other picture came whole")
  }

  @Test("a picture is loaded whole from a host without ranges")
  func whole() async throws {
    let transport = Self.host(ranges: false)
    #expect(try await board(transport, MemoryFileStore()).picture(of: room()) == Self.picture)
    #expect(await transport.requests.count == 1)
  }

  @Test("a slow picture is loaded in small parts, each within one attempt's timeout")
  func slow() async throws {
    let (clock, host) = (TestClock(), Self.host())
    let transport = ScriptedTransport { request, _ in
      clock.advance(by: .seconds(8))
      do throws(TransportFailure) {
        return .success(try await host.send(request, timeout: .seconds(15)))
      } catch {
        return .failure(error)
      }
    }
    #expect(try await board(transport, MemoryFileStore(), clock).picture(of: room()) == Self.picture)
    #expect(await transport.requests.count == 6)
  }

  @Test("the pictures on disk are bounded, and the oldest are removed first")
  func bounded() async throws {
    let (store, transport) = (MemoryFileStore(), Self.host())
    let client = try BackendClient.scripted(transport)
    let one = try StoredPicture(
      url: url("https://photos.example/1.jpg"), etag: "\"a\"", byteCount: Self.picture.count, bytes: Self.picture,
      date: Date(), lifetimeInSeconds: 600)
    let size = try JSONEncoder().encode(one).count
    let board = RoomBoard(client, .memory(store), pictureCapacity: size * 5 / 2)
    for number in 1...4 {
      _ = try await board.picture(
        of: MeetingRoom(name: "", spots: 1, thumbnail: url("https://photos.example/\(number).jpg")))
    }
    #expect(store.files.keys.count { $0.contains("picture-") } == 2)
    let requestCount = await transport.requests.count
    for (number, isKept) in [(4, true), (3, true), (1, false)] {
      let before = await transport.requests.count
      _ = try await board.picture(
        of: MeetingRoom(name: "", spots: 1, thumbnail: url("https://photos.example/\(number).jpg")))
      #expect((await transport.requests.count == before) == isKept, "\(number)")
    }
    #expect(requestCount == 12)
  }

  @Test("an HTML page is refused as a picture")
  func page() async throws {
    let transport = ScriptedTransport(.response(200, "<html>", ["ETag": "\"a\""]))
    await #expect(throws: RequestError.self) { try await board(transport, MemoryFileStore()).picture(of: room()) }
  }

  @Test("an invalid Content-Range is refused", arguments: ["", "bytes */9", "bytes 5-4/9", "bytes 0-9/9"])
  func badRange(_ text: String) throws {
    #expect(throws: UnreadableBody.self) { try ContentRange(text) }
    #expect(try ContentRange("bytes 0-8/9").byteCount == 9)
  }
}
