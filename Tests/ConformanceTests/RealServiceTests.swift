import LiveTesting
import Testing
import Understudy

@testable import Conformance

@Suite("A copy of the real services", .live)
struct RealServiceTests {
  @Test("passes every check of the service, though it goes nowhere beyond the services")
  func passes() async throws {
    let verdict = try await Self.judge(["service"])
    #expect(verdict.failed.isEmpty && verdict.skipped == 0, "\(verdict.report())")
  }

  @Test(
    "fails a check of the service if ours is judged, too",
    arguments: [
      "devices-patch-is-kept", "devices-patch-refuses", "house-spellings", "house-weather-temperatures",
      "users-write-to-unknown-user", "booking-no-name", "devices-trailing-slash",
    ])
  func fails(id: String) async throws {
    #expect(try await Self.judge([id]).failed.map(\.check.id) == [id])
    #expect(try await Self.judge([id, "service"]).failed.isEmpty)
  }

  private static func judge(_ only: [String]) async throws -> ConformanceReport {
    let server = try await MockServer.start(.patient)
    let proxy = try Proxy(before: server.port, .realServices)
    do {
      let verdict = try await ConformanceSuite.judge(
        proxy.url, only: only, patience: Patience.limit, limit: Patience.limit * 10)
      await server.stop()
      return verdict
    } catch {
      await server.stop()
      throw error
    }
  }
}

extension Mutant {
  /// Our server without the paths, the state and the errors in which it goes beyond the real services.
  fileprivate static let realServices = Mutant(name: "the real services", catcher: "") { request, forward in
    let (method, path) = (request.method, request.path)
    let known = path.split(separator: "/").map(String.init)
    if path.hasPrefix("/_mock") { return forward(request) }
    if method == "GET", known.count > 1, known[0] == "devices" { return Message("HTTP/1.1 400 Bad Request") }
    let isBeyond = ["image", "book"].contains(known.first) || known == ["weather", "hot"] || known.last == "state"
    if isBeyond || known == ["rooms", "stream"] {
      return Message("HTTP/1.1 404 Not Found")
    }
    // A static file answers every booking, and nothing is counted.
    var request = request
    if path == "/bookRoom.json" { request = Message("GET /bookRoom.json HTTP/1.1", request.fields) }
    if request.text.contains("CWM-0012-62") { return Message("HTTP/1.1 200 OK") }
    var answer = forward(request)
    if method == "PUT", known.first == "users", known.count > 1, answer.status == 404 { answer.status = 500 }
    if method == "PATCH", path.hasPrefix("/devices/"), answer.status == 404 { answer.status = 400 }
    if path.hasPrefix("/activities"), answer.status >= 400 { answer.text = #"{"error":"no"}"# }
    if request.query == "query=london" || request.query == "lattlong=51.5,-0.12" {
      answer.text = #"[{"title":"London","location_type":"City","woeid":44418,"latt_long":"51.506321,-0.12714"}]"#
    }
    for name in ["ETag", "Allow", "Content-Security-Policy", "X-Content-Type-Options"] { answer[name] = nil }
    return answer
  }
}
