import Faults
import JSON
import Report

@testable import Exploration
@testable import Understudy

extension ExploredRequest {
  /// Returns a request as it ended: of a read with content, of a write with content, too.
  static func made(
    _ method: String, _ path: String, in sandbox: String = "default", api: String = "upstream",
    operation: String? = nil, overlaps: Bool = false, hasContent: Bool = true
  ) -> ExploredRequest {
    var request = ExploredRequest(
      api: api, sandbox: sandbox, method: method, path: path, operation: operation,
      isWrite: !["GET", "HEAD"].contains(method))
    (request.status, request.overlaps, request.hasContent) = (200, overlaps, hasContent)
    return request
  }
}

extension ExploredRun {
  /// A run of a command that makes these requests.
  static func made(
    _ requests: [ExploredRequest], exit: Int32 = 0, isHung: Bool = false, seconds: Int = 1
  ) -> ExploredRun {
    ExploredRun(
      report: RunReport(cards: [], requests: requests), exitCode: exit,
      failure: exit == 0 ? nil : "the command exited with \(exit)", isHung: isHung, duration: .seconds(seconds),
      output: exit == 0 ? [] : ["no"])
  }
}

/// A command whose requests are known, and which fails in some cells.
struct ScriptedCommand: Sendable {
  var requests: [ExploredRequest] = [.made("GET", "/rooms"), .made("POST", "/book")]
  /// The cells in which it ends with 1.
  var failing: Set<String> = []
  /// The cells in which it does not end.
  var hanging: Set<String> = []

  /// Runs it: the server strikes the requests that the fault matches.
  func run(_ assignment: Explorer.Assignment) -> ExploredRun {
    var layer = ExplorationLayer(adding: assignment.fault)
    for (ordinal, request) in requests.enumerated() {
      let context = RequestContext(
        stream: RequestKey(
          api: request.api, method: request.method, path: request.path, operation: request.operation),
        position: .ordinal(1), changes: request.isWrite)
      _ = layer.takePlan(for: context, in: request.sandbox, ordinal: ordinal)
      layer.end(ordinal, status: 200, hasContent: request.hasContent, isDelivered: true)
    }
    let cell = assignment.cell ?? ""
    return .made(layer.requests, exit: failing.contains(cell) ? 1 : 0, isHung: hanging.contains(cell))
  }

  /// Returns the table of its exploration.
  func explored(_ change: (inout Explorer.Options) throws -> Void = { _ in }) async throws -> FaultTable {
    var options = Explorer.Options()
    try change(&options)
    return try await Explorer(options) { run($0) }.explore()
  }
}
