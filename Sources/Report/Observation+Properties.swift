import Contract
import Faults
import Primitives

/// The properties that an observation has from its record.
extension Observation {
  /// The journal's id.
  package var id: Int { record.id }

  /// The number of the connection; 0 where it is not known.
  var connection: Int { record.connection }

  /// True if the request may change the sandbox's state.
  var isWrite: Bool { record[.write] }

  var isApplied: Bool { record[.applied] }

  /// True if it was refused before all of its content had come, and so asked for nothing that can be judged.
  var isIncomplete: Bool { record[.incomplete] }

  /// True if the request says on which version of its record it builds: `If-Match`.
  var isConditionalWrite: Bool { record[.conditionalWrite] }

  /// True if the request asks for a fresh response whatever it has: `Cache-Control: no-cache`.
  var isRefresh: Bool { record[.refresh] }

  /// True if the body is compared by its bytes: it is too long to be parsed for each attempt, and some are refused unread.
  var isComparedByBytes: Bool { record[.comparedByBytes] }

  /// True if its plan was not empty.
  var isPlanned: Bool { record[.planned] }

  var isGet: Bool { record.method == .get }

  var outcome: ExchangeOutcome { record.judgedOutcome }

  var api: Int? { record.api }

  /// The status whose line was sent.
  var status: Int? { record.status }

  var body: UInt64 { record.body }

  /// The hash of the response's entity tag.
  var tag: UInt64? { record.tag }

  /// The versions of the state before and after.
  var versions: Range<Int>? { record.versions }

  /// The time for which schedules had kept the sandbox offline by the end.
  var timeOffline: Duration { record.timeOffline.duration }

  /// The time for which the client waited, without the advances, which its own clock does not have.
  var waitedTime: Duration { record.total.duration }

  /// The delay of the response.
  var measuredDelay: Duration { record.measured.duration }

  /// The total advance of the sandbox's clock when the request came, and at the end.
  var advanced: ClosedRange<Duration> {
    record.advancedAtArrival.duration...max(record.advancedAtArrival, record.advancedAtEnd).duration
  }
}

/// The properties that an observation has from its attachment.
extension Observation {
  /// The client, as a hash of its own identification.
  var client: UInt64 { attachment.client.hash }

  /// True if the client said who it is by `Understudy-Client`; else two people may be taken for one.
  var isNamed: Bool { attachment.client.isNamed }

  var clientText: ArraySlice<UInt8> { attachment.client.text[...] }

  /// The client's address.
  var peer: String { attachment.client.peer }

  var peerHash: UInt64 { attachment.client.peerHash }

  /// True if it is not known whether the request changed the state.
  var isEffectUnknown: Bool { record.isEffectUnknown }

  /// The method as sent.
  var method: String { attachment.rare?.details.method ?? record.method?.rawValue ?? "" }

  var plan: Plan { attachment.rare?.details.plan ?? .none }

  var replayOf: Int? { attachment.rare?.details.replayOf }

  /// The hash of the `Idempotency-Key`.
  var key: UInt64? { attachment.rare?.details.key }

  var retryAfter: Duration? { attachment.rare?.details.retryAfter }

  /// True if it asked for a wait by an HTTP-date.
  var isRetryAfterDate: Bool { attachment.rare?.details.isRetryAfterDate == true }

  var namedTags: [UInt64] { attachment.rare?.details.namedTags ?? [] }

  var requiredTags: [UInt64] { attachment.rare?.details.requiredTags ?? [] }

  /// The hash of the fields by which an equal request is another one; 0 if there are none.
  var variant: UInt64 { attachment.rare?.details.variant ?? 0 }

  /// The hash of `Authorization` as it was sent; 0 if there is none.
  var authorization: UInt64 { attachment.rare?.details.authorization ?? 0 }

  /// The hash of what a backend names as the result of a write; nil if it names nothing.
  var namedResult: UInt64? { attachment.rare?.details.result }

  /// The hash of what its response says; nil if only the status is known.
  var answer: UInt64? { tag ?? record.contentHash ?? attachment.rare?.details.content }

  var lastEvent: UInt64? { attachment.rare?.details.lastEvent }

  var operation: Contract.Operation? { attachment.subject.operation }

  /// True if its API has no records of its own, but those that paths name.
  var isOfUnknownAPI: Bool { attachment.subject.isOfUnknownAPI }

  /// True if a file of semantics declares what it means to a backend.
  var isDeclared: Bool { isOfUnknownAPI && operation?.effect.isAssumed == false }

  /// The explanation that an equal request adds nothing, or that another path shows what was added, unless that is declared.
  var undeclared: Explanations {
    operation.map { $0.effect.isAssumed && $0.effect.kind == .adds } == true ? .undeclared : []
  }

  /// True if its target has the text of a missing value in the place of an id.
  var namesNothing: Bool {
    target.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
      .contains { ["undefined", "null", "NaN", "None", "nil"].contains(String(decoding: $0, as: UTF8.self)) }
  }

  /// The time for which its response may be reused; nil if neither its operation nor the response says one.
  var lifetime: Duration? { operation?.caching.lifetime ?? attachment.rare?.details.lifetime }

  /// True if its operation limits how often it is asked, or how long its response may be reused.
  var isTimed: Bool { attachment.subject.traits.contains(.timed) }

  /// True if its response is a stream of events.
  var isStream: Bool { attachment.subject.isStream }

  /// The meaning of the request; nil if only its bytes are known.
  var intent: Intent? { attachment.meaning?.intent ?? attachment.subject.readIntent }

  /// The hash of what equal writes share though their times and random ids differ; nil if it is not known.
  var likeness: UInt64? { attachment.meaning?.likeness }

  /// True if it has an id that its response repeats, so that responses to equal requests differ.
  var isCall: Bool { attachment.meaning?.isCall ?? false }

  /// The request's purpose for people.
  var purpose: Purpose { attachment.meaning?.purpose ?? .none }
}
