import Exploration
public import Foundation
public import Report
public import Testing
import Understudy

/// Calls a test's body twice without faults, and then once for each of its requests and each way in which that can fail. Each
/// call gets a server of its own.
///
/// Create clients in the body: a client that remembers what an earlier call sent, or keeps its connections, is not the same in
/// each call. Each failing cell is one recorded issue, which names the request, the way, and the check or the expectation; the
/// table is attached. An exploration in which no fault struck is an issue, too, and cells that did not run are a warning. XCTest
/// takes no issues, so there the failing cells are thrown as one error, and the body has to throw what it finds, because an
/// assertion's failure cannot be caught.
///
/// - Parameters:
///   - faults: The ways to fail.
///   - limit: The maximum number of cells.
///   - scenario: The faults besides; the default is none.
///   - seed: The seed of their decisions; the default is `UNDERSTUDY_SEED` if it is set, or else 1.
///   - data: A JSON merge patch (RFC 7396) on the backend's initial data.
///   - upstream: The URL of a backend to stand in front of, in place of the five APIs. All calls share its data.
///   - semantics: The file that declares what requests to that backend mean; the default is what RFC 9110 says of their methods.
///   - threshold: The mildest verdict that fails a cell.
///   - sourceLocation: The location to which the issues are attributed.
///   - function: The test, for the command that repeats a cell in XCTest.
///   - body: The test, which uses the backend that it gets.
/// - Throws: ``BackendError`` if a server cannot start, in XCTest ``FailedExploration``, and `CancellationError` if the task is
///   cancelled: then the remaining cells do not run.
public func exploreFaults(
  _ faults: FaultSelection = .everyFault, limit: Int = 60, _ scenario: Scenario? = nil, seed: UInt64? = nil,
  data: Data? = nil, upstream: URL? = nil, semantics: URL? = nil, failOn threshold: ReportCard.Threshold = .fail,
  sourceLocation: SourceLocation = #_sourceLocation, function: String = #function,
  _ body: @escaping @Sendable (Backend) async throws -> Void
) async throws {
  let exploration = TestExploration(
    faults: faults, limit: limit, scenario: scenario, seed: seed, data: data, upstream: upstream, semantics: semantics,
    threshold: threshold, location: sourceLocation)
  let filter =
    Test.current.map { RepeatLine.filter(of: $0) } ?? RepeatLine.filter(ofFunction: function, in: sourceLocation.fileID)
  try await exploration.run(chosenBy: filter, body)
}

/// The failures of an exploration outside of Swift Testing.
public struct FailedExploration: Error, CustomStringConvertible {
  /// One sentence for each failing cell, and one for anything else that ended the exploration.
  public let failures: [String]
  /// The table, and the mistakes in it.
  public let table: String

  public var description: String { (failures + ["", table]).joined(separator: "\n") }
}

/// The trait `.understudy(exploring:)` of tests and suites.
public struct ExploringTrait: TestTrait, SuiteTrait, TestScoping {
  let exploration: TestExploration

  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // The function may be called several times, and each time runs the test's body anew.
    try await withoutActuallyEscaping(function) { function in
      try await exploration.run(chosenBy: RepeatLine.filter(of: test)) { backend in
        try await Backend.$running.withValue(backend) { try await function() }
      }
    }
  }
}

extension Trait where Self == ExploringTrait {
  /// Calls each test twice without faults, and then once for each of its requests and each way in which that can fail, each
  /// time with a backend of its own, `Backend.current`.
  ///
  /// Create clients in the test's body: what an earlier call left behind must not matter. Each failing cell is one recorded issue,
  /// which names the request, the way, and the check or the expectation; the table is attached.
  ///
  /// - Parameters:
  ///   - faults: The ways to fail.
  ///   - limit: The maximum number of cells.
  ///   - scenario: The faults besides; the default is none.
  ///   - seed: The seed of their decisions; the default is `UNDERSTUDY_SEED` if it is set, or else 1.
  ///   - data: A JSON merge patch (RFC 7396) on the backend's initial data.
  ///   - upstream: The URL of a backend to stand in front of, in place of the five APIs. All calls share its data.
  ///   - semantics: The file that declares what requests to that backend mean; the default is what RFC 9110 says of their methods.
  ///   - threshold: The mildest verdict that fails a cell.
  ///   - sourceLocation: The location to which the issues are attributed.
  public static func understudy(
    exploring faults: FaultSelection, limit: Int = 60, _ scenario: Scenario? = nil, seed: UInt64? = nil,
    data: Data? = nil, upstream: URL? = nil, semantics: URL? = nil, failOn threshold: ReportCard.Threshold = .fail,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Self {
    ExploringTrait(
      exploration: TestExploration(
        faults: faults, limit: limit, scenario: scenario, seed: seed, data: data, upstream: upstream,
        semantics: semantics, threshold: threshold, location: sourceLocation))
  }
}
