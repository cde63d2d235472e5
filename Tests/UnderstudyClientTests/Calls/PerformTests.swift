import Foundation
import LiveTesting
import Testing

@testable import UnderstudyClient

@Suite("A call and its attempts")
struct PerformTests {
  private static let full = #"{"success":false,"type":"urn:understudy:problem:room-full","title":"Full","status":409}"#

  @Test("a booking is sent again with the same key until it is answered")
  func bookingRepeats() async throws {
    let transport = ScriptedTransport(
      .lost, .response(502), .response(200, #"{"success":tr"#), .response(200, #"{"success":true}"#))
    let clock = TestClock()
    try await BackendClient.scripted(transport, clock).booking.book("A", key: "k-1")
    #expect(await transport.requests.map { $0.headers["Idempotency-Key"] } == Array(repeating: "k-1", count: 4))
    #expect(clock.slept == [.milliseconds(125), .milliseconds(250), .milliseconds(500)])
  }

  @Test(
    "invalid JSON is no acknowledgement", arguments: ["{\"success\":true,}", "{\"success\":true}}"])
  func strictness(garbled: String) async throws {
    let transport = ScriptedTransport(.response(200, garbled), .response(200, #"{"success":true}"#))
    try await BackendClient.scripted(transport).booking.book("A", key: "k")
    #expect(await transport.requests.count == 2)
  }

  @Test("an HTML page is no acknowledgement, even if its text is one", arguments: [#"{"success":true}"#])
  func page(text: String) async throws {
    let transport = ScriptedTransport(.response(200, text, ["Content-Type": "text/html"]), .response(200, text))
    try await BackendClient.scripted(transport).booking.book("A", key: "k")
    #expect(await transport.requests.count == 2)
  }

  @Test("a request that HTTP cannot express is refused before it is sent, and the error says why")
  func unsendable() async throws {
    let transport = ScriptedTransport(.response(200, #"{"success":true}"#))
    let client = try BackendClient.scripted(transport)
    for key in ["a\nb", "a\rb", "a\r\nX: b", "\0"] {
      let refused = await requestError { try await client.booking.book("A", key: key) }
      #expect(refused == .notSent(.unsendable("The field Idempotency-Key contains a line break or NUL.")))
    }
    let nameless = await requestError { _ = try await client.devices.get("") }
    guard case .notSent(.unsendable) = nameless else { Issue.record("\(String(describing: nameless))"); return }
    #expect(await transport.requests.isEmpty)
    for address in ["file:///x", "relative", "http:///x", "ftp://localhost"] {
      let client = BackendClient(try #require(URL(string: address)))
      let refused = await requestError { try await client.booking.book("A", key: "k") }
      guard case .notSent(.unsendable(let text)) = refused else {
        Issue.record("\(address): \(String(describing: refused))")
        return
      }
      #expect(text.contains("not an http or https URL"))
    }
  }

  @Test("a rejection without problem details has the status's reason phrase as its title")
  func titles() async throws {
    let client = try BackendClient.scripted(
      ScriptedTransport(.response(404, "<h1>?</h1>", ["Content-Type": "text/html"])))
    let refused = await requestError { _ = try await client.devices.get("A") }
    guard case .rejected(let rejection) = refused else { Issue.record("\(String(describing: refused))"); return }
    #expect(rejection.title == "Not Found")
  }

  @Test("a POST without a key is not repeated if it may have been applied")
  func createIsNotRepeated() async throws {
    let lost = ScriptedTransport(.lost)
    let client = try BackendClient.scripted(lost)
    let unknown = await requestError { _ = try await client.users.create(UserDraft()) }
    #expect(unknown == .unknown(.connectionLost("cut")))
    #expect(await lost.requests.count == 1)
    let busy = ScriptedTransport(.offline, .response(429), .response(201, #"{"id":11}"#))
    #expect(try await BackendClient.scripted(busy).users.create(UserDraft()).id == 11)
  }

  @Test("an outcome stays unknown if the next attempt was not sent or not processed")
  func doubtStays() async throws {
    for last in [ScriptedTransport.Answer.offline, .response(429)] {
      let client = try BackendClient.scripted(ScriptedTransport(.lost, last))
      let error = await requestError { try await client.booking.book("A", key: "k") }
      #expect(error == .unknown(.connectionLost("cut")))
    }
    let client = try BackendClient.scripted(ScriptedTransport(.lost, .response(409, Self.full)))
    let rejected = await requestError { try await client.booking.book("A", key: "k") }
    guard case .rejected(let reason) = rejected else {
      Issue.record("the key's own answer settles it: \(String(describing: rejected))")
      return
    }
    #expect(reason.status == 409 && reason.title == "Full")
  }

  @Test("each failure has its error for reads and for writes")
  func errors() async throws {
    let rows: [(ScriptedTransport.Answer, read: RequestError, write: RequestError)] = [
      (.offline, .notSent(.offline), .notSent(.offline)),
      (.lost, .unanswered(.connectionLost("cut")), .unknown(.connectionLost("cut"))),
      (.response(500), .rejected(Rejection(status: 500)), .unknown(.serverFailure(Rejection(status: 500)))),
      (.response(404), .rejected(Rejection(status: 404)), .rejected(Rejection(status: 404))),
    ]
    for (answer, read, write) in rows {
      let client = try BackendClient.scripted(ScriptedTransport(answer))
      let readError = await requestError { _ = try await client.devices.list() }
      #expect(readError == read)
      let fixture = Fixture("AC", in: "Bedroom")
      let writeError = await requestError { try await client.house.turn(fixture, on: true) }
      #expect(writeError == write)
    }
  }

  @Test("a 404 is not retried, and one budget bounds the retries of all calls")
  func budget() async throws {
    let missing = ScriptedTransport(.response(404))
    _ = try? await BackendClient.scripted(missing).devices.list()
    #expect(await missing.requests.count == 1)
    let dead = ScriptedTransport(.lost)
    let client = try BackendClient.scripted(dead) { $0.budget = RetryBudget(capacity: 5, perSecond: 0) }
    for _ in 0..<20 { _ = try? await client.devices.list() }
    #expect(await dead.requests.count == 25)
  }

  @Test("a deadline ends a call whose attempts are slow")
  func deadline() async throws {
    let clock = TestClock()
    let slow = ScriptedTransport { _, _ in
      clock.advance(by: .seconds(15))
      return .failure(.lost(.timedOut))
    }
    let client = try BackendClient.scripted(slow, clock) { $0.policy.maximumAttempts = 100 }
    let error = await requestError { _ = try await client.devices.list() }
    #expect(error == .unanswered(.timedOut))
    #expect(await slow.requests.count == 4)
  }

  @Test("later calls to a resource wait for its Retry-After, or fail if it is too long")
  func embargo() async throws {
    let clock = TestClock()
    let transport = ScriptedTransport(.response(503, "", ["Retry-After": "20"]), .response(200, "[]"))
    let client = try BackendClient.scripted(transport, clock) { $0.policy.maximumAttempts = 1 }
    _ = try? await client.devices.list()
    clock.advance(by: .seconds(5))
    _ = try await client.activities.list()
    #expect(clock.slept.isEmpty, "another resource is not meant")
    _ = try await client.devices.list()
    #expect(clock.slept == [.milliseconds(15_125)])
    _ = try await client.devices.list()
    #expect(clock.slept.count == 1)
    let away = ScriptedTransport(.response(429, "", ["Retry-After": "3600"]), .response(200, "[]"))
    let patient = try BackendClient.scripted(away, clock)
    _ = try? await patient.devices.list()
    clock.advance(by: .seconds(600))
    let refused = await requestError { _ = try await patient.devices.list() }
    #expect(refused == .notSent(.tooSoon(.seconds(3_000))))
    #expect(await away.requests.count == 1)
    clock.advance(by: .seconds(3_000))
    #expect(try await patient.devices.list().isEmpty)
  }

  @Test("a call waits for an earlier call's Retry-After up to the longest one that the policy allows")
  func longestEmbargo() async throws {
    let clock = TestClock()
    let transport = ScriptedTransport(.response(503, "", ["Retry-After": "20"]), .response(200, "[]"))
    let client = try BackendClient.scripted(transport, clock) {
      $0.policy.maximumAttempts = 1
      $0.policy.maximumRetryAfter = .seconds(20)
    }
    _ = try? await client.devices.list()
    #expect(try await client.devices.list().isEmpty)
    #expect(await transport.requests.count == 2)
  }

  @Test(
    "by default the next call waits for a Retry-After of up to thirty seconds, and is too soon for a longer one",
    arguments: [(30, true), (31, false), (45, false)])
  func defaultEmbargo(seconds: Int, waits: Bool) async throws {
    let transport = ScriptedTransport(.response(503, "", ["Retry-After": "\(seconds)"]), .response(200, "[]"))
    let client = try BackendClient.scripted(transport)
    let first = await requestError { _ = try await client.devices.list() }
    #expect((first == nil) == waits)
    let second = await requestError { _ = try await client.devices.list() }
    #expect(second == (waits ? nil : .notSent(.tooSoon(.seconds(seconds)))))
    #expect(await transport.requests.count == (waits ? 3 : 1))
  }

  @Test("a retry waits for Retry-After, and a Retry-After that is too long ends the call")
  func retryAfter() async throws {
    let clock = TestClock()
    let transport = ScriptedTransport(.response(503, "", ["retry-after": "2"]), .response(200, "[]"))
    _ = try await BackendClient.scripted(transport, clock).devices.list()
    #expect(clock.slept == [.milliseconds(2_125)])
    let away = ScriptedTransport(.response(503, "", ["Retry-After": "3600"]))
    _ = try? await BackendClient.scripted(away).devices.list()
    #expect(await away.requests.count == 1)
  }

  @Test("a call sends its validators, and 304 yields the cached copy")
  func conditional() async throws {
    let body = #"{"rooms":[{"name":"A","spots":3,"thumbnail":"http://x/a"}]}"#
    let fields = ["ETag": "\"e1\"", "Cache-Control": "max-age=600"]
    let transport = ScriptedTransport { request, _ in
      request.headers["If-None-Match"] == "\"e1\"" ? .response(304, "", fields) : .response(200, body, fields)
    }
    let clock = TestClock()
    let client = try BackendClient.scripted(transport, clock)
    #expect(try await client.booking.rooms().source == .network)
    let again = try await client.booking.rooms()
    #expect(again.source == .revalidated && again.value.first?.spots == 3)
    clock.advance(by: .seconds(599))
    #expect(try await client.booking.rooms(maximumAge: .seconds(3_600)).source == .cache)
    #expect(try await client.booking.rooms(maximumAge: .seconds(500)).source == .revalidated)
    clock.advance(by: .seconds(601))
    #expect(try await client.booking.rooms(maximumAge: .seconds(3_600)).source == .revalidated, "older than max-age")
    #expect(await transport.requests.count == 4)
  }

  @Test("a response that cannot be parsed is not cached")
  func garbledIsNotKept() async throws {
    let transport = ScriptedTransport { request, number in
      if request.headers["If-None-Match"] != nil { return .response(304) }
      return .response(200, number == 1 ? "[{" : "[]", ["ETag": "\"e\""])
    }
    let client = try BackendClient.scripted(transport)
    #expect(try await client.devices.list().isEmpty)
    #expect(await transport.requests[1].headers["If-None-Match"] == nil)
  }

  @Test("cancelling a write in flight leaves its outcome unknown")
  func cancellation() async throws {
    let gate = Gate()
    let arrived = Gate()
    let transport = ScriptedTransport { _, _ in
      await arrived.open()
      await gate.pass()
      return .lost
    }
    let client = try BackendClient.scripted(transport)
    let task = Task { await requestError { try await client.booking.book("A", key: "k") } }
    await arrived.pass()
    task.cancel()
    await gate.open()
    let ended = await task.value
    guard case .unknown = ended else {
      Issue.record("\(String(describing: ended))")
      return
    }
    #expect(await transport.requests.count == 1)
  }

  @Test("a cancelled read, and a write that is cancelled before it is sent, throw CancellationError")
  func cancelledBeforehand() async throws {
    let gate = Gate()
    let transport = ScriptedTransport { _, _ in
      await gate.open()
      // As URLSession does, it ends with the task.
      while !Task.isCancelled { await Task.yield() }
      return .failure(.lost(.cancelled))
    }
    let client = try BackendClient.scripted(transport)
    let unsent = Task {
      while !Task.isCancelled { await Task.yield() }
      try await client.booking.book("A", key: "k")
    }
    unsent.cancel()
    await #expect(throws: CancellationError.self) { try await unsent.value }
    #expect(await transport.requests.isEmpty)
    let read = Task { _ = try await client.devices.list() }
    await gate.pass()
    read.cancel()
    await #expect(throws: CancellationError.self) { try await read.value }
    let write = Task { try await client.booking.book("A", key: "k") }
    #expect(await succeeds { await transport.requests.count >= 2 })
    write.cancel()
    await #expect(throws: RequestError.unknown(.cancelled)) { try await write.value }
  }

  @Test("the weather is requested at most once a minute by all callers together, also after a failure")
  func weatherInterval() async throws {
    let clock = TestClock()
    let transport = ScriptedTransport(.lost, .response(200, WeatherText.report(31)))
    let client = try BackendClient.scripted(transport, clock)
    #expect((try? await client.house.weather()) == nil)
    let tooSoon = await requestError { _ = try await client.house.weather() }
    #expect(tooSoon == .notSent(.tooSoon(.seconds(60))))
    clock.advance(by: .milliseconds(59_999))
    #expect((try? await client.house.weather()) == nil)
    #expect(await transport.requests.count == 1)
    clock.advance(by: .milliseconds(1))
    #expect(try await client.house.weather().source == .network)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { _ = try? await client.house.weather() } }
    }
    #expect(try await client.house.weather().source == .cache)
    #expect(await transport.requests.count == 2)
  }
}
