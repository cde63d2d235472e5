public import Foundation
public import Report
public import Testing

/// The trait `.understudy` of tests and suites, which gives each test its own backend, `Backend.current`.
///
/// The backend's name is that of the test, as in `books-once`. After the test, each failed check of its report card is
/// recorded as an issue. If there is one, or if the test threw, the card and the journal are attached. A test that exceeds
/// its time limit is judged like any other; one that `Test.cancel()` ends is not judged. Each test of a suite and each case
/// of a parameterized test has its own backend, so they may run in parallel.
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
    let backend = try await start(for: test)
    var failure: (any Error)?
    do {
      try await Backend.$running.withValue(backend) { try await function() }
    } catch {
      failure = error
    }
    // Without a time limit, only `Test.cancel()` cancels a test's task. In one with a limit, it throws its error.
    let isCancelled = failure?.isTestCancellation == true || Task.isCancelled && test.timeLimit == nil
    // A cancelled task sends no request, so another one judges the test and deletes the sandbox.
    let end = await Task { [failure] in
      try await finish(backend, test, hasThrown: failure != nil, isCancelled: isCancelled)
    }.result
    if let failure {
      if case .failure(let error) = end { Issue.record(error, sourceLocation: location) }
      throw failure
    }
    try end.get()
  }

  /// Creates the backend, with a number behind the test's name if another case of the test uses that.
  private func start(for test: Test) async throws(BackendError) -> Backend {
    let name = SandboxName(of: test.name)
    for _ in 1...Self.maximumAttempts {
      do throws(BackendError) {
        return try await start(named: NamesInUse.shared.take(name))
      } catch {
        // Another process uses the name on the same server.
        guard case .refused(status: 409, _) = error else { throw error }
      }
    }
    return try await start(named: nil)
  }

  private func start(named name: String?) async throws(BackendError) -> Backend {
    try await Backend.start(scenario, seed: seed, named: name, data: data, ownPort: hasOwnPort, on: server)
  }

  private static let maximumAttempts = 20

  /// Judges a test unless it was cancelled, and deletes the sandbox.
  private func finish(_ backend: Backend, _ test: Test, hasThrown: Bool, isCancelled: Bool) async throws {
    let judgement: Result<Void, any Error>
    do {
      if !isCancelled { try await judge(backend, test, hasThrown: hasThrown) }
      judgement = .success(())
    } catch {
      judgement = .failure(error)
    }
    try await backend.delete()
    NamesInUse.shared.release(backend.name)
    try judgement.get()
  }

  /// Records the failed checks.
  private func judge(_ backend: Backend, _ test: Test, hasThrown: Bool) async throws {
    let card = try await backend.report()
    let failures = card.failures(threshold)
    if hasThrown || !failures.isEmpty {
      try await attach(backend)
    }
    let repetition = RepeatLine(seed: card.seed, filter: RepeatLine.filter(of: test))
    for (index, check) in failures.enumerated() {
      let isLast = index == failures.count - 1
      Issue.record("\(check)\(isLast ? "\nrepeat: \(repetition)" : "")", sourceLocation: location)
    }
  }

  private func attach(_ backend: Backend) async throws {
    Attachment.record(try await backend.report(as: .html), named: "report-card.html", sourceLocation: location)
    let entries = try await backend.entries().map { String(decoding: $0.json, as: UTF8.self) + "\n" }
    Attachment.record(entries.joined(), named: "journal.jsonl", sourceLocation: location)
  }
}

extension Error {
  /// True for the error of `Test.cancel()`, whose type is not public.
  fileprivate var isTestCancellation: Bool { String(reflecting: type(of: self)) == "Testing.SkipInfo" }
}

/// The name of a sandbox for a test: a DNS label of at most 63 characters, such as `books-once` for `booksOnce()`.
struct SandboxName {
  private let base: String

  /// - Parameter test: The name of the test's function, or of its type.
  init(of test: String) {
    var words = ""
    var wasLower = false
    for scalar in test.prefix(while: { $0 != "(" }).unicodeScalars {
      let isUpper = ("A"..."Z").contains(scalar)
      let isLetter = isUpper || ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
      if !isLetter || isUpper && wasLower, words.last != "-" { words += "-" }
      if isLetter { words += String(scalar).lowercased() }
      wasLower = isLetter && !isUpper
    }
    let label = words.drop { $0 == "-" }.prefix(Self.maximumLength)
    let trimmed = String(label.reversed().drop { $0 == "-" }.reversed())
    base = trimmed.isEmpty ? "test" : Self.reserved.contains(trimmed) ? trimmed + "-test" : trimmed
  }

  func numbered(_ number: Int) -> String { number == 1 ? base : "\(base)-\(number)" }

  /// It leaves room for a number.
  private static let maximumLength = 55
  /// The server uses these names itself.
  private static let reserved = ["default", "devices", "activities", "house", "users", "booking"]
}

/// The names of the backends that tests of this process have now.
final class NamesInUse: @unchecked Sendable {
  private let lock = NSLock()
  private var names: Set<String> = []

  static let shared = NamesInUse()

  /// Returns the first name of a test that no backend has, until `release(_:)`.
  func take(_ name: SandboxName) -> String {
    lock.withLock {
      var number = 1
      while !names.insert(name.numbered(number)).inserted { number += 1 }
      return name.numbered(number)
    }
  }

  func release(_ name: String) { lock.withLock { _ = names.remove(name) } }
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

  /// Puts a server of this process in front of another backend, such as your own, for each test: `Backend.current.url` is the
  /// address for the code under test.
  ///
  /// - Parameters:
  ///   - upstream: The URL of the backend: `http://localhost:3000`. All tests share its data.
  ///   - semantics: The file that declares what requests mean; the default is what RFC 9110 says of their methods.
  ///   - scenario: The faults; the default is `.calm`.
  ///   - seed: The seed of every decision; the default is `UNDERSTUDY_SEED` if it is set, or else 1.
  ///   - threshold: The mildest verdict that fails the test.
  ///   - sourceLocation: The location to which the issues are attributed.
  public static func understudy(
    upstream: URL, semantics: URL? = nil, _ scenario: Scenario? = nil, seed: UInt64? = nil,
    failOn threshold: ReportCard.Threshold = .fail, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Self {
    UnderstudyTrait(
      scenario: scenario, seed: seed, data: nil, hasOwnPort: false, threshold: threshold,
      server: .inFrontOf(upstream, semantics: semantics), location: sourceLocation)
  }
}
