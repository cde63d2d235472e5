import Contract
import Faults
import Primitives
import Report

/// The traffic of a sandbox: what its requests meet besides the scenario, and what is recorded of them.
///
/// No image has it, and a rollback leaves it: the journal and the checks have seen the changes that are taken back.
/// It is an object for the same reason as `SandboxState`.
final class SandboxTraffic {
  /// The network switch, which takes precedence over the scenario; online after a reset and after a restart of the
  /// server.
  var network = NetworkSwitch()
  /// The outage of the scenario's schedule that the sandbox's port and connections follow; nil while it is online.
  var scheduledOutage: Outage?
  /// The faults by hand, which precede the scenario.
  var manualFaults = ManualFaults()
  var exchangeLog = ExchangeLog()
  var replays = TransportRetryDetector()
  var delays = Delays()

  var journal: Journal { exchangeLog.journal }

  /// The checks since its start or its last reset.
  var checks: CheckRunner { exchangeLog.checks }

  /// True if no more bytes of responses are released.
  var isSilent: Bool { network.isSilent || scheduledOutage == .silence }

  /// True if responses are not begun.
  var holdsResponses: Bool { network.holdsResponses || scheduledOutage == .silence }

  /// Records in its journal that the state changed without a request.
  func record(_ event: String, versions: Range<Int>?, at now: Instant) {
    exchangeLog.journal.record(event, versions: versions, at: now)
  }

  /// Reports an event to the checks, after the exchanges that ended before it.
  func report(_ event: SandboxEvent) { exchangeLog.report(event) }
}
