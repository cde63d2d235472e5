import Contract
import Faults
import HTTP1

/// One finished exchange, reduced to the facts that the checks use.
///
/// Texts that only a sentence needs are stored as bytes, so that an exchange without a finding needs no string.
struct Observation: Sendable {
  /// The journal's id.
  var id = 0
  /// The client, as a hash of its own identification.
  var client: UInt64 = 0
  /// True if the client said who it is by `Understudy-Client`; else two people may be taken for one.
  var isNamed = true
  /// The client's own identification: its name, else its `User-Agent`.
  var clientText: ArraySlice<UInt8> = []
  /// The client's address.
  var peer = ""
  /// The number of the connection; 0 where it is not known.
  var connection = 0
  var method = "GET"
  var target: ArraySlice<UInt8> = []
  /// The hash of API and canonical path, which a retry, a later write and a re-read share.
  var place: UInt64 = 0
  var body: UInt64 = 0
  /// The meaning of the request; nil if only its bytes are known.
  var intent: Intent?
  /// The hash that attempts of one logical request share, after `identify()`.
  private(set) var identity: UInt64 = 0
  /// The hash of the `Idempotency-Key`.
  var key: UInt64?
  var api: Int?
  var operation: Contract.Operation?
  /// True if the request may change the sandbox's state.
  var isWrite = false
  /// The entry that a transport, and not the client, sent again with this request.
  var replayOf: Int?
  var plan = Plan.none
  var outcome = JournalEntry.Outcome.sent
  /// The status whose line was sent.
  var status: Int? = 200
  /// The minimum wait that the response requested.
  var retryAfter: Duration?
  var isApplied = false
  /// The versions of the state before and after.
  var versions: Range<Int>?
  /// The hash of the response's entity tag.
  var tag: UInt64?
  /// The hashes of the entity tags in the request's `If-None-Match`.
  var namedTags: [UInt64] = []
  /// The instants at which the request was complete and its exchange ended: real time plus the advances of the
  /// sandbox's clock.
  var arrival = MonotonicInstant(nanoseconds: 0)
  var end = MonotonicInstant(nanoseconds: 0)
  /// The time for which schedules had kept the sandbox offline by the end.
  var timeOffline = Duration.zero
  /// The time for which the client waited, without the advances, which its own clock does not have.
  var kept = Duration.zero
  /// The delay of the response.
  var held = Duration.zero
  /// The total advance of the sandbox's clock when the request came, and at the end.
  var advanced: ClosedRange<Duration> = .zero ... .zero
  /// True if the request says on which version of its record it builds: `If-Match`.
  var isConditionalWrite = false
  /// True if the request asks for a fresh response whatever it has: `Cache-Control: no-cache`.
  var isRefresh = false
  /// True if it goes on with a steady poll that was under way before: such a read shows no interest in a write.
  var isBackground = false
  /// The content of the request, or of the response.
  var effect = Effect.none

  /// The effect of an exchange on registers: the parts of the state that one write replaces.
  enum Effect: Sendable {
    case none
    case write([Register.Value])
    /// Lowers a counter by one.
    case take(Register)
    /// All records of an API are what they were at the start, which is known by register.
    case restore(api: String, initial: @Sendable (Register) -> String?)
    /// The response's body, parsed on demand: most reads are never used again.
    case read(Register.Record, body: [UInt8])
  }
}

extension Observation {
  /// The outcome from the client's point of view.
  enum Result: Sendable, Equatable {
    case success
    /// 4xx: the same request will fail again, except for `isWorthRepeating`.
    case rejected(Int)
    /// 5xx, 429 and similar: a later request may succeed.
    case unavailable(Int)
    /// Complete, but not a response of the API.
    case damaged
    /// No response, or only a part of it.
    case lost
    /// The server itself ended it; this is not the client's failure.
    case cut
  }

  var result: Result {
    if outcome == .cut || outcome == .pending { return .cut }
    guard outcome == .sent || outcome == .notDeliverable, let status else { return .lost }
    if outcome == .sent, let damage = plan.damage {
      // A stale response is complete, and was correct at an earlier time.
      guard damage.isStale else { return .damaged }
    }
    switch status {
    case 408, 425, 429, 500...: return .unavailable(status)
    case 400...: return .rejected(status)
    default: return .success
    }
  }

  /// True if the API said that it will not do it.
  var isRefused: Bool { if case .rejected = result { true } else { false } }

  /// True if an outage kept it from the backend: such an attempt is no load.
  var isOutage: Bool { plan.ending?.kind == Offline.kind }

  /// True if the client is certain to be the one that made an earlier attempt: by its name, or by the connection.
  func isSureOfClient(_ attempt: LogicalRequest.Attempt) -> Bool {
    isNamed || connection != 0 && connection == attempt.connection
  }

  /// Moments by a clock that is never advanced, and that stands still while the sandbox is off the network, as it was read
  /// at the exchange's end: an arrival is too early only where an outage began and ended during the exchange.
  var arrivalOnline: MonotonicInstant { arrival - advanced.lowerBound - timeOffline }
  var endOnline: MonotonicInstant { end - advanced.upperBound - timeOffline }

  /// True if a client that sends the same again may be retrying.
  var hasFailed: Bool { result != .success && result != .cut }

  /// True if it returned records to its client, or changed them. What drifted can still be read.
  var tells: Bool {
    guard method != "HEAD" else { return false }
    return isWrite || result == .success || result == .damaged && status == 200 && !isUnreadable
  }

  /// True if it came whole with 2xx, and a body that no client of the API can read.
  var isUnreadable: Bool {
    guard result == .damaged, let status, 200..<300 ~= status, let kind = plan.damage?.kind else { return false }
    return kind == .corrupt || kind == .wrongType || kind == .captivePortal
  }

  /// Returns true if the client learnt the outcome of a write from it, or if it makes the write irrelevant.
  func settles(_ write: Intent?, of api: Int?) -> Bool {
    guard tells, let intent, let write, api == self.api else { return false }
    return intent.settles(write)
  }

  /// True if the instant is known at which the client knew its end. The server notices a disconnection at once only
  /// during a silence; otherwise when the response is due.
  var isEndKnown: Bool {
    guard outcome == .peerGone else { return true }
    return plan.ending?.hold != nil
  }

  /// Computes the hash that makes requests equal; once, because most checks use it.
  ///
  /// Writes are equal by their meaning, reads by their target.
  mutating func identify() {
    guard isWrite else {
      identity = client.mixed(with: place).mixed(with: Self.hash(method)).mixed(with: Self.hash(target)).mixed(
        with: body
      )
      .mixed(with: key ?? 1)
      return
    }
    let meant = intent ?? Intent(.none, record: place, meaning: place.mixed(with: Self.hash(method)).mixed(with: body))
    intent = meant
    identity = client.mixed(with: UInt64(api ?? 255)).mixed(with: meant.kind.rawValue).mixed(with: meant.meaning)
  }

  static func hash(_ text: String) -> UInt64 { SeededHash.hash(text) }
  static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 { Fingerprint(of: bytes).value }
}

extension UInt64 {
  /// Returns one hash of two. It withstands accidents, not malice.
  func mixed(with word: UInt64) -> UInt64 { Fingerprint.mix(word, into: self) }
}
