public import Report
public import Understudy

/// The error of an operation on a backend; its description is a sentence for the test's log.
public enum BackendError: Error, Sendable, CustomStringConvertible {
  /// The server in this process could not be started.
  case notStarted(StartError)
  /// The server could not be reached, or the connection ended before the response was complete.
  case unreachable(String)
  /// The server refused the request, with this status and reason.
  case refused(status: Int, detail: String)
  /// An argument, or the server's response, could not be used.
  case unusable(String)
  /// An expected request did not arrive in time: see ``UnmetExpectation``.
  case timedOut(UnmetExpectation)
  /// The task was cancelled.
  case cancelled
  /// The report card has failed checks: see ``FailedReport``.
  case failedReport(FailedReport)
  /// `Backend.current` was read outside a test with the trait `.understudy`.
  case noTrait

  public var description: String {
    switch self {
    case .notStarted(let error): "The server could not be started: \(error)"
    case .unreachable(let detail), .unusable(let detail): detail
    case .refused(let status, let detail): "The server refused the request with \(status): \(detail)"
    case .timedOut(let expectation): expectation.description
    case .cancelled: "The task was cancelled."
    case .failedReport(let report): report.description
    case .noTrait: "This test has no backend: give the test, or its suite, the trait .understudy()."
    }
  }
}

/// An expected request that did not arrive in time, and the requests that arrived instead.
public struct UnmetExpectation: Sendable, CustomStringConvertible {
  /// The expected request, such as `PATCH /devices/*`.
  public let request: String
  public let limit: Duration
  /// The requests that arrived and that no earlier call had returned, the oldest first.
  public let received: [Backend.Entry]
  /// A matching request that arrived, but whose response was not complete in time.
  public let unanswered: Backend.Entry?

  public var description: String {
    if let unanswered {
      return """
        \(unanswered.summary) was received, but its response was not complete within \(limit). \
        To wait for its arrival alone, pass until: .received.
        """
    }
    let arrived = received.suffix(Self.maximumListed).map { "\n  " + $0.summary }.joined()
    let rest = received.count - Self.maximumListed
    return "No \(request) came within \(limit). "
      + (received.isEmpty ? "Nothing came instead." : "Instead came:" + arrived)
      + (rest > 0 ? "\n  and \(rest) before them" : "")
  }

  private static let maximumListed = 20
}

/// A report card with failed checks.
public struct FailedReport: Sendable, CustomStringConvertible {
  public let card: ReportCard
  /// The checks that count as failures.
  public let checks: [ReportCard.Check]
  /// The file and the line of the call that found them, as in `/app/Tests/BookingTests.swift:31`.
  public let place: String
  /// A shell line that runs the test again under the same conditions.
  public let repetition: String

  public var description: String {
    "\(place): " + checks.map(\.description).joined(separator: "\n") + "\nrepeat: " + repetition
  }
}
