import Contract
import Primitives

/// The explanations of a client's requests under which what looks like a mistake is none.
///
/// The one measure of certainty, for all checks: a mistake under every explanation fails; a mistake under some of them warns,
/// and its sentence names the explanation that excuses it; what is no mistake under any explanation is not added to a tally.
struct Explanations: OptionSet, Sendable {
  let rawValue: UInt32

  /// Several clients without names sent the requests.
  static let severalClients = Explanations(rawValue: 1)
  /// Each request is a wish of its own, and not a repetition.
  static let separateWishes = Explanations(rawValue: 1 << 1)
  /// The client's HTTP library sent the request again, and its code never knew.
  static let library = Explanations(rawValue: 1 << 2)
  /// A person saw the response, or the missing one, and decided.
  static let person = Explanations(rawValue: 1 << 3)
  /// The requests mean something to the backend that no file of semantics declares.
  static let undeclared = Explanations(rawValue: 1 << 4)
  /// A queue delivered the same write once more, to another worker.
  static let redelivery = Explanations(rawValue: 1 << 5)
  /// The client waits for a record to appear, or for another attempt to end.
  static let waiting = Explanations(rawValue: 1 << 6)
  /// The waits were drawn, and look as they do by chance.
  static let chance = Explanations(rawValue: 1 << 7)
  /// The requests had been sent when the response came.
  static let underWay = Explanations(rawValue: 1 << 8)
  /// Another part of the same app, with a User-Agent of its own, looked.
  static let otherAgent = Explanations(rawValue: 1 << 9)
  /// A request whose content never came was to repeat the write.
  static let incomplete = Explanations(rawValue: 1 << 10)
  /// Two contents that are too long to be compared by their meaning mean the same.
  static let sameMeaning = Explanations(rawValue: 1 << 11)
  /// A read of another path shows what was added.
  static let shownElsewhere = Explanations(rawValue: 1 << 12)
  /// The limit that refused one request does not cover the other.
  static let separateLimit = Explanations(rawValue: 1 << 13)
  /// An equal write that follows repeats it.
  static let repetition = Explanations(rawValue: 1 << 18)

  // Explanations that later requests confirm or exclude; see `decided(for:by:_:)`.

  /// Several clients, if the connections of their address and User-Agent show that there are several.
  static let severalIfShared = Explanations(rawValue: 1 << 14)
  /// Several clients, if requests of their address and User-Agent were ever sent side by side.
  static let severalIfParallel = Explanations(rawValue: 1 << 15)
  /// Two wishes, if the first one's key comes again; perhaps, if a read that shows both follows.
  static let wishesIfKeyReturns = Explanations(rawValue: 1 << 16)
  /// No mistake, if the same request succeeds in the end.
  static let waitingIfAnswered = Explanations(rawValue: 1 << 17)
  /// No mistake, if its client never sends an equal write after an answer; else perhaps repeated by the one that follows.
  static let repetitionUnlessMeant = Explanations(rawValue: 1 << 19)

  private static let open: Explanations = [
    .severalIfShared, .severalIfParallel, .wishesIfKeyReturns, .waitingIfAnswered, .repetitionUnlessMeant,
  ]

  /// True if later requests confirm or exclude one of them.
  var isOpen: Bool { !isDisjoint(with: Self.open) }

  /// The verdict on what is a mistake except under these explanations.
  var verdict: Verdict { isEmpty ? .fail : .warn }

  /// The sentences that name them, each after a space; empty if there are none.
  var sentences: String {
    Self.clauses.filter { contains($0.explanation) }.map { " It is no mistake if \($0.clause)." }.joined()
      + (contains(.severalClients) ? ReportText.clientNameAdvice : "")
  }

  private static let clauses: [(explanation: Explanations, clause: String)] = [
    (.separateWishes, "each of them was meant"),
    (.library, "the HTTP library sent it again by itself"),
    (.person, "a person saw that, and decided"),
    (.undeclared, "the backend takes it otherwise than its method says; declare it by --semantics"),
    (.shownElsewhere, "another path that it has read shows what was added"),
    (.otherAgent, "the reads of another User-Agent at the same address were the same app's"),
    (.separateLimit, "the limit is that of the first request's resource alone"),
    (.incomplete, "the request to the same path whose content never came was to repeat it"),
    (.sameMeaning, "the two contents, which are compared by their bytes because they are long, mean the same"),
    (.redelivery, "a queue delivered the same write once more"),
    (.waiting, "the client waits for what is not there yet"),
    (.chance, "the waits are drawn at random, and came out so by chance"),
    (.underWay, "the requests had been sent before the response came"),
    (.repetition, "the equal write that follows repeats it"),
  ]
}

extension Explanations {
  /// Returns the explanations with those that an exchange confirms; nil if it makes one of them certain.
  ///
  /// Each exchange is asked when it comes, from the suspect's own on: a table from which evidence could be evicted before
  /// the end of a long run is not needed.
  ///
  /// - Parameter suspect: The request that looks like a mistake.
  func decided(for suspect: Suspect, by seen: Observation, _ history: History) -> Explanations? {
    if contains(.wishesIfKeyReturns), suspect.isSentAgain(by: seen) { return nil }
    guard seen.client == suspect.client else { return self }
    if contains(.waitingIfAnswered), seen.identity == suspect.identity, !seen.hasFailed { return nil }
    var left = self
    if contains(.severalIfShared), history.unnamed.isShared(seen.client) { left.insert(.severalClients) }
    if contains(.severalIfParallel), history.unnamed.isParallel(seen.client) { left.insert(.severalClients) }
    if contains(.wishesIfKeyReturns), history.effects.stands(suspect.id), suspect.isShown(by: seen) {
      left.insert(.separateWishes)
    }
    if contains(.repetitionUnlessMeant), history.requests.wasSentAgain(suspect.identity) { left.insert(.repetition) }
    return left
  }

  /// The explanations at the end, when no request follows that could confirm one; nil if it is no mistake.
  var concluded: Explanations? {
    if contains(.repetitionUnlessMeant), !contains(.repetition) { return nil }
    let left = subtracting(Self.open)
    return contains(.waitingIfAnswered) ? left.union(.waiting) : left
  }

  /// The explanations of a mistake that is no longer watched: a later request may confirm each of them.
  var unwatched: Explanations? {
    guard var left = concluded else { return nil }
    if !isDisjoint(with: [.severalIfShared, .severalIfParallel]) { left.insert(.severalClients) }
    if contains(.wishesIfKeyReturns) { left.insert(.separateWishes) }
    return left
  }
}

/// A request whose explanations later requests decide.
struct Suspect: Sendable, Equatable {
  let id: Int
  fileprivate let client: UInt64
  fileprivate let identity: UInt64
  /// The scope of the key of the write that it seems to repeat; nil if there is none.
  private let firstKey: UInt64?
  private let end: MonotonicInstant
  private let intent: Intent?
  private let api: Int?
  private let operation: Contract.Operation?

  init(_ seen: Observation, firstKey: UInt64? = nil) {
    (id, client, identity, end) = (seen.id, seen.client, seen.identity, seen.end)
    (intent, api, operation) = (seen.intent, seen.api, seen.operation)
    self.firstKey = firstKey
  }

  static func == (left: Suspect, right: Suspect) -> Bool { left.id == right.id }

  /// True if a later request has the key of the write that it seems to repeat.
  fileprivate func isSentAgain(by seen: Observation) -> Bool {
    guard seen.isWrite, seen.replayOf == nil, seen.id > id, let key = seen.key else { return false }
    return KeyHistory.scope(of: key, seen) == firstKey
  }

  /// True if a later request shows what became of it.
  fileprivate func isShown(by seen: Observation) -> Bool {
    guard seen.id > id, seen.end >= end, let look = seen.intent, look.reads || look.isRemoval else { return false }
    return seen.resolves(intent, of: api, by: operation)
  }
}

extension Observation {
  /// The explanations by which its sender may be another client than that of an earlier attempt.
  func otherSenders(than attempt: LogicalRequest.Attempt) -> Explanations {
    isNamed || connection != 0 && connection == attempt.connection ? [] : .severalClients
  }

  /// The explanations by which several clients may have sent it and those before it, as far as their connections will show.
  ///
  /// - Parameter sideBySide: True if requests that came side by side are enough for that.
  func otherSenders(sideBySide: Bool) -> Explanations {
    isNamed ? [] : sideBySide ? .severalIfParallel : .severalIfShared
  }
}
