import Contract
import Faults
import HTTP1

/// One exchange as the report sees it, once it has come out somehow: exactly the facts that the checks judge by.
///
/// Texts that only a sentence needs are kept as bytes, so that an exchange about which nothing is said costs no string.
struct Observation: Sendable {
  /// The journal's id.
  var id = 0
  /// Who asked, as a hash of what the client says of itself.
  var client: UInt64 = 0
  var method = "GET"
  var target: ArraySlice<UInt8> = []
  /// The hash of API and canonical path: what a retry, a later write and a re-read have in common.
  var place: UInt64 = 0
  var body: UInt64 = 0
  /// What the request means; nil where its bytes are all that is known.
  var intent: Intent?
  /// What the attempts of one logical request have in common, once `identify()` was called.
  private(set) var identity: UInt64 = 0
  /// The hash of the `Idempotency-Key`.
  var key: UInt64?
  var api: Int?
  var operation: Contract.Operation?
  /// True if the request may change what the sandbox holds.
  var isWrite = false
  /// The entry that a transport, and not the client, sent once more with this request.
  var replayOf: Int?
  var plan = Plan.none
  var outcome = JournalEntry.Outcome.sent
  /// The status whose line reached the wire.
  var status: Int? = 200
  /// The least wait that the reply asked for.
  var retryAfter: Duration?
  var isApplied = false
  /// The versions of the state before and after.
  var versions: Range<Int>?
  /// The hash of the entity tag that the reply carried.
  var tag: UInt64?
  /// The hashes of the entity tags that the request named in `If-None-Match`.
  var namedTags: [UInt64] = []
  /// When the request was whole, and when its exchange ended: real time plus what the sandbox's clock was advanced.
  var arrival = Tick(nanoseconds: 0)
  var end = Tick(nanoseconds: 0)
  /// How long schedules had kept the sandbox off the network by the end.
  var timeOffline = Duration.zero
  /// How long the client was kept, without the advances: its own clock knows nothing of them.
  var kept = Duration.zero
  /// How long the reply was held back.
  var held = Duration.zero
  /// What the request wrote, or what the reply said.
  var effect = Effect.none

  /// What an exchange tells about registers: the parts of the state that one write replaces.
  enum Effect: Sendable {
    case none
    case write([Register.Value])
    /// Lowers a counter by one.
    case take(Register)
    /// All records of an API are what they were at the start, which is known by register.
    case restore(api: String, initial: @Sendable (Register) -> String?)
    /// The reply's body, read when somebody asks: most reads are never looked at again.
    case read(Register.Record, body: [UInt8])
  }
}

extension Observation {
  /// What the client could make of it.
  enum Result: Sendable, Equatable {
    case success
    /// 4xx: the same again will fare no better, save for `isWorthRepeating`.
    case rejected(Int)
    /// 5xx, 429 and their like: not now.
    case unavailable(Int)
    /// Whole, but no reply that the API would give.
    case damaged
    /// No reply, or only a part of it.
    case lost
    /// The server itself ended it; nobody is to blame.
    case cut
  }

  var result: Result {
    if outcome == .cut || outcome == .pending { return .cut }
    guard outcome == .sent || outcome == .notDeliverable, let status else { return .lost }
    if outcome == .sent, let damage = plan.damage {
      // What is stale is whole, and was true once.
      guard damage.isStale else { return .damaged }
    }
    switch status {
    case 408, 425, 429, 500...: return .unavailable(status)
    case 400...: return .rejected(status)
    default: return .success
    }
  }

  /// Whether a client that sends the same again may be retrying.
  var hasFailed: Bool { result != .success && result != .cut }

  /// Whether it told its client something of the records, or changed them.
  var tells: Bool { method != "HEAD" && (isWrite || result == .success) }

  /// Whether the client learnt from it what became of a write, or made that moot.
  func settles(_ write: Intent?, of api: Int?) -> Bool {
    guard tells, let intent, let write, api == self.api else { return false }
    return intent.settles(write)
  }

  /// Whether it is known when the client knew how it ended. That a peer has gone is noticed at once only in a silence;
  /// else it is when the reply is due.
  var isEndKnown: Bool {
    guard outcome == .peerGone else { return true }
    return plan.ending?.hold != nil
  }

  /// Works out what makes requests the same; once, since most checks ask for it.
  ///
  /// Writes are the same by what they mean, reads by what they name.
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

  static func hash(_ text: String) -> UInt64 { Dice.hash(text) }
  static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 { Fingerprint(of: bytes).value }
}

extension UInt64 {
  /// One hash of two. It withstands accidents, not malice.
  func mixed(with word: UInt64) -> UInt64 { Fingerprint.mix(word, into: self) }
}
