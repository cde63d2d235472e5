import Foundation
import Testing
import UnderstudyTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct Booking {
  let base: URL

  /// Books a spot. The key lets the server recognize the second attempt.
  func book(_ room: String) async throws {
    var request = URLRequest(url: base.appending(path: "book"))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue(UUID().uuidString, forHTTPHeaderField: "Idempotency-Key")
    request.httpBody = try JSONEncoder().encode(["name": room])
    do {
      _ = try await URLSession.shared.data(for: request)
    } catch {
      _ = try await URLSession.shared.data(for: request)
    }
  }
}

extension Scenario {
  /// The first write to each path is applied, and its response is lost.
  static let lostResponse = Scenario("lost response") {
    Rule(.reset, for: .writes, when: .first(1), phase: .after)
  }
}

/// The examples of the test kit's article, line by line.
@Suite("The article's example")
struct ExampleTests {
  @Test("books once, though the response is lost", .understudy(.lostResponse))
  func booksOnce() async throws {
    let backend = try Backend.current
    try await Booking(base: backend.url).book("Mina")
    let sent = try await backend.next(.post, "/book", within: .seconds(5))
    #expect(sent.isApplied && sent.outcome == .reset)
  }

  @Test("books once, whatever is lost", .understudy(exploring: .only("reset", "reset@after")))
  func booksOnceWhateverIsLost() async throws {
    try await Booking(base: Backend.current.url).book("Mina")
  }

  @Test("sets a scenario that the server accepts, and uses the controls", .understudy())
  func controls() async throws {
    let backend = try Backend.current
    let tunnel = Scenario("tunnel") {
      Rule(.reset, for: .writes, .api(.devices), when: .first(1), phase: .after)
      Rule(.latency(.lognormal(median: .milliseconds(80), p99: .seconds(1))))
    }
    try await backend.setScenario(tunnel)
    #expect(try await backend.scenario().name == "tunnel")
    try await backend.updateState { $0.house.temperature = 31 }
    try await backend.clock.freeze()
    try await backend.clock.advance(by: .seconds(30))
    try await backend.takeSnapshot("warm")
    try await backend.setScenario(.overload, seed: 3)
    try await backend.failNext(.post, "/book", .reset, phase: .after)
    try await backend.failEach(.get, "/devices/*", .status(503, retryAfter: .seconds(2)))
    try await backend.removeFaults()
    #expect(try await backend.state().house.temperature == 31)
    #expect(try await backend.scenario() == ("overload", 3))
  }
}
