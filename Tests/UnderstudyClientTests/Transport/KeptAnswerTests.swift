import Foundation
import Testing

@testable import UnderstudyClient

@Suite("Cached responses and Retry-After")
struct KeptAnswerTests {
  private static let body = #"{"rooms":[{"name":"A","spots":3,"thumbnail":"http://x/a"}]}"#

  private func response(_ fields: [String: String]) -> ResponseCache.CachedResponse {
    ResponseCache.CachedResponse(
      etag: "\"e\"", response: TransportResponse(status: 200, headers: fields), at: TestClock().clock)
  }

  @Test(
    "a response is fresh for its max-age, and never with no-store or no-cache",
    arguments: [
      ("max-age=600", Duration.seconds(600)), ("public, MAX-AGE=5", .seconds(5)), ("max-age=600, no-cache", .zero),
      ("no-store, max-age=600", .zero), ("no-store", .zero), ("max-age=x", .zero), ("", .zero),
      ("max-age=600, no-cache=\"Set-Cookie\"", .zero), ("max-age=7, max-age=9", .seconds(7)),
    ])
  func lifetime(field: String, lifetime: Duration) {
    #expect(response(["cache-control": field]).lifetime == lifetime)
  }

  @Test("a 304 renews the age of the copy")
  func confirmedCopy() async throws {
    let clock = TestClock()
    let transport = ScriptedTransport { request, _ in
      let fields = ["ETag": "\"e\"", "Cache-Control": "max-age=600"]
      return request.headers["If-None-Match"] == nil ? .response(200, Self.body, fields) : .response(304, "", fields)
    }
    let client = try BackendClient.scripted(transport, clock)
    _ = try await client.booking.rooms()
    clock.advance(by: .seconds(400))
    #expect(try await client.booking.rooms().source == .revalidated)
    clock.advance(by: .seconds(400))
    #expect(try await client.booking.rooms(maximumAge: .seconds(600)).source == .cache)
    #expect(await transport.requests.count == 2)
    clock.advance(by: .seconds(201))
    #expect(try await client.booking.rooms(maximumAge: .seconds(600)).source == .revalidated)
  }

  @Test("a no-store response is not cached, and removes the older copy")
  func noStore() async throws {
    let transport = ScriptedTransport { request, number in
      .response(200, Self.body, ["ETag": "\"e\(number)\"", "Cache-Control": number == 2 ? "No-Store" : "max-age=600"])
    }
    let client = try BackendClient.scripted(transport)
    for _ in 1...3 { _ = try await client.booking.rooms() }
    #expect(await transport.requests.map { $0.headers["If-None-Match"] } == [nil, "\"e1\"", nil])
  }

  @Test("a picture is not requested again while the server allows the use of its copy")
  func picture() async throws {
    let fields = ["ETag": "\"e\"", "Cache-Control": "max-age=600"]
    let content = Data([0x89, 0x50, 0x4E, 0x47])
    let transport = ScriptedTransport(.success(TransportResponse(status: 200, headers: fields, body: content)))
    let client = try BackendClient.scripted(transport)
    for _ in 1...2 { #expect(try await client.booking.image(of: "Ljerka") == content) }
    #expect(await transport.requests.count == 1)
  }

  @Test("a full cache removes the least recently used copy")
  func bound() throws {
    var cache = ResponseCache(capacity: 2)
    let urls = try (0..<3).map { try url("http://test.example/\($0)") }
    cache.store(response([:]), for: urls[0])
    cache.store(response([:]), for: urls[1])
    _ = cache.response(for: urls[0])
    cache.store(response([:]), for: urls[2])
    let kept = urls.map { url in cache.response(for: url) != nil }
    #expect(kept == [true, false, true])
  }

  @Test("a later Retry-After can extend an earlier one, but not shorten it")
  func retryAfterTimes() throws {
    var retryAfterTimes = RetryAfterCache()
    let key = RetryAfterCache.Key(method: "GET", url: try url("http://test.example/devices"))
    retryAfterTimes.add(.seconds(60), on: key, at: .seconds(100))
    retryAfterTimes.add(.seconds(2), on: key, at: .seconds(110))
    #expect(retryAfterTimes.remaining(on: key, at: .seconds(110)) == .seconds(50))
    retryAfterTimes.add(.seconds(90), on: key, at: .seconds(120))
    #expect(retryAfterTimes.remaining(on: key, at: .seconds(120)) == .seconds(90))
    #expect(retryAfterTimes.remaining(on: key, at: .seconds(210)) == nil)
    let other = RetryAfterCache.Key(method: "PATCH", url: key.url)
    #expect(retryAfterTimes.remaining(on: other, at: .seconds(120)) == nil)
  }

  @Test("a Retry-After of an overlapping call does not shorten a longer one")
  func overlappingEmbargoes() async throws {
    let (clock, gate, arrived) = (TestClock(), Gate(), Gate())
    let transport = ScriptedTransport { _, number in
      guard number == 1 else { return .response(503, "", ["Retry-After": "3000"]) }
      await arrived.open()
      await gate.pass()
      return .response(503, "", ["Retry-After": "1"])
    }
    let client = try BackendClient.scripted(transport, clock) { $0.policy.maximumAttempts = 1 }
    let first = Task { try await client.devices.list() }
    await arrived.pass()
    _ = try? await client.devices.list()
    await gate.open()
    _ = try? await first.value
    clock.advance(by: .seconds(5))
    await #expect(throws: RequestError.notSent(.tooSoon(.seconds(2_995)))) { try await client.devices.list() }
    #expect(await transport.requests.count == 2)
  }
}
