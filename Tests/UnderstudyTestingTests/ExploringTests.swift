import Foundation
import LiveTesting
import Testing
import Understudy
import XCTest

@testable import UnderstudyTesting

@Suite("An exploration in a test", .live)
struct ExploringTests {
  @Test("calls a test that survives", .understudy(exploring: .only("reset", "status=503")))
  func survives() async throws {
    try await App(backend: Backend.current).bookStubbornly("Mina")
  }

  /// Returns the texts of the issues that a call records.
  private func issues(_ body: () async throws -> Void) async throws -> [String] {
    let texts = Texts()
    try await withKnownIssue(isIntermittent: true) {
      try await body()
    } matching: { issue in
      texts.append("\(issue)")
      return true
    }
    return texts.all
  }

  @Test("records one issue for each cell in which the card fails, with the line that repeats it")
  func card() async throws {
    let texts = try await issues {
      try await exploreFaults(.only("reset", "reset@after", "status=503@after")) { backend in
        try await App(backend: backend).bookStubbornly("Mina")
      }
    }
    #expect(texts.count == 2, "\(texts)")
    #expect(texts.first?.contains("/book#1 reset@after: ") == true, "\(texts)")
    #expect(texts.allSatisfy { $0.contains("no-duplicate-effect: 1 write was sent again") })
    #expect(texts.first?.contains("&& UNDERSTUDY_EXPLORE_CELL='POST ") == true, "\(texts)")
  }

  @Test("records an issue for each cell in which an expectation fails or an error is thrown")
  func expectations() async throws {
    let texts = try await issues {
      try await exploreFaults(.only("status=503")) { backend in
        try await App(backend: backend).get("/users/1")
      }
    }
    #expect(texts.count == 1 && texts[0].contains("/users/1#1 status=503: "), "\(texts)")
    let expected = try await issues {
      try await exploreFaults(.only("status=503")) { backend in
        let isAnswered = (try? await App(backend: backend).get("/users/1")) != nil
        #expect(isAnswered)
      }
    }
    #expect(expected.count == 1 && expected[0].contains("isAnswered"), "\(expected)")
  }

  @Test("records the failure of a test that fails without faults, and calls it once", arguments: [1])
  func calm(_: Int) async throws {
    let calls = Counter()
    let texts = try await issues {
      try await exploreFaults { backend in
        await calls.increment()
        try await App(backend: backend).get("/users/1000")
      }
    }
    #expect(texts.count == 1 && texts[0].contains("without faults: "), "\(texts)")
    #expect(await calls.count == 1)
  }

  @Test("names a way that there is not")
  func unknownWay() async {
    let error = await #expect(throws: BackendError.self) { try await exploreFaults(.only("rset")) { _ in } }
    #expect(error?.description.contains(#""rset": there is no such effect"#) == true)
  }

  @Test("names the variable whose cell cannot be read")
  func unknownCell() {
    let error = #expect(throws: BackendError.self) { try TestExploration.cell("POST /book") }
    #expect(error?.description.hasPrefix("UNDERSTUDY_EXPLORE_CELL=POST /book: expected METHOD PATH#N WAY") == true)
  }

  @Test("records an issue if no request can fail in any of the ways, and takes a file that makes a GET a write")
  func semantics() async throws {
    let other = try await MockServer.start()
    let url = try #require(URL(string: other.url))
    let undeclared = try await issues {
      try await exploreFaults(.only("reset@after"), upstream: url) { try await App(backend: $0).get("/users/1") }
    }
    #expect(undeclared.count == 1 && undeclared[0].contains("No request of the test can fail in"), "\(undeclared)")
    let file = FileManager.default.temporaryDirectory.appending(path: "semantics-\(UUID().uuidString).json")
    try Data(#"[{"match": "GET /users/*", "effect": "add"}]"#.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let declared = try await issues {
      try await exploreFaults(.only("reset@after"), upstream: url, semantics: file) {
        try await App(backend: $0).get("/users/1")
      }
    }
    #expect(declared.count == 1 && declared[0].contains("/users/1#1 reset@after: "), "\(declared)")
    await other.stop()
  }

  @Test("records an issue if the backend behind it is gone in a cell")
  func lostBackend() async throws {
    let other = try await MockServer.start()
    let url = try #require(URL(string: other.url))
    let calls = Counter()
    let texts = try await issues {
      try await exploreFaults(.only("reset"), upstream: url) { backend in
        if await calls.increment() == 3 { await other.stop() }
        try await App(backend: backend).bookStubbornly("Mina")
      }
    }
    let sentence = "The exploration ended early: The backend did not answer the only request to \(other.url)."
    #expect(texts.contains { $0.contains(sentence) }, "\(texts)")
  }

  @Test("tells how many cells the limit leaves out, and records an issue if it leaves out all")
  func limit() async throws {
    #if compiler(>=6.3)
      let some = try await issues {
        try await exploreFaults(.only("reset", "status=503"), limit: 1) {
          try await App(backend: $0).bookStubbornly("Mina")
        }
      }
      #expect(some.count == 1 && some[0].contains("1 of 2 cells did not run; limit: 2 runs them all."), "\(some)")
    #endif
    let none = try await issues {
      try await exploreFaults(.only("reset"), limit: 0) { try await App(backend: $0).bookStubbornly("Mina") }
    }
    #expect(none.contains { $0.contains("No cell ran, because the limit is 0.") }, "\(none)")
  }

  #if compiler(>=6.3)
    @Test("warns of the cells whose request does not come again")
    func unmet() async throws {
      let calls = Counter()
      let texts = try await issues {
        try await exploreFaults(.only("reset", "status=503")) { backend in
          let isThird = await calls.increment() == 3
          try await App(backend: backend).get(isThird ? "/users/2" : "/users/1")
        }
      }
      let sentence = "In 1 of 2 cells the request did not come again, or could not fail so."
      #expect(texts.contains { $0.contains(sentence) }, "\(texts)")
    }
  #endif

  @Test("decides its faults by its seed")
  func seed() async throws {
    let bodies = Observed<Set<String>>([])
    for seed in UInt64(1)...3 {
      try await exploreFaults(.only("drift"), seed: seed) { backend in
        try await App(backend: backend).get("/users/1")
        let sent = try await backend.next(.get, "/users/1", within: Patience.limit).responseBody
        if let sent { bodies.withLock { _ = $0.insert(sent) } }
      }
    }
    let drifted = bodies.withLock { $0 }
    #expect(drifted.count > 1, "\(drifted)")
  }

  #if os(Linux)
    @Test(
      "attaches its table, and a page if a cell fails", .temporaryFiles,
      arguments: [("survives", ["exploration.txt"]), ("card", ["exploration.html", "exploration.txt"])])
    func attaches(test: String, files: [String]) throws {
      let directory = TemporaryFiles.newDirectory()
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      // The process of this test runs another one of these again.
      let end = try ChildProcess.run(
        URL(filePath: CommandLine.arguments[0]),
        [
          "--testing-library", "swift-testing", "--filter", "ExploringTests/\(test)\\(", "--attachments-path",
          directory.path,
        ])
      #expect(end.status == 0, "\(end)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == files)
    }
  #endif

  @Test("ends when its task is cancelled, and does not blame the cell that this interrupts")
  func isCancelled() async throws {
    let calls = Counter()
    let (cells, reached) = AsyncStream.makeStream(of: Void.self)
    let texts = try await issues {
      let exploration = Task {
        try await exploreFaults(.only("reset", "empty")) { backend in
          try await App(backend: backend).bookStubbornly("Mina")
          guard await calls.increment() == 3 else { return }
          reached.yield()
          try await Task.sleep(for: .seconds(60))
        }
      }
      for await _ in cells.prefix(1) { exploration.cancel() }
      await #expect(throws: CancellationError.self) { try await exploration.value }
    }
    #expect(texts.allSatisfy { $0.contains("2 of 2 cells did not run.") }, "\(texts)")
    #expect(await calls.count == 3)
  }
}

private final class Texts: @unchecked Sendable {
  private let lock = NSLock()
  private var texts: [String] = []

  var all: [String] { lock.withLock { texts } }

  func append(_ text: String) { lock.withLock { texts.append(text) } }
}

private actor Counter {
  private(set) var count = 0

  @discardableResult
  func increment() -> Int {
    count += 1
    return count
  }
}

/// An exploration in XCTest, which throws what fails.
final class ExploringXCTests: XCTestCase {
  func testACarelessClientFailsInItsCells() async throws {
    do {
      try await exploreFaults(.only("reset", "reset@after")) { backend in
        try await App(backend: backend).bookStubbornly("Mina")
      }
      XCTFail("it passed")
    } catch let failed as FailedExploration {
      XCTAssertEqual(failed.failures.count, 1)
      XCTAssertTrue(failed.failures[0].contains("/book#1 reset@after: no-duplicate-effect: "), failed.description)
      XCTAssertTrue(
        failed.failures[0].hasSuffix(
          #"swift test --filter '^UnderstudyTestingTests\..*testACarelessClientFailsInItsCells(\(|$)' "#
            + "--attachments-path .build/attachments"), failed.description)
    }
  }
}
