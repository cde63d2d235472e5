import Foundation
import LiveTesting
import Testing
import UnderstudyTesting
import XCTest

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
    await #expect(throws: BackendError.self) { try await exploreFaults(.only("rset")) { _ in } }
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
  func increment() { count += 1 }
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
