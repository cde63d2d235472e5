import LiveTesting
import Testing

@testable import UnderstudyTesting

@Suite("Waiting for a request", .understudy())
struct WaitingTests {
  @Test("returns one that came before")
  func findsThePast() async throws {
    let backend = try Backend.current
    try await App(backend: backend).install("WWM-0001-12")
    let entry = try await backend.next(.patch, "/devices/*", within: Patience.limit)
    #expect(entry.path == "/devices/WWM-0001-12")
    #expect(entry.status == 200 && entry.isApplied && entry.outcome == .sent)
    #expect(entry.body.contains("installationDate"))
  }

  @Test("suspends until one comes")
  func waits() async throws {
    let backend = try Backend.current
    async let entry = backend.next(.post, "/book", within: Patience.limit)
    try await App(backend: backend).book("Mina")
    #expect(try await entry.api == .booking)
  }

  @Test("returns each request once, the oldest first, in any order of paths")
  func givesEachOnce() async throws {
    let backend = try Backend.current
    let app = App(backend: backend)
    for room in ["Mina", "Yana"] { try await app.book(room) }
    try await app.get("/users")
    #expect(try await backend.next(.get, "/users", within: Patience.limit).id == 3)
    #expect(try await backend.next(.post, "/book", within: Patience.limit).body.contains("Mina"))
    let last = try await backend.next(.post, "/book", within: Patience.limit)
    #expect(last.body.contains("Yana"))
    #expect(backend.inbox.lastSequence >= last.sequence, "the next call reads on from there")
    await #expect(throws: BackendError.self) {
      try await backend.next(.post, "/book", within: .milliseconds(100))
    }
  }

  @Test("lists the other requests if none comes")
  func listsTheOthers() async throws {
    let backend = try Backend.current
    try await App(backend: backend).get("/users/3")
    let error = await #expect(throws: BackendError.self) {
      try await backend.next(.patch, "/devices/*", within: .seconds(1))
    }
    #expect(
      "\(try #require(error))"
        == "No PATCH /devices/* came within 1.0 seconds. Instead came:\n  GET /users/3 → 200 (#1)")
  }

  @Test("distinguishes a request without a response from one that did not come")
  func tellsTheUnanswered() async throws {
    let backend = try Backend.current
    try await backend.setScenario(Scenario { Rule(.hang(for: .seconds(100)), for: .request(.get, "/users")) })
    let request = Task { try await App(backend: backend).get("/users") }
    defer { request.cancel() }
    #expect(try await backend.entry(.get, "/users").outcome == .pending)
    let error = await #expect(throws: BackendError.self) { try await backend.next(.get, "/users", within: .seconds(1)) }
    let sentence = try #require(error).description
    #expect(sentence.hasPrefix("GET /users → pending (#2, hang for 100s)"), "\(sentence)")
    #expect(sentence.contains("pass until: .received"))
    #expect(try await backend.next(.get, "/users", until: .received, within: Patience.limit).outcome == .pending)
  }

  @Test("ends when the task is cancelled, and when the sandbox is deleted")
  func ends() async throws {
    let backend = try await Backend.start()
    let waiting = Task { try await backend.next(.get, "/users", within: Patience.limit) }
    waiting.cancel()
    await #expect(throws: BackendError.self) { try await waiting.value }
    let further = Task { try await backend.next(.get, "/users", within: Patience.limit) }
    try await backend.delete()
    await #expect(throws: BackendError.self) { try await further.value }
  }

  @Test("returns each request to only one of the calls that wait in parallel")
  func sharesAmongCalls() async throws {
    let backend = try Backend.current
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 1...20 {
        group.addTask {
          let entry = try await backend.next(.get, "/users/*", within: Patience.limit)
          _ = try await backend.next(.get, "/devices", until: .received, within: Patience.limit)
          return entry.id
        }
      }
      for id in (1...20).reversed() {
        try await App(backend: backend).get("/users/\(id % 10 + 1)")
        try await App(backend: backend).get("/devices")
      }
      var given: Set<Int> = []
      for try await id in group { given.insert(id) }
      #expect(given.count == 20)
    }
  }

  @Test("ignores requests from before a reset")
  func forgetsAtReset() async throws {
    let backend = try Backend.current
    for path in ["/users/1", "/devices"] { try await App(backend: backend).get(path) }
    _ = try await backend.next(.get, "/devices", within: Patience.limit)
    try await Backend.attach(to: backend.url).reset()
    await #expect(throws: BackendError.self) { try await backend.next(.get, "/users/1", within: .milliseconds(100)) }
    try await App(backend: backend).get("/users/1")
    #expect(try await backend.next(.get, "/users/1", within: Patience.limit).ordinal == 1)
  }

  @Test("does not return again, when it ends, an entry that was returned as received")
  func returnsOnce() async throws {
    let backend = try Backend.current
    try await backend.setScenario(
      Scenario { Rule(.hang(for: .seconds(3), then: .close), for: .path("/users/1")) })
    let request = Task { try await App(backend: backend).get("/users/1") }
    let received = try await backend.next(.get, "/users/1", until: .received, within: Patience.limit)
    #expect(received.path == "/users/1")
    await #expect(throws: (any Error).self) { try await request.value }
    try await App(backend: backend).get("/users/2")
    let next = try await backend.next(.get, "/users/*", within: Patience.limit)
    #expect(next.path == "/users/2", "the first request was returned already")
  }

  // The other requests are a loop without a pause, which the report would tell of.
  @Test("ends at its limit, and not much later, while other requests come", .understudy(failOn: .never))
  func endsAtItsLimit() async throws {
    let backend = try Backend.current
    let traffic = Task {
      while !Task.isCancelled { try await App(backend: backend).get("/devices") }
    }
    defer { traffic.cancel() }
    let clock = ContinuousClock()
    let start = clock.now
    await #expect(throws: BackendError.self) { try await backend.next(.post, "/book", within: .seconds(1)) }
    let time = start.duration(to: clock.now)
    #expect(time >= .seconds(1) && time < Patience.limit, "\(time)")
    #expect(try await !backend.requests(.get, "/devices").isEmpty)
  }

  @Test("refuses an invalid glob")
  func refusesNoGlob() async throws {
    await #expect(throws: BackendError.self) { try await Backend.current.next(.get, "users", within: Patience.limit) }
  }
}

extension Backend {
  /// Waits for a request without consuming it.
  fileprivate func entry(_ method: Method, _ path: String) async throws -> Entry {
    for try await entry in stream() where entry.method == method && entry.path == path { return entry }
    throw BackendError.noTrait
  }
}
