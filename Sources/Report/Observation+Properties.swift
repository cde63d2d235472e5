import Contract
import Faults
import Primitives

/// The properties that an observation has from its entry.
extension Observation {
  /// The journal's id.
  package var id: Int { entry.id }

  /// The number of the connection; 0 where it is not known.
  var connection: Int { entry.connection }

  /// True if the request may change the sandbox's state.
  var isWrite: Bool { entry[.write] }

  var isApplied: Bool { entry[.applied] }

  /// True if it was refused before all of its content had come, and so asked for nothing that can be judged.
  var isIncomplete: Bool { entry[.incomplete] }

  /// True if the request says on which version of its record it builds: `If-Match`.
  var isConditionalWrite: Bool { entry[.conditionalWrite] }

  /// True if the request asks for a fresh response whatever it has: `Cache-Control: no-cache`.
  var isRefresh: Bool { entry[.refresh] }

  /// True if the body is compared by its bytes: it is too long to be parsed for each attempt, and some are refused unread.
  var isComparedByBytes: Bool { entry[.comparedByBytes] }

  /// True if its plan was not empty.
  var isPlanned: Bool { entry[.planned] }

  var isGet: Bool { entry.method == .get }

  var outcome: ExchangeOutcome { entry.judgedOutcome }

  var api: Int? { entry.api }

  /// The status whose line was sent.
  var status: Int? { entry.status }

  var body: UInt64 { entry.body }

  /// The hash of the response's entity tag.
  var tag: UInt64? { entry.tag }

  /// The versions of the state before and after.
  var versions: Range<Int>? { entry.versions }

  /// The time for which schedules had kept the sandbox offline by the end.
  var timeOffline: Duration { entry.timeOffline.duration }

  /// The time for which the client waited, without the advances, which its own clock does not have.
  var waitedTime: Duration { entry.total.duration }

  /// The delay of the response.
  var measuredDelay: Duration { entry.measured.duration }

  /// The total advance of the sandbox's clock when the request came, and at the end.
  var advanced: ClosedRange<Duration> {
    entry.advancedAtArrival.duration...max(entry.advancedAtArrival, entry.advancedAtEnd).duration
  }
}

/// The properties that an observation has from its client, its route and its details.
extension Observation {
  var subject: Subject { entry.subject }

  private var sender: Entry.Client { entry.client ?? .unknown }

  /// The client, as a hash of its own identification.
  var client: UInt64 { sender.hash }

  /// True if the client said who it is by `Understudy-Client`; else two people may be taken for one.
  var isNamed: Bool { sender.isNamed }

  var clientText: ArraySlice<UInt8> { sender.text[...] }

  /// The client's address.
  var peer: String { sender.peer }

  var peerHash: UInt64 { sender.peerHash }

  /// True if it is not known whether the request changed the state.
  var isEffectUnknown: Bool { entry.isEffectUnknown }

  /// The method as sent.
  var method: String { entry.method?.rawValue ?? String(decoding: entry.texts.method, as: UTF8.self) }

  var plan: Plan { entry.rare?.details.plan ?? .none }

  var replayOf: Int? { entry.replayOf }

  /// The hash of the `Idempotency-Key`.
  var key: UInt64? { entry.rare?.details.key }

  var retryAfter: Duration? { entry.rare?.details.retryAfter }

  /// True if it asked for a wait by an HTTP-date.
  var isRetryAfterDate: Bool { entry.rare?.details.isRetryAfterDate == true }

  var namedTags: [UInt64] { entry.rare?.details.namedTags ?? [] }

  var requiredTags: [UInt64] { entry.rare?.details.requiredTags ?? [] }

  /// The hash of the fields by which an equal request is another one; 0 if there are none.
  var variant: UInt64 { entry.rare?.details.variant ?? 0 }

  /// The hash of `Authorization` as it was sent; 0 if there is none.
  var authorization: UInt64 { entry.rare?.details.authorization ?? 0 }

  /// The hash of what a backend names as the result of a write; nil if it names nothing.
  var namedResult: UInt64? { entry.rare?.details.result }

  /// The hash of what its response says; nil if only the status is known.
  var answer: UInt64? { tag ?? entry.contentHash ?? entry.rare?.details.content }

  var lastEvent: UInt64? { entry.rare?.details.lastEvent }

  var operation: Contract.Operation? { subject.operation }

  /// True if its API has no records of its own, but those that paths name.
  var isOfUnknownAPI: Bool { subject.isOfUnknownAPI }

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
  var lifetime: Duration? { operation?.caching.lifetime ?? entry.rare?.details.lifetime }

  /// True if its operation limits how often it is asked, or how long its response may be reused.
  var isTimed: Bool { subject.traits.contains(.timed) }

  /// True if its response is a stream of events.
  var isStream: Bool { subject.isStream }

  /// The meaning of the request; nil if only its bytes are known.
  var intent: Intent? { meaning?.intent ?? subject.readIntent }

  /// The hash of what equal writes share though their times and random ids differ; nil if it is not known.
  var likeness: UInt64? { meaning?.likeness }

  /// True if it has an id that its response repeats, so that responses to equal requests differ.
  var isCall: Bool { meaning?.isCall ?? false }

  /// The request's purpose for people.
  var purpose: Purpose { meaning?.purpose ?? .none }
}
