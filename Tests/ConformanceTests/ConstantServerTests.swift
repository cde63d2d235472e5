import Foundation
import LiveTesting
import Testing

@testable import Conformance

/// A server with one response to every request has understood nothing: it may pass only checks for which that response
/// is correct.
@Suite("A server with one constant response", .live)
struct ConstantServerTests {
  @Test("passes only the checks for which its response is correct", arguments: ConstantAnswer.all)
  func passes(answer: ConstantAnswer) async throws {
    #expect(try await passed(answer, isKept: false, patience: Patience.limit) == answer.passing)
  }

  @Test(
    "passes at most the checks of connections in addition if it keeps its connections open",
    arguments: ConstantAnswer.all)
  func passesKept(answer: ConstantAnswer) async throws {
    let passed = try await passed(answer, isKept: true, patience: .milliseconds(500))
    // On a busy machine fewer checks may pass, but not more.
    #expect(
      Set(passed).subtracting(answer.passing).isSubset(
        of: ["http-keep-alive", answer.passesBodiless].compactMap { $0 }))
  }

  private func passed(_ answer: ConstantAnswer, isKept: Bool, patience: Duration) async throws -> [String] {
    let listener = try BoundListener()
    defer { listener.shut() }
    listener.serve { isKept ? answer.keepGiving(on: $0) : answer.give(on: $0) }
    let verdict = try await ConformanceSuite.judge(
      "http://127.0.0.1:\(listener.port)", patience: patience, limit: Patience.limit * 15, writes: true)
    #expect(verdict.circumstances.hasPrefix("The server has no control API"))
    return verdict.results.filter { $0.outcome == .passed }.map(\.check.id)
  }
}

/// A server's only response, and the checks that may pass with it.
struct ConstantAnswer: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let status: String
  let type: String
  let body: String
  let passing: [String]

  /// These checks require a well-formed message and connection, which such a server has.
  private static let ofHTTP = [
    "http-close", "http-old-version", "http-content-length", "http-date", "http-options-asterisk",
  ]

  static let all = [
    ConstantAnswer(
      testDescription: "200 and brackets", status: "200 OK", type: "application/json",
      body: String(repeating: "[", count: 2_000), passing: ofHTTP),
    ConstantAnswer(
      testDescription: "200 and an empty object", status: "200 OK", type: "application/json", body: "{}",
      passing: ["users-delete-answers"] + ofHTTP),
    ConstantAnswer(
      testDescription: "200 and nothing", status: "200 OK", type: "application/json", body: "",
      passing: ["patch-device-200", "devices-patch-body-is-empty"] + ofHTTP),
    ConstantAnswer(
      testDescription: "404 and a problem", status: "404 Not Found", type: "application/problem+json",
      body: #"{"type":"about:blank","title":"Not Found","status":404,"message":"no","success":false}"#,
      passing: [
        "devices-unknown-path", "activities-unknown-path", "house-unknown-path", "house-unknown-names",
        "house-location-other", "booking-unknown-path", "booking-unknown-room", "http-content-length", "http-date",
      ]),
  ]

  /// The check that also passes if the body is empty: responses to HEAD have no body.
  fileprivate var passesBodiless: String? { body.isEmpty ? "http-head-has-no-body" : nil }

  private var head: String {
    "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
      + "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
  }

  /// Responds to each request, as far as it ends with an empty line.
  fileprivate func keepGiving(on link: Link) {
    let blank = Array("\r\n\r\n".utf8)
    let answer = Array((head + "\r\n" + body).utf8)
    // A target may have 2 MB, in many pieces: each byte is examined once.
    var searched = 0
    while link.receive() {
      while let end = link.received[searched...].firstRange(of: blank) {
        link.drop(end.upperBound)
        link.send(answer)
        searched = 0
      }
      searched = max(0, link.received.count - blank.count + 1)
    }
  }

  /// Responds to one request, and closes correctly: FIN first, and no RST for bytes that are still arriving.
  fileprivate func give(on link: Link) {
    guard link.receive() else { return }
    link.send(Array((head + "Connection: close\r\n\r\n" + body).utf8))
    link.finishWriting()
    while link.receive() { link.drop(link.received.count) }
  }
}
