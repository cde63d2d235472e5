import Primitives

/// The findings of one check so far: how much was in order, and each kind of mistake.
struct Tally: Sendable {
  /// The number of exchanges or fates that were in order.
  var inOrder = 0
  /// A second number that only some checks have, such as that of transports' replays.
  var others = 0
  /// The shortest and the longest of what the check measures.
  private(set) var range: ClosedRange<Duration>?
  private var mistakes: [Mistake] = []

  mutating func measure(_ duration: Duration) {
    range = range.map { min($0.lowerBound, duration)...max($0.upperBound, duration) } ?? duration...duration
  }

  /// The mistakes of one kind, by the check's own numbers of kinds.
  subscript<Kind: RawRepresentable>(kind: Kind) -> Mistake where Kind.RawValue == Int {
    get { mistakes.indices.contains(kind.rawValue) ? mistakes[kind.rawValue] : Mistake() }
    set {
      while mistakes.count <= kind.rawValue { mistakes.append(Mistake()) }
      mistakes[kind.rawValue] = newValue
    }
  }

  /// Returns the tally with each doubt decided by what the history knows at the end.
  func decided(by history: History) -> Tally {
    var decided = self
    for index in decided.mistakes.indices { decided.mistakes[index].decideDoubts(by: history) }
    return decided
  }
}

/// One kind of mistake: how often it was made, for certain and perhaps, with an example and the proof.
struct Mistake: Sendable {
  static let maximumDoubts = 256

  /// The certainty that what looks like a mistake is one.
  enum Certainty: Sendable {
    case certain
    /// The client may have meant it.
    case perhapsMeant
    /// It may be several clients' doing, because they have no names.
    case perhapsSeveral
    /// It is one unless the client without a name turns out to be several; `isParallel` if requests side by side suffice.
    case unlessShared(UInt64, isParallel: Bool)
    /// It is one unless this key comes again later, for the two were separate writes then.
    case unlessKeyReturns(scope: UInt64, isNamed: Bool)
  }

  private struct Doubt: Sendable {
    let certainty: Certainty
    let request: String
    let ids: [Int]
    let newest: Int
  }

  private(set) var certain = 0
  private(set) var doubtful = 0
  /// The request of the first certain mistake, else of the first doubtful one; where mistakes have figures, of the worst.
  private(set) var example = ""
  /// The worst figure, and what would have been right.
  private(set) var figure: Duration?
  private(set) var allowed = Duration.zero
  private var proof = Evidence()
  private var hints = Evidence()
  /// True if the doubtful ones may be several clients' doing.
  private(set) var mayBeSeveralClients = false
  private var isExampleCertain = false
  private var doubts: [Doubt] = []

  /// The number of certain ones; where there are none, of doubtful ones.
  var count: Int { certain > 0 ? certain : doubtful }
  var evidence: Evidence { certain > 0 ? proof : hints }
  var verdict: Verdict { certain > 0 ? .fail : .warn }
  /// The advice where several clients may have been taken for one.
  var advice: String { certain == 0 && mayBeSeveralClients ? ReportText.clientNameAdvice : "" }

  /// Adds a mistake of a request.
  ///
  /// - Parameters:
  ///   - earlier: The exchanges before it that prove it.
  ///   - figure: What was measured, such as a wait; the greater the difference to what is allowed, the worse.
  mutating func add(
    _ seen: Observation, after earlier: [Int] = [], _ certainty: Certainty = .certain,
    figure: (measured: Duration, allowed: Duration)? = nil
  ) {
    add(ReportText.request(seen), ids: earlier + [seen.id], newest: seen.id, certainty, figure: figure)
  }

  mutating func add(
    _ request: String, ids: [Int], newest: Int = 0, _ certainty: Certainty = .certain,
    figure: (measured: Duration, allowed: Duration)? = nil
  ) {
    switch certainty {
    case .certain: count(request, ids, isCertain: true, figure)
    case .perhapsMeant: count(request, ids, isCertain: false, figure)
    case .perhapsSeveral:
      mayBeSeveralClients = true
      count(request, ids, isCertain: false, figure)
    case .unlessShared, .unlessKeyReturns:
      if doubts.count == Self.maximumDoubts {
        let first = doubts.removeFirst()
        count(first.request, first.ids, isCertain: false, nil)
      }
      doubts.append(Doubt(certainty: certainty, request: request, ids: ids, newest: newest))
    }
  }

  /// Adds a needless read, which its client may have meant: with the one that makes them a habit the mistake begins, and each
  /// further one is part of its proof.
  ///
  /// - Parameters:
  ///   - reads: The needless reads up to this one.
  ///   - request: What was requested, for the sentence.
  mutating func add(_ reads: NeedlessReads, _ seen: Observation, _ request: @autoclosure () -> String) {
    guard reads.count == NeedlessReads.habit else { return hints.add(seen.id) }
    add(request(), ids: reads.before + [seen.id], .perhapsMeant)
  }

  private mutating func count(
    _ request: String, _ ids: [Int], isCertain: Bool, _ figure: (measured: Duration, allowed: Duration)?
  ) {
    if isCertain { certain += 1 } else { doubtful += 1 }
    for id in ids { if isCertain { proof.add(id) } else { hints.add(id) } }
    let isWorse =
      figure.map { new in self.figure.map { abs(new.measured - new.allowed) > abs($0 - allowed) } ?? true } ?? false
    guard example.isEmpty || isCertain && !isExampleCertain || isCertain == isExampleCertain && isWorse else { return }
    example = request
    isExampleCertain = isCertain
    if let figure { (self.figure, allowed) = (figure.measured, figure.allowed) }
  }

  fileprivate mutating func decideDoubts(by history: History) {
    for doubt in doubts {
      switch doubt.certainty {
      case .unlessShared(let client, let isParallel):
        let isSeveral = isParallel ? history.unnamed.isParallel(client) : history.unnamed.isShared(client)
        if isSeveral { mayBeSeveralClients = true }
        count(doubt.request, doubt.ids, isCertain: !isSeveral, nil)
      case .unlessKeyReturns(let scope, let isNamed):
        guard history.keys.lastUse(in: scope) < doubt.newest else { continue }
        if !isNamed { mayBeSeveralClients = true }
        count(doubt.request, doubt.ids, isCertain: isNamed, nil)
      case .certain, .perhapsMeant, .perhapsSeveral: break
      }
    }
    doubts = []
  }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
