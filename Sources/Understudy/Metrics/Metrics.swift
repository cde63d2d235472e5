import Contract
import ControlAPI
import Faults
import Primitives
import Report
import Services

/// The server's counters since its start, besides those of exchanges, which are counted from their records.
///
/// Delays are counted at once: they are rare, and the histograms of all sandboxes could not be joined within a turn.
struct Metrics: Sendable {
  var delays = Delays()
  var refusedConnections = 0
  /// The length of each turn of the loop, from the poll's return to the next poll.
  var turns = Histogram()
}

extension ControlService {
  static func getMetrics(_ command: Command) throws(Problem) -> Response {
    try command.call.query.allow([])
    var page = Exposition()
    command.application.writeMetrics(to: &page)
    command.sandbox.writeMetrics(to: &page)
    return Response(200, Representation(Array(page.text.utf8), .prometheus))
  }
}

extension Application {
  /// Writes the counters of the whole server.
  fileprivate func writeMetrics(to page: inout Exposition) {
    page.family("understudy_build_info", .gauge, "Always 1; the label is the version of the server.")
    page.sample("understudy_build_info", [.init("version", Document.version)], 1)
    state.sandboxes.collectCounts()
    writeRequests(state.sandboxes.counts, to: &page)
    Self.writeFaults(state.sandboxes.counts, to: &page)
    page.family(
      "understudy_planned_delay_seconds", .histogram, "Planned delays of responses; only completed delays count.")
    page.histogram("understudy_planned_delay_seconds", [], metrics.delays.planned)
    page.family(
      "understudy_measured_delay_seconds", .histogram,
      "The same delays, from a request's last byte, as the server read it, until its response could be sent.")
    page.histogram("understudy_measured_delay_seconds", [], metrics.delays.measured)
    page.family(
      "understudy_delay_error_seconds", .histogram, "The time by which the same delays ended later than planned.")
    page.histogram("understudy_delay_error_seconds", [], metrics.delays.lateness)
    page.family("understudy_early_delays_total", .counter, "Delays that ended too early.")
    page.sample("understudy_early_delays_total", metrics.delays.early)
    page.family(
      "understudy_turn_seconds", .histogram, "Turns of the event loop, from the poll's return to the next poll.")
    page.histogram("understudy_turn_seconds", [], metrics.turns)
    page.family(
      "understudy_longest_turn_seconds", .gauge,
      "The longest of these turns, during which no other request was answered.")
    page.sample("understudy_longest_turn_seconds", metrics.turns.maximum)
    writeHoldings(to: &page)
  }

  private func writeRequests(_ counts: ExchangeCounts, to page: inout Exposition) {
    let name = "understudy_requests_total"
    page.family(
      name, .counter, "Finished requests by API, operation and status; the value none means that there was none.")
    for tally in counts.tallies {
      let api = tally.api.map { router.apis[$0] }
      let operation = tally.operation.flatMap { api?.operations[$0].id }
      page.sample(
        name,
        [
          .init("api", api?.name ?? "none"), .init("operation", operation ?? "none"),
          .init("status", tally.status.map { String($0) } ?? "none"),
        ], tally.count)
    }
  }

  private static func writeFaults(_ counts: ExchangeCounts, to page: inout Exposition) {
    let name = "understudy_faults_total"
    page.family(name, .counter, "Planned faults, by kind and by phase.")
    for tally in counts.faultTallies {
      page.sample(name, [.init("kind", tally.kind.name), .init("phase", tally.phase.rawValue)], tally.count)
    }
    page.family(
      "understudy_undeliverable_faults_total", .counter, "Planned faults that could not be applied to a response.")
    page.sample("understudy_undeliverable_faults_total", counts.undeliverableFaults)
  }

  /// Writes the numbers of connections, sandboxes and journal entries.
  private func writeHoldings(to page: inout Exposition) {
    page.family("understudy_connections_total", .counter, "Accepted connections.")
    page.sample("understudy_connections_total", connectionCount)
    page.family(
      "understudy_refused_connections_total", .counter,
      "Connections that were reset because the sandbox of their port was offline.")
    page.sample("understudy_refused_connections_total", metrics.refusedConnections)
    page.family("understudy_open_connections", .gauge, "Open connections.")
    page.sample("understudy_open_connections", state.loop.connectionCount)
    page.family("understudy_sandboxes", .gauge, "Sandboxes, the default one included.")
    page.sample("understudy_sandboxes", state.sandboxes.count)
    page.family("understudy_journal_entries", .gauge, "Entries in the journals of all sandboxes.")
    page.sample("understudy_journal_entries", state.sandboxes.journalEntryCount)
    page.family("understudy_journal_bytes", .gauge, "Memory of the journals of all sandboxes.")
    page.sample("understudy_journal_bytes", state.sandboxes.journalBytes)
  }
}

extension Sandbox {
  /// Writes the counters of one sandbox since its start or its last reset. Only the requested sandbox is included, so
  /// that the number of lines is bounded.
  fileprivate func writeMetrics(to page: inout Exposition) {
    let label = Exposition.Label("sandbox", name)
    let histograms = [
      ("planned_delay", "Planned delays in this sandbox.", traffic.delays.planned),
      ("measured_delay", "The same delays, as measured.", traffic.delays.measured),
      ("delay_error", "The time by which the same delays ended later than planned.", traffic.delays.lateness),
    ]
    for (name, help, histogram) in histograms {
      page.family("understudy_sandbox_\(name)_seconds", .histogram, help)
      page.histogram("understudy_sandbox_\(name)_seconds", [label], histogram)
    }
    page.family("understudy_sandbox_journal_entries", .gauge, "Entries in this sandbox's journal.")
    page.sample("understudy_sandbox_journal_entries", [label], traffic.journal.count)
  }
}
