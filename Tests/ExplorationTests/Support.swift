import Faults
import JSON

@testable import Exploration
@testable import Report
@testable import Understudy

extension ExploredRequest {
  /// Returns a request as it ended: of a read with content, of a write with content, too.
  static func made(
    _ method: String, _ path: String, in sandbox: String = "default", api: String = "", operation: String? = nil,
    during: Range<Int> = 0..<0, hasContent: Bool = true
  ) -> ExploredRequest {
    var request = ExploredRequest(
      api: api, sandbox: sandbox, method: method, path: path, operation: operation,
      isWrite: !["GET", "HEAD"].contains(method), arrival: during.lowerBound)
    (request.status, request.end, request.hasContent) = (200, during.upperBound, hasContent)
    return request
  }
}

extension ExploredRun {
  /// A run of a command that makes these requests.
  static func made(
    _ requests: [ExploredRequest], _ end: End = .success, exit: Int32 = 0, verdict: Verdict? = nil
  ) -> ExploredRun {
    ExploredRun(
      report: RunReport(cards: verdict.map { [.made($0)] } ?? [], requests: requests), exitCode: exit, end: end,
      duration: .seconds(1),
      output: end == .success ? [] : ["no"])
  }
}

extension FinalCard {
  /// A card on which one check has this verdict, with a sentence that names it.
  static func made(_ verdict: Verdict) -> FinalCard {
    FinalCard(name: "default") {
      let check = ReportCard.Check(id: KeyReuse.id, finding: Finding(verdict, "A \(verdict) of the check."))
      return ReportCard(
        sandbox: "default", scenario: "calm", seed: 1, exchanges: 1, replays: 0, isJournalPartial: false,
        checks: [check], delays: Delays(), timeline: [])
    }
  }
}

/// A command whose requests are known, and which fails in some cells.
struct ScriptedCommand: Sendable {
  var requests: [ExploredRequest] = [.made("GET", "/rooms"), .made("POST", "/book")]
  /// The cells in which it ends with 1.
  var failing: Set<String> = []
  /// The cells in which it does not end.
  var hanging: Set<String> = []
  /// The cells in which a signal ends it.
  var crashing: Set<String> = []

  /// The verdict of its card by the cell.
  var verdicts: [String: Verdict] = [:]
  /// True if it sends nothing in cells.
  var isOnlyCalm = false

  /// Runs it: the server strikes the requests that the fault matches.
  func run(_ assignment: Explorer.Assignment) -> ExploredRun {
    var layer = ExplorationLayer(assignment.layer)
    let sent = isOnlyCalm && assignment.cell != nil ? [] : requests
    for (ordinal, request) in sent.enumerated() {
      let context = RequestContext(
        stream: RequestKey(
          api: "upstream", method: request.method, path: request.path, operation: request.operation),
        position: .ordinal(1), changes: request.isWrite)
      _ = layer.takePlan(for: context, of: nil, in: request.sandbox, ordinal: ordinal)
      layer.end(ordinal, status: 200, hasContent: request.hasContent, applying: nil, isDelivered: true)
    }
    let cell = assignment.cell ?? ""
    if failing.contains(cell) { return .made(layer.requests, .failure("the command exited with 1"), exit: 1) }
    if crashing.contains(cell) { return .made(layer.requests, .crash("signal 11 terminated the command"), exit: 139) }
    let end = hanging.contains(cell) ? ExploredRun.End.hang("the command did not end") : .success
    return .made(layer.requests, end, verdict: verdicts[cell])
  }

  /// Returns the table of its exploration.
  func explored(_ change: (inout Explorer.Options) throws -> Void = { _ in }) async throws -> FaultTable {
    var options = Explorer.Options()
    try change(&options)
    return try await Explorer(options) { run($0) }.explore()
  }
}
