import HTTP1
import LiveTesting
import Testing

@testable import UnderstudyTesting

@Suite("A backend's network", .understudy(ownPort: true))
struct NetworkTests {
  @Test("goes offline and online again")
  func offline() async throws {
    let backend = try Backend.current
    try await backend.network.goOffline()
    await #expect(throws: BackendError.self) { try await App(backend: backend).get("/users") }
    try await backend.network.goOnline()
    try await App(backend: backend).get("/users")
  }

  @Test("refuses connections at the sandbox's own port until it is online again")
  func refused() async throws {
    let backend = try Backend.current
    let client = ControlClient(base: try BaseURL(of: backend.url), token: nil)
    try await client.send(.get, "/users")
    try await backend.network.goOffline(as: .refused)
    let error = await #expect(throws: BackendError.self) { try await client.send(.get, "/users") }
    #expect("\(try #require(error))".hasPrefix("No server answers at 127.0.0.1"))
    try await backend.network.goOnline()
    try await client.send(.get, "/users")
  }

  @Test("holds responses until it is online again")
  func held() async throws {
    let backend = try Backend.current
    try await backend.network.hold()
    let request = Task { try await App(backend: backend).get("/users") }
    let entry = try await backend.next(.get, "/users", until: .received, within: Patience.limit)
    #expect(entry.outcome == .pending)
    try await backend.network.goOnline()
    try await request.value
  }

  @Test("holds responses no longer than for the given time")
  func heldForATime() async throws {
    let backend = try Backend.current
    try await backend.network.hold(for: .milliseconds(100))
    // Nothing else ends it.
    try await App(backend: backend).get("/users")
    #expect(try await backend.next(.get, "/users", within: Patience.limit).outcome == .sent)
  }
}
