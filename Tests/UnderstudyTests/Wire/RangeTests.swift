import LiveTesting
import Primitives
import Testing

@testable import Understudy

@Suite("Ranges of pictures")
struct RangeTests {
  private static let path = "/image/Ljerka"

  @Test(
    "the whole picture is sent if the range does not apply",
    arguments: [
      ["Range: bytes=0-1, 5-6"], ["Range: bytes=0-1", "Range: bytes=5-6"], ["Range: pages=1-2"], ["Range: bytes=5-4"],
      ["Range: bytes=0-1", "If-Range: \"other\""], ["Range: bytes=0-1", "If-Range: Sun, 22 Nov 2026 00:00:00 GMT"],
      ["Range: bytes=0-1", "If-Range: W/TAG"],
    ])
  func whole(fields: [String]) async throws {
    try await withServer { server throws in
      let tag = try exchange(server, wire("GET", Self.path))["ETag"] ?? ""
      let fields = fields.map { $0.replacing("TAG", with: tag) }
      let head = "GET \(Self.path) HTTP/1.1\r\nHost: localhost\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
      let response = try exchange(server, head)
      #expect(response.status == 200 && response["Content-Range"] == nil)
    }
  }

  @Test("If-Range with the current tag is met, If-None-Match takes precedence, and HEAD has no ranges")
  func conditions() async throws {
    try await withServer { server throws in
      let tag = try exchange(server, wire("GET", Self.path))["ETag"] ?? ""
      let range = "Range: bytes=0-1"
      #expect(try exchange(server, wire("GET", Self.path, range, "If-Range: \(tag)")).status == 206)
      #expect(try exchange(server, wire("GET", Self.path, range, "If-None-Match: \(tag)")).status == 304)
      #expect(try exchange(server, wire("GET", Self.path, range, "If-Match: \"x\"")).status == 412)
      #expect(try exchange(server, wire("GET", "/devices", range)).status == 200)
      #expect(try exchange(server, wire("GET", "/image/Attic", range)).status == 404)
      let head = try exchange(server, wire("HEAD", Self.path, range))
      #expect(head.status == 200 && head["Accept-Ranges"] == "bytes" && head["Content-Range"] == nil)
    }
  }
}
