import Foundation
import LiveTesting
import Testing
import Understudy

@testable import UnderstudyTesting

@Suite("The trait .understudy")
struct TraitTests {
  @Test("gives a test a backend with the scenario and the seed", .understudy(.lostAck, seed: 7))
  func givesABackend() async throws {
    let scenario = try await Backend.current.scenario()
    #expect(scenario == ("lost-ack", 7))
  }

  #if os(Linux)
    @Test(
      "attaches the card and the journal of a test that fails or throws, and of no other", .live, .temporaryFiles,
      arguments: [("recordsAFailure", true), ("deletesTheSandbox", true), ("recordsNothing", false)])
    func attaches(test: String, isAttached: Bool) throws {
      let directory = TemporaryFiles.newDirectory()
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      // The process of this test runs another one of these again, whose failure is a known issue.
      let end = try ChildProcess.run(
        URL(filePath: CommandLine.arguments[0]),
        [
          "--testing-library", "swift-testing", "--filter", "TraitTests/\(test)\\(", "--attachments-path",
          directory.path,
        ])
      #expect(end.status == 0 && (end.output + end.errors).contains("Test run with 1 test "), "\(end)")
      let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      #expect(files.sorted() == (isAttached ? ["journal.jsonl", "report-card.html"] : []))
    }
  #endif

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
        && text.contains("\nrepeat: mkdir -p .build/attachments && UNDERSTUDY_SEED=7 swift test --filter '^")
        && text.hasSuffix(#"TraitTests/recordsAFailure\(\)' --attachments-path .build/attachments"#)
    }
  }

  #if os(Linux)
    @Test(.live, .temporaryFiles)
    func `repeats a test with a line for a shell in a fresh clone, even one named "x" | [it's] $y (z)`() throws {
      guard ProcessInfo.processInfo.environment[Self.isRepeated] == nil else {
        return Attachment.record("again", named: "again.txt")
      }
      let test = try #require(Test.current)
      let directory = TemporaryFiles.newDirectory()
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      // In place of `swift test`, which would build the package, the line runs the program of this test.
      let program = directory.appending(path: "swift")
      try Data("#!/bin/sh\nshift\nexec \"$TESTS\" --testing-library swift-testing \"$@\"\n".utf8).write(to: program)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
      let variables = [
        "PATH": "\(directory.path):/usr/bin:/bin", "TESTS": CommandLine.arguments[0], Self.isRepeated: "1",
      ]
      let line = RepeatLine(seed: 7, filter: RepeatLine.filter(of: test)).description
      let end = try ChildProcess.run(.shell, ["-c", line], environment: variables, directory: directory)
      #expect(end.status == 0 && (end.output + end.errors).contains("Test run with 1 test "), "\(line): \(end)")
      let attachments = directory.appending(path: ".build/attachments").path
      #expect(try FileManager.default.contentsOfDirectory(atPath: attachments) == ["again.txt"])
    }

    private static let isRepeated = "UNDERSTUDY_REPEATED_TEST"
  #endif

  @Test("records each failed check, not only the first")
  func recordsEach() async throws {
    let test = try #require(Test.current)
    let ids = Observed<Set<String>>([])
    try await withKnownIssue {
      try await UnderstudyTrait.understudy(.firstResponseLost, seed: 7).provideScope(for: test, testCase: nil) {
        let app = try App(backend: .current)
        try await app.bookStubbornly("Mina")
        _ = try? await app.install("WWM-0001-12")
      }
    } matching: { issue in
      ids.withLock { _ = $0.insert(String(issue.comments.map(\.rawValue).joined().prefix { $0 != ":" })) }
      return true
    }
    let found = ids.withLock { $0 }
    #expect(found.isSuperset(of: ["no-duplicate-effect", "lost-reply-followed-up"]), "\(found)")
  }

  @Test("puts a server in front of another backend, and judges the requests to it")
  func inFrontOfAnother() async throws {
    let test = try #require(Test.current)
    let shop = try await MockServer.start()
    let url = try #require(URL(string: shop.url))
    try await withKnownIssue {
      let trait = UnderstudyTrait.understudy(upstream: url, .firstResponseLost, seed: 7, failOn: .warn)
      try await trait.provideScope(for: test, testCase: nil) {
        try await App(backend: .current).bookStubbornly("Mina")
      }
    } matching: { issue in
      let text = issue.comments.map(\.rawValue).joined()
      return text.hasPrefix("no-duplicate-effect: ") && text.contains("declare it by --semantics")
    }
    let backend = try await Backend.attach(to: url)
    #expect(try await backend.requests(.post, "/book").map(\.isApplied) == [true, true])
    let file = FileManager.default.temporaryDirectory.appending(path: "semantics-\(UUID().uuidString).json")
    try Data(#"[{"match": "POST /book", "effect": "set"}]"#.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let trait = UnderstudyTrait.understudy(
      upstream: url, semantics: file, .firstResponseLost, seed: 7, failOn: .warn)
    try await trait.provideScope(for: test, testCase: nil) {
      try await App(backend: .current).bookStubbornly("Mina")
    }
    await shop.stop()
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

  @Test("names the backend after the test", .understudy())
  func namesTheBackend() throws {
    #expect(try Backend.current.name == "names-the-backend")
    #expect(try Backend.current.url.absoluteString.hasSuffix("/@names-the-backend"))
  }

  @Test("gives cases that run at the same time different names", .understudy(), arguments: 1...3)
  func namesCases(number: Int) async throws {
    #expect(try Backend.current.name.hasPrefix("names-cases"))
    #expect(try await Backend.current.report().sandbox == Backend.current.name)
  }

  @Test(
    "makes a label of any test's name",
    arguments: [
      ("booksOnce()", "books-once"), ("a lost ack loses no booking", "a-lost-ack-loses-no-booking"),
      ("retries503(status:)", "retries503"), ("parsesURLs()", "parses-urls"), ("users()", "users-test"),
      ("größe()", "gr-e"),
      ("名前()", "test"), ("_x_()", "x"),
    ])
  func makesALabel(test: String, label: String) {
    #expect(SandboxName(of: test).numbered(1) == label)
    #expect(SandboxName(of: test).numbered(12) == label + "-12")
    #expect(SandboxName(of: String(repeating: "long", count: 40)).numbered(300).utf8.count <= 63)
  }

  @Test("judges at the end of the test: a write whose response was lost is not left open")
  func judgesTheEnd() async throws {
    let test = try #require(Test.current)
    try await withKnownIssue {
      try await UnderstudyTrait.understudy(.firstResponseLost, seed: 7).provideScope(for: test, testCase: nil) {
        try? await App(backend: .current).book("Mina")
      }
    } matching: { issue in
      issue.comments.map(\.rawValue).joined().hasPrefix("lost-reply-followed-up: ")
    }
  }

  @Test("fails on warnings with failOn: .warn, but not because a rule never took effect")
  func failsOnWarnings() async throws {
    let test = try #require(Test.current)
    let unused = Scenario("unused") { Rule(.status(503), for: .path("/activities")) }
    try await withKnownIssue {
      try await UnderstudyTrait.understudy(unused, failOn: .warn).provideScope(for: test, testCase: nil) {
        for _ in 1...4 { try await App(backend: .current).get("/users/1") }
      }
    } matching: { issue in
      let text = issue.comments.map(\.rawValue).joined()
      return text.hasPrefix("conditional-requests: ") || text.hasPrefix("freshness: ")
    }
    try await UnderstudyTrait.understudy(unused, failOn: .warn).provideScope(for: test, testCase: nil) {
      try await App(backend: .current).get("/users/1")
      let delivered = try await Backend.current.report()["faults-delivered"]
      #expect(delivered?.verdict == .warn)
    }
    try await UnderstudyTrait.understudy(unused).provideScope(for: test, testCase: nil) {
      for _ in 1...4 { try await App(backend: .current).get("/users/1") }
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

  @Test("deletes the sandbox of a cancelled test, does not judge it, and throws the error of the test")
  func leavesCancelledTests() async throws {
    let test = try #require(Test.current)
    let url = Collected()
    let cancelled = Task {
      try await UnderstudyTrait.understudy(.firstResponseLost, seed: 7).provideScope(for: test, testCase: nil) {
        await url.set(try Backend.current)
        try await App(backend: .current).bookStubbornly("Mina")
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        throw CancellationError()
      }
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let backend = try #require(await url.backend)
    await #expect(throws: BackendError.self) { try await backend.report() }
  }

  @Test("judges a test that its time limit cancels, and deletes its sandbox", .timeLimit(.minutes(10)))
  func judgesOverdueTests() async throws {
    let test = try #require(Test.current)
    let url = Collected()
    let overdue = Task {
      try await withKnownIssue {
        try await UnderstudyTrait.understudy(.firstResponseLost, seed: 7).provideScope(for: test, testCase: nil) {
          await url.set(try Backend.current)
          try await App(backend: .current).bookStubbornly("Mina")
          unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        }
      } matching: { issue in
        issue.comments.map(\.rawValue).joined().hasPrefix("no-duplicate-effect: ")
      }
    }
    try await overdue.value
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
