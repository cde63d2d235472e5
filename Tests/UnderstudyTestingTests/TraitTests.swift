import Testing
import UnderstudyTesting

@Suite("The trait .understudy")
struct TraitTests {
  @Test("gives a test a backend with the scenario and the seed", .understudy(.lostAck, seed: 7))
  func givesABackend() async throws {
    let scenario = try await Backend.current.scenario()
    #expect(scenario == ("lost-ack", 7))
  }

  @Test("gives no backend to a test without the trait")
  func isAbsent() {
    #expect(throws: BackendError.self) { try Backend.current }
  }

  @Test("records a failed check as an issue, with the check's sentence and the command that repeats the test")
  func recordsAFailure() async throws {
    let test = try #require(Test.current)
    try await withKnownIssue {
      try await UnderstudyTrait.understudy(.firstResponseLost, seed: 7).provideScope(for: test, testCase: nil) {
        try await App(backend: .current).bookStubbornly("Mina")
      }
    } matching: { issue in
      let text = issue.comments.map(\.rawValue).joined()
      return text.hasPrefix("no-duplicate-effect: ") && text.contains("[journal #1")
        && text.contains("\nrepeat: UNDERSTUDY_SEED=7 swift test --filter '")
        && text.hasSuffix(#"TraitTests/recordsAFailure\(\)'"#)
    }
  }

  @Test("records no issue with failOn: .never, or for a correct client")
  func recordsNothing() async throws {
    let test = try #require(Test.current)
    try await UnderstudyTrait.understudy(.firstResponseLost, failOn: .never).provideScope(for: test, testCase: nil) {
      try await App(backend: .current).bookStubbornly("Mina")
    }
    try await UnderstudyTrait.understudy().provideScope(for: test, testCase: nil) {
      try await App(backend: .current).book("Mina")
    }
  }

  @Test("deletes the sandbox after the test, even if the test threw")
  func deletesTheSandbox() async throws {
    struct Failure: Error {}
    let test = try #require(Test.current)
    let url = Collected()
    await #expect(throws: Failure.self) {
      try await UnderstudyTrait.understudy().provideScope(for: test, testCase: nil) {
        await url.set(try Backend.current)
        throw Failure()
      }
    }
    let backend = try #require(await url.backend)
    await #expect(throws: BackendError.self) { try await backend.report() }
  }

  private actor Collected {
    private(set) var backend: Backend?

    func set(_ backend: Backend) { self.backend = backend }
  }
}

@Suite("Two hundred tests on one server", .understudy(.calm))
struct ParallelTests {
  @Test("each have their own data, counters and journal", arguments: 0..<200)
  func areApart(number: Int) async throws {
    let backend = try Backend.current
    let app = App(backend: backend)
    let devices = try await backend.state().devices
    #expect(devices.count { $0.installationDate != nil } == 1)
    try await app.install(devices[number % 3].id)
    for _ in 0..<number % 4 { try await app.get("/users/\(number % 10 + 1)") }
    let entries = try await backend.entries()
    #expect(entries.map(\.path).first == "/devices/\(devices[number % 3].id)")
    #expect(entries.map(\.ordinal) == [1] + (0..<number % 4).map { $0 + 1 })
    let installed = try await backend.state().devices.filter { $0.installationDate != nil }.map(\.id)
    #expect(Set(installed) == [devices[3].id, devices[number % 3].id])
  }
}
