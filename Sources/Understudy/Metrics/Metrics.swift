import Primitives
import Report

/// The server's counters since its start, besides those of exchanges, which are counted from their records.
///
/// Delays are counted at once: they are rare, and the histograms of all sandboxes could not be joined within a turn.
struct Metrics: Sendable {
  var delays = Delays()
  var refusedConnections = 0
  /// The length of each turn of the loop, from the poll's return to the next poll.
  var turns = Histogram()
}
