public import Foundation
public import Testing

/// The trait `.understudy` of tests and suites, which gives each test its own backend, `Backend.current`.
///
/// After the test, each failed check of the backend's report card is recorded as an issue, and the card and the journal
/// are attached. Each test of a suite and each case of a parameterized test has its own backend, so they may run in
/// parallel.
public struct UnderstudyTrait: TestTrait, SuiteTrait, TestScoping {
  let scenario: Scenario?
  let seed: UInt64?
  let data: Data?
  let hasOwnPort: Bool
  let threshold: ReportCard.Threshold
  let server: Backend.Server
  let location: SourceLocation

  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let backend = try await Backend.start(scenario, seed: seed, data: data, ownPort: hasOwnPort, on: server)
    do {
      try await Backend.$running.withValue(backend) { try await function() }
    } catch {
      try await examine(backend, test, hasThrown: true)
      throw error
    }
    try await examine(backend, test, hasThrown: false)
  }

  /// Records the failed checks, and deletes the sandbox.
  private func examine(_ backend: Backend, _ test: Test, hasThrown: Bool) async throws {
    let card = try await backend.report()
    let failures = card.failures(threshold)
    if hasThrown || !failures.isEmpty {
      try await attach(backend)
    }
    for (index, check) in failures.enumerated() {
      let isLast = index == failures.count - 1
      let repetition = RerunCommand.line(seed: card.seed, filter: Self.filter(test))
      Issue.record("\(check)\(isLast ? "\nrepeat: " + repetition : "")", sourceLocation: location)
    }
    try await backend.delete()
  }

  private func attach(_ backend: Backend) async throws {
    Attachment.record(try await backend.report(as: .html), named: "report-card.html", sourceLocation: location)
    let entries = try await backend.entries().map { String(decoding: $0.json, as: UTF8.self) + "\n" }
    Attachment.record(entries.joined(), named: "journal.jsonl", sourceLocation: location)
  }

  /// Returns a regular expression that matches only this test: its id without the source location.
  private static func filter(_ test: Test) -> String {
    let id = "\(test.id)".split(separator: "/").filter { !$0.contains(".swift:") }.joined(separator: "/")
    return id.map { ".()".contains($0) ? "\\\($0)" : "\($0)" }.joined()
  }
}

extension Trait where Self == UnderstudyTrait {
  /// Gives each test its own backend.
  ///
  /// - Parameters:
  ///   - scenario: The faults; the default is the server's scenario, which is `.calm` for a server in this process.
  ///   - seed: The seed of every decision; the default is `UNDERSTUDY_SEED` if it is set, or else the server's seed.
  ///   - data: A JSON merge patch (RFC 7396) on the backend's initial data.
  ///   - hasOwnPort: True to serve the backend on its own port, so that an outage can refuse connections.
  ///   - threshold: The mildest verdict that fails the test.
  ///   - server: The server on which the backend is created.
  ///   - sourceLocation: The location to which the issues are attributed.
  public static func understudy(
    _ scenario: Scenario? = nil, seed: UInt64? = nil, data: Data? = nil, ownPort hasOwnPort: Bool = false,
    failOn threshold: ReportCard.Threshold = .fail, on server: Backend.Server = .shared,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Self {
    UnderstudyTrait(
      scenario: scenario, seed: seed, data: data, hasOwnPort: hasOwnPort, threshold: threshold, server: server,
      location: sourceLocation)
  }
}
