import UnderstudyTesting
import XCTest

/// The test kit in XCTest, without the trait.
final class XCTestTests: XCTestCase {
  func testADecentClientPasses() async throws {
    let backend = try await Backend.start(.lostAck, seed: 7)
    try await Booking(base: backend.url).book("Mina")
    try await backend.verify()
    try await backend.delete()
  }

  func testACarelessClientFailsWithTheSentence() async throws {
    let backend = try await Backend.start(.firstResponseLost, seed: 7)
    try await App(backend: backend).bookStubbornly("Mina")
    var failure: FailedReport?
    let line = #line + 2
    do throws(BackendError) {
      try await backend.verify()
    } catch {
      if case .failedReport(let report) = error { failure = report }
    }
    let report = try XCTUnwrap(failure)
    XCTAssertEqual(report.checks.map(\.id), ["no-duplicate-effect"])
    XCTAssertTrue(report.description.hasPrefix("\(#filePath):\(line): no-duplicate-effect: "), report.description)
    XCTAssertTrue(
      report.description.hasSuffix(
        "repeat: mkdir -p .build/attachments && UNDERSTUDY_SEED=7 swift test --filter "
          + #"'^UnderstudyTestingTests\..*testACarelessClientFailsWithTheSentence(\(|$)' "#
          + "--attachments-path .build/attachments"
      ), report.description)
    try await backend.delete()
  }
}
