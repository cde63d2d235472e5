import Testing
import UnderstudyTesting

/// The examples of the test kit's article, line by line.
@Suite("The article's example")
struct ExampleTests {
  @Test("reaches the backend once", .understudy(.lostAck, seed: 7))
  func booksOnce() async throws {
    let backend = try Backend.current
    try await App(backend: backend).book("Mina")
    let sent = try await backend.next(.post, "/book", within: .seconds(5))
    #expect(sent.isApplied)
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
    #expect(try await backend.state().house.temperature == 31)
    #expect(try await backend.scenario() == ("overload", 3))
  }
}
