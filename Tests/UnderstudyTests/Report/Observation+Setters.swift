import Contract
import Primitives

@testable import Faults
@testable import Report

/// Setters for the properties that an observation has from its entry.
extension Observation {
  /// A GET that was answered with 200, and of which nothing else is known.
  static var answered: Observation {
    var entry = Entry(
      id: 0, at: Instant(nanoseconds: 0), method: .get, api: nil, connection: 0, n: 0, replayOf: nil,
      texts: Entry.Texts(event: []))
    (entry.judgedOutcome, entry.status) = (.sent, 200)
    return Observation(entry, nil)
  }

  var id: Int {
    get { entry.id }
    set { entry.id = newValue }
  }

  var connection: Int {
    get { entry.connection }
    set { entry.connectionNumber = UInt32(newValue) }
  }

  var isWrite: Bool {
    get { entry[.write] }
    set { entry[.write] = newValue }
  }

  var isApplied: Bool {
    get { entry[.applied] }
    set { entry[.applied] = newValue }
  }

  var outcome: ExchangeOutcome {
    get { entry.judgedOutcome }
    set { entry.judgedOutcome = newValue }
  }

  var api: Int? {
    get { entry.api }
    set { entry.apiIndex = newValue.map { Int16($0) } ?? -1 }
  }

  var status: Int? {
    get { entry.status }
    set { entry.status = newValue }
  }

  var body: UInt64 {
    get { entry.body }
    set { entry.body = newValue }
  }

  var tag: UInt64? {
    get { entry.tag }
    set { entry.tag = newValue }
  }

  var versions: Range<Int>? {
    get { entry.versions }
    set { entry.versions = newValue }
  }

  var advanced: ClosedRange<Duration> {
    get { entry.advancedAtArrival.duration...entry.advancedAtEnd.duration }
    set {
      entry.advancedAtArrival = NanosecondDuration(newValue.lowerBound)
      entry.advancedAtEnd = NanosecondDuration(newValue.upperBound)
    }
  }
}

/// Setters for the properties that an observation has from its client, its route and its details.
extension Observation {
  var client: UInt64 {
    get { entry.client?.hash ?? 0 }
    set { entry.client = Entry.Client(newValue, [], isNamed: isNamed, at: "") }
  }

  var isNamed: Bool {
    get { entry.client?.isNamed ?? true }
    set { entry.client = Entry.Client(client, [], isNamed: newValue, at: "") }
  }

  private var details: Entry.Details {
    get { entry.details ?? Entry.Details() }
    set {
      entry.details = newValue
      entry[.planned] = !newValue.plan.isEmpty
      entry[.damagePlanned] = newValue.plan.isDamaging
    }
  }

  var target: ArraySlice<UInt8> {
    get { entry.texts.target.prefix(CheckRunner.maximumTargetBytes) }
    set { entry.texts = Self.texts(entry.texts.method, newValue) }
  }

  var method: String {
    get { entry.method?.rawValue ?? String(decoding: entry.texts.method, as: UTF8.self) }
    set {
      entry.method = Method(rawValue: newValue)
      entry.texts = Self.texts(Array(newValue.utf8)[...], entry.texts.target)
    }
  }

  private static func texts(_ method: ArraySlice<UInt8>, _ target: ArraySlice<UInt8>) -> Entry.Texts {
    let bytes = Array(method + target)
    let range = method.count..<bytes.count
    return Entry.Texts(
      bytes, head: 0, count: bytes.count, method: method.count, target: range, path: range, fields: nil)
  }

  var planned: Plan {
    get { details.plan }
    set { details.plan = newValue }
  }

  var replayOf: Int? {
    get { entry.replayOf }
    set { entry.replayOf = newValue }
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
    get { entry.subject.operation }
    set { entry.subject = Subject(newValue, api: api ?? 0, arguments: [], path: "") }
  }

  var intent: Intent? {
    get { meaning?.intent }
    set { meaning = Meaning(newValue, purpose) }
  }

  var purpose: Purpose {
    get { meaning?.purpose ?? .none }
    set { meaning = Meaning(meaning?.intent, newValue) }
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
