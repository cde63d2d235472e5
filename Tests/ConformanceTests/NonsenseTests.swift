import Foundation
import LiveTesting
import Testing

@testable import Conformance

/// Servers that send invalid responses must be detected, and must not harm the program.
@Suite("Judging invalid responses", .live)
struct NonsenseTests {
  static let answers = [
    "", "\r\n", "ICY 200 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + String(repeating: "[", count: 100_000),
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: \u{1B}[2J\r\nContent-Length: 2\r\n\r\n\u{0}\u{1B}",
    String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1_000),
  ]

  @Test("fails the checks without a crash or a hang", arguments: answers)
  func survives(answer: String) async throws {
    let listener = try BoundListener()
    listener.serve { link in
      link.receive()
      link.send(Array(answer.utf8))
    }
    let verdict = try await ConformanceSuite.judge(
      "http://127.0.0.1:\(listener.port)", only: ["users"], patience: Patience.limit,
      limit: Patience.limit * 10)
    listener.shut()
    #expect(verdict.failed.count > 50, "\(verdict.report())")
    #expect(!verdict.report().contains("\u{1B}") && !verdict.junit.contains("\u{1B}"))
  }
}
