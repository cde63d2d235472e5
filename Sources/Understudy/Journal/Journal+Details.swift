import Faults
import Report
import Services

extension Journal {
  /// The facts about an exchange that few have.
  struct Details {
    var remark: String?
    /// The name that the file of semantics gives the operation.
    var operation: String?
    /// The reason for which it is not known whether a rule of semantics applies.
    var undeclaredReason: String?
    /// The position in the ring of the stored body of the response.
    var body: Range<Int>?
    /// The result of asking the backend.
    var upstream: UpstreamOutcome?
  }

  /// Returns the handler's remark on an exchange.
  func remark(on entry: ExchangeRecord) -> String? { details[entry.id]?.remark }

  /// Returns the name that the file of semantics gives an entry's operation; nil if it gives none.
  func operation(of entry: ExchangeRecord) -> String? { details[entry.id]?.operation }

  /// Returns the reason for which it is not known whether a rule of semantics applies to an entry's request.
  func undeclaredReason(of entry: ExchangeRecord) -> String? { details[entry.id]?.undeclaredReason }

  /// Records what the file of semantics says of the request of the next entry.
  mutating func record(_ route: ResolvedRoute, of id: Int) {
    let (name, reason) = (route.stream.operation, route.undeclaredReason)
    guard id > lastID, name != nil || reason != nil else { return }
    details[id] = Details(operation: name, undeclaredReason: reason)
    isResized = true
  }

  /// Returns the stored body of an entry's response.
  func responseBody(of entry: ExchangeRecord) -> [UInt8]? { details[entry.id]?.body.flatMap { text($0) } }

  /// Returns the result of asking the backend; nil if it was not asked.
  func upstream(of entry: ExchangeRecord) -> UpstreamOutcome? { details[entry.id]?.upstream }

  /// Records the result of asking the backend.
  mutating func record(_ outcome: UpstreamOutcome, isLate: Bool, of id: Int) {
    guard isRetained(id) else { return }
    var outcome = outcome
    outcome.isLate = isLate
    details[id, default: Details()].upstream = outcome
  }

  /// Records that the backend's answer, which was passed on as it came, did not come to its end.
  mutating func record(_ failure: UpstreamOutcome.Failure, of id: Int) {
    details[id]?.upstream?.failure = failure
  }
}
