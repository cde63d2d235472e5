import Contract
import Primitives

@testable import Faults
@testable import Report

/// Setters for the properties that an observation has from its record.
extension Observation {
  /// A GET that was answered with 200, and of which nothing else is known.
  static var answered: Observation {
    var seen = Observation()
    (seen.outcome, seen.status) = (.sent, 200)
    return seen
  }

  var id: Int {
    get { record.id }
    set { record.id = newValue }
  }

  var connection: Int {
    get { record.connection }
    set { record.connectionNumber = UInt32(newValue) }
  }

  var isWrite: Bool {
    get { record[.write] }
    set { record[.write] = newValue }
  }

  var isApplied: Bool {
    get { record[.applied] }
    set { record[.applied] = newValue }
  }

  var outcome: ExchangeOutcome {
    get { record.judgedOutcome }
    set { record.judgedOutcome = newValue }
  }

  var api: Int? {
    get { record.api }
    set { record.apiIndex = newValue.map { Int16($0) } ?? -1 }
  }

  var status: Int? {
    get { record.status }
    set { record.status = newValue }
  }

  var body: UInt64 {
    get { record.body }
    set { record.body = newValue }
  }

  var tag: UInt64? {
    get { record.tag }
    set { record.tag = newValue }
  }

  var versions: Range<Int>? {
    get { record.versions }
    set { record.versions = newValue }
  }

  var advanced: ClosedRange<Duration> {
    get { record.advancedAtArrival.duration...record.advancedAtEnd.duration }
    set {
      record.advancedAtArrival = NanosecondDuration(newValue.lowerBound)
      record.advancedAtEnd = NanosecondDuration(newValue.upperBound)
    }
  }
}

/// Setters for the properties that an observation has from its attachment.
extension Observation {
  var client: UInt64 {
    get { attachment.client.hash }
    set { attachment.client = Client(newValue, [], isNamed: isNamed, at: "") }
  }

  var isNamed: Bool {
    get { attachment.client.isNamed }
    set { attachment.client = Client(client, [], isNamed: newValue, at: "") }
  }

  private var details: RareDetails {
    get { attachment.rare?.details ?? RareDetails() }
    set {
      attachment.rare = SharedDetails(newValue)
      record[.planned] = !newValue.plan.isEmpty
      record[.damagePlanned] = newValue.plan.isDamaging
    }
  }

  var method: String {
    get { record.method?.rawValue ?? details.method ?? "" }
    set {
      record.method = Method(rawValue: newValue)
      if record.method == nil { details.method = newValue }
    }
  }

  var planned: Plan {
    get { details.plan }
    set { details.plan = newValue }
  }

  var replayOf: Int? {
    get { details.replayOf }
    set { details.replayOf = newValue }
  }

  var key: UInt64? {
    get { details.key }
    set { details.key = newValue }
  }

  var retryAfter: Duration? {
    get { details.retryAfter }
    set { details.retryAfter = newValue }
  }

  var isRetryAfterDate: Bool {
    get { details.isRetryAfterDate }
    set { details.isRetryAfterDate = newValue }
  }

  var namedTags: [UInt64] {
    get { details.namedTags }
    set { details.namedTags = newValue }
  }

  var operation: Contract.Operation? {
    get { attachment.subject.operation }
    set {
      let subject = Subject(newValue, api: api ?? 0, arguments: [], path: "")
      attachment = RecordAttachment(subject, attachment.client, attachment.meaning, rare: attachment.rare)
    }
  }

  var intent: Intent? {
    get { attachment.meaning?.intent }
    set { attachment.meaning = Meaning(newValue, purpose) }
  }

  var purpose: Purpose {
    get { attachment.meaning?.purpose ?? .none }
    set { attachment.meaning = Meaning(attachment.meaning?.intent, newValue) }
  }
}

extension Plan {
  /// Changes the plan as rules would.
  mutating func change(_ change: (inout PlanDraft) -> Void) {
    var changed = draft
    change(&changed)
    self = Plan(changed)
  }
}
