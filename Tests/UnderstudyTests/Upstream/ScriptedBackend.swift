import Foundation
import JSON
import LiveTesting
import Report
import Testing

@testable import Understudy

/// A backend that reads one request of each connection, and answers it as a function says.
final class ScriptedBackend: Sendable {
  private let listener: BoundListener
  /// The requests so far, each with its content.
  let requests = Observed<[String]>([])

  var port: Int { listener.port }
  var url: String { "http://127.0.0.1:\(port)" }

  /// - Parameters:
  ///   - readingHeadOnly: True if the content is left to the function.
  ///   - answer: Sends the answer to a request. Afterwards the connection is closed.
  init(
    readingHeadOnly: Bool = false, _ answer: @escaping @Sendable (_ request: String, LiveTesting.Link) -> Void
  ) throws {
    listener = try BoundListener()
    listener.serve { [requests] link in
      while !Self.isComplete(link.received, withContent: !readingHeadOnly) {
        guard link.receive() else { return }
      }
      let request = String(decoding: link.received, as: UTF8.self)
      requests.withLock { $0.append(request) }
      answer(request, link)
    }
  }

  /// A backend that sends the same text to each request.
  convenience init(answering text: String) throws {
    try self.init { _, link in link.send(Array(text.utf8)) }
  }

  deinit { listener.shut() }

  private static func isComplete(_ bytes: [UInt8], withContent: Bool) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n") else { return false }
    guard withContent else { return true }
    let length = text[..<end.lowerBound].components(separatedBy: "\r\n").first { $0.hasPrefix("Content-Length: ") }
      .flatMap { Int($0.dropFirst(16)) }
    return text[end.upperBound...].utf8.count >= length ?? 0
  }

  /// A response with this status and JSON content.
  static func response(_ status: String, _ content: String, _ fields: String...) -> String {
    let lines = ["HTTP/1.1 \(status)", "Content-Type: application/json", "Content-Length: \(content.utf8.count)"]
    return (lines + fields).map { $0 + "\r\n" }.joined() + "\r\n" + content
  }
}

extension Stage {
  /// Runs a test with a server in front of a backend.
  static func inFrontOf<Result>(
    _ url: String, _ rules: String..., change: (inout MockServer.Options) -> Void = { _ in },
    body: (Stage) async throws -> Result
  ) async throws -> Result {
    try await withServer { options in
      options.upstream = url
      change(&options)
    } _: { server in
      let stage = Stage(server: server)
      if !rules.isEmpty { try stage.arm(rules) }
      return try await body(stage)
    }
  }

  /// Runs a test with a server in front of a backend, which listens until the test has ended.
  static func inFrontOf<Result>(
    _ backend: ScriptedBackend, change: (inout MockServer.Options) -> Void = { _ in },
    body: (Stage) async throws -> Result
  ) async throws -> Result {
    defer { withExtendedLifetime(backend) {} }
    return try await inFrontOf(backend.url, change: change, body: body)
  }

  /// Returns the journal's entry of the last request, when that has ended.
  func lastEnded() async throws -> JSONValue {
    try #require(await server.journalBecomes { $0.last.map { $0.outcome != .pending } == true })
    return try #require(try requests().last)
  }
}
