/// The exactly-once audit: acknowledged writes were applied, at most once for each logical write, and are still in the
/// state.
///
/// A failure is an error of the backend, or of a change of its state by other means; clients may rely on this.
struct AcknowledgedWritesKept: Check {
  static let id = "acknowledged-writes-kept"
  static let rank = 80

  private(set) var audit = Audit()
  private(set) var history = History()

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    audit.observe(seen)
    history.observe(seen)
  }

  mutating func note(_ event: SandboxEvent) {
    audit.note(event)
    if case .replaced(let state, let now) = event { history.replace(with: state, at: now) }
  }

  func finding(_ moment: CheckContext) -> Finding {
    var evidence = Evidence()
    var complaints = audit.complaints(moment.state, &evidence)
    let order = history.judged
    if let violation = order.violation {
      complaints.append("No order of the reads and writes of \(violation.register) explains what was read.")
      for id in violation.ids { evidence.add(id) }
    }
    guard complaints.isEmpty else {
      return Finding(.fail, "The server, not the client, is at fault: " + complaints.joined(separator: " "), evidence)
    }
    guard audit.acknowledged > 0 else { return Finding(.notExercised, "No write was acknowledged.") }
    var sentence =
      "\(Words.count(audit.acknowledged, "acknowledged write")) \(Words.were(audit.acknowledged)) applied "
      + "(\(audit.rejected) rejected, \(audit.unknown) unknown)"
    sentence += audit.isComplete(moment.state) ? ", and the state is what they make." : "; some are still under way."
    if order.operations > 0 { sentence += " \(order.operations) reads and writes stand in one order." }
    if order.tangled > 0 {
      sentence += " \(order.tangled) more overlap too much to be judged."
    }
    return Finding(.pass, sentence)
  }
}
