/// The exactly-once audit: acknowledged writes were applied, at most once for each logical write, and are still in the
/// state.
///
/// A failure is an error of the backend, or of a change of its state by other means; clients may rely on this.
struct AcknowledgedWritesKept: Check {
  static let id = "acknowledged-writes-kept"

  private var audit = Audit()

  var interest: Traits { .audited }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    audit.observe(seen)
  }

  mutating func record(_ event: SandboxEvent) { audit.record(event) }

  func finding(_ context: CheckContext) -> Finding {
    var evidence = Evidence()
    var complaints = audit.complaints(context.state, &evidence)
    let order = context.history.judged
    if let violation = order.violation {
      complaints.append("No order of the reads and writes of \(violation.register) explains what was read.")
      for id in violation.ids { evidence.add(id) }
    }
    guard complaints.isEmpty else {
      return Finding(.fail, "The server, not the client, is at fault: " + complaints.joined(separator: " "), evidence)
    }
    guard audit.acknowledged > 0 else { return Finding(.notExercised, "No write was acknowledged.") }
    var sentence =
      "\(ReportText.were(audit.acknowledged, "acknowledged write")) applied "
      + "(\(audit.rejected) rejected, \(audit.unknown) unknown)"
    sentence +=
      audit.isComplete(context.state)
      ? ", and the state agrees with them." : "; some are still in progress."
    if order.operations > 0 { sentence += " \(order.operations) reads and writes have a consistent order." }
    if order.unchecked > 0 {
      sentence += " \(order.unchecked) more could not be judged, because too many of them overlap."
    }
    return Finding(.pass, sentence)
  }
}
