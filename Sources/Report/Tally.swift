import Contract
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

  /// Returns the kind of the worst mistake, by the check's order of kinds: the first that is certain, or else the first.
  func worst<Kind: RawRepresentable>(of kinds: [Kind]) -> Kind? where Kind.RawValue == Int {
    let made = kinds.filter { self[$0].count > 0 }
    return made.first { self[$0].certain > 0 } ?? made.first
  }

  /// True if later requests decide about a mistake.
  var isOpen: Bool { mistakes.contains { $0.isOpen } }

  /// Decides what an exchange decides about open mistakes.
  mutating func decide(by seen: Observation, _ history: History) {
    for index in mistakes.indices { mistakes[index].decide(by: seen, history) }
  }

  /// Counts the open mistakes, because no request follows.
  mutating func conclude() { for index in mistakes.indices { mistakes[index].conclude() } }
}

/// One kind of mistake: how often it was made, for certain and perhaps, with an example and the proof.
struct Mistake: Sendable {
  static let maximumOpen = 256

  /// A measured duration, such as a wait, and the right one; the greater the difference, the worse.
  typealias Figure = (measured: Duration, allowed: Duration)

  /// A mistake whose explanations later requests decide.
  private struct Open: Sendable {
    let suspect: Suspect
    var explanations: Explanations
    let request: String
    let ids: [Int]
    let key: String?
    let figure: Figure?
  }

  /// The number of mistakes under every explanation.
  private(set) var certain = 0
  /// The number of mistakes under some explanations.
  private(set) var doubtful = 0
  /// The request of the first certain mistake, else of the first doubtful one; where mistakes have figures, of the worst.
  private(set) var example = ""
  /// The part of the example's requests that identifies a write; nil if its API declares none, or if a lost write had none.
  private(set) var key: String?
  /// The explanations that would excuse the example.
  private(set) var explanations: Explanations = []
  /// The worst figure, and what would have been right.
  private(set) var figure: Duration?
  private(set) var allowed = Duration.zero
  private var proof = Evidence()
  private var hints = Evidence()
  private var open: [Open] = []

  /// The number of certain ones; where there are none, of doubtful ones.
  var count: Int { certain > 0 ? certain : doubtful }
  var evidence: Evidence { certain > 0 ? proof : hints }
  var verdict: Verdict { explanations.verdict }
  /// The sentences about the explanations that would excuse it.
  var excuses: String { explanations.sentences }

  /// Adds a mistake of a request.
  ///
  /// - Parameters:
  ///   - earlier: The exchanges before it that prove it.
  ///   - explanations: Those under which it is none.
  ///   - firstKey: The scope of the key of the write that it seems to repeat.
  mutating func add(
    _ seen: Observation, after earlier: [Int] = [], unless explanations: Explanations = [], firstKey: UInt64? = nil,
    figure: Figure? = nil
  ) {
    add(
      ReportText.request(seen), ids: earlier + [seen.id], unless: explanations, Suspect(seen, firstKey: firstKey),
      key: seen.operation?.effect.key, figure: figure)
  }

  mutating func add(
    _ request: String, ids: [Int], unless explanations: Explanations = [], _ suspect: Suspect? = nil,
    key: String? = nil, figure: Figure? = nil
  ) {
    guard explanations.isOpen, let suspect else { return count(request, ids, explanations, key, figure) }
    if open.count == Self.maximumOpen {
      let first = open.removeFirst()
      count(first, first.explanations.unwatched)
    }
    open.append(
      Open(suspect: suspect, explanations: explanations, request: request, ids: ids, key: key, figure: figure))
  }

  /// Adds a needless read, which a person may have wanted: with the one that makes them a habit the mistake begins, and each
  /// further one is part of its proof.
  ///
  /// - Parameters:
  ///   - reads: The needless reads up to this one.
  ///   - request: What was requested, for the sentence.
  mutating func add(_ reads: NeedlessReads, _ seen: Observation, _ request: @autoclosure () -> String) {
    guard reads.count == NeedlessReads.habit else { return hints.add(seen.id) }
    add(request(), ids: reads.before + [seen.id], unless: .person)
  }

  private mutating func count(
    _ request: String, _ ids: [Int], _ excuses: Explanations, _ part: String?, _ new: Figure?
  ) {
    let isCertain = excuses.isEmpty
    if isCertain { certain += 1 } else { doubtful += 1 }
    for id in ids { if isCertain { proof.add(id) } else { hints.add(id) } }
    let isWorse = new.map { new in figure.map { abs(new.measured - new.allowed) > abs($0 - allowed) } ?? true } ?? false
    let isFirst = example.isEmpty || isCertain && !explanations.isEmpty
    guard isFirst || isCertain == explanations.isEmpty && isWorse else { return }
    (example, key, explanations) = (request, part, excuses)
    if let new { (figure, allowed) = (new.measured, new.allowed) }
  }

  fileprivate var isOpen: Bool { !open.isEmpty }

  fileprivate mutating func decide(by seen: Observation, _ history: History) {
    for index in open.indices.reversed() {
      if let left = open[index].explanations.decided(for: open[index].suspect, by: seen, history) {
        open[index].explanations = left
      } else {
        open.remove(at: index)
      }
    }
  }

  fileprivate mutating func conclude() {
    for mistake in open { count(mistake, mistake.explanations.concluded) }
    open = []
  }

  /// - Parameter explanations: Those that are left; nil if it is no mistake.
  private mutating func count(_ mistake: Open, _ explanations: Explanations?) {
    guard let explanations else { return }
    count(mistake.request, mistake.ids, explanations, mistake.key, mistake.figure)
  }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
