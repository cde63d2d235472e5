import Contract
import Faults
import JSON

/// The verdicts about the clients of one sandbox.
struct ReportCard: Sendable {
  struct Line: Sendable, Equatable {
    let id: String
    let finding: Finding
    var verdict: Verdict { finding.verdict }
    /// False for what speaks of the run, not of the client.
    var isOfClient: Bool { id != FaultsDelivered.id }
  }

  let sandbox: String
  let scenario: String
  let seed: UInt64
  let exchanges: Int
  /// The number of requests that a transport repeated by itself.
  let replays: Int
  /// True if the journal has evicted entries to which the card refers. The verdicts still count them.
  let isJournalPartial: Bool
  let lines: [Line]
  let delays: Delays
  /// The requests that failed or had a fault, the newest last.
  var timeline: [LogicalRequest]
  /// The number of faults that struck; nil for a card read from a file that does not say.
  var strikes: Int?
  /// The journal's entries that warnings and failures cite, by id, as `/_mock/journal` shows them.
  var entries: [Int: JSONValue] = [:]

  /// The worst verdict on the client: whether the scenario's rules struck is the run's matter and not the client's.
  var verdict: Verdict { lines.filter(\.isOfClient).map(\.verdict).max() ?? .notExercised }

  /// The ids of the entries that prove its warnings and failures.
  var citedIDs: Set<Int> { Set(lines.filter { $0.verdict > .pass }.flatMap(\.finding.evidence)) }

  func count(_ verdict: Verdict) -> Int { lines.count { $0.verdict == verdict } }
}

extension Sandbox {
  /// Returns the current card.
  ///
  /// - Parameters:
  ///   - tick: The loop's time.
  ///   - real: The same instant in real time, by which scenarios are scheduled.
  ///   - isFinal: True if no more requests will come.
  func card(at tick: MonotonicInstant, _ real: Instant, isFinal: Bool = false) -> ReportCard {
    pendingCard(at: tick, real, isFinal: isFinal)()
  }

  /// Returns a function that computes the current card, at any time and on any thread.
  ///
  /// - Parameter keepsEntries: True if the card must contain the entries that it cites, because the journal will be
  ///   gone.
  func pendingCard(
    at tick: MonotonicInstant, _ real: Instant, isFinal: Bool = false, isReset: Bool = false, keepsEntries: Bool = false
  ) -> @Sendable () -> ReportCard {
    let (now, timeOffline, advanced) = (tick + clock.advanced, timeOffline(at: real), clock.advanced)
    let (name, scenarioState, examination, store, delays) = (name, scenarioState, examination, store, delays)
    let isPartial = journal.isPartial
    let source = keepsEntries ? journal : Journal()
    return {
      let moment = CheckContext(
        now: now, timeOffline: timeOffline, advanced: advanced, isFinal: isFinal, isReset: isReset,
        state: store.judged())
      var card = ReportCard(
        sandbox: name, scenario: scenarioState.scenario.name, seed: scenarioState.seed,
        exchanges: examination.exchanges,
        replays: examination.replays, isJournalPartial: isPartial,
        lines: examination.findings(moment).map { ReportCard.Line(id: $0.id, finding: $0.finding) }, delays: delays,
        timeline: examination.timeline, strikes: examination.strikes)
      for id in card.citedIDs { card.entries[id] = source.entry(id).map(source.json) }
      return card
    }
  }

  /// Records that a connection was reset because the sandbox is offline.
  func recordRefusal() {
    let rules = scenarioState.scenario.rules.filter { $0.effect.kind == Offline.kind }
    examination.note(.refused(rules: rules.map(\.identity)))
  }

  /// Records that the state was replaced all at once: the audit restarts with the new state.
  func rebase() { examination.note(.replaced(store.judged(), at: lastUse + clock.advanced)) }
}

extension Store {
  /// The counters that operations count down, such as free spots.
  var counters: [Register: Int] {
    var counters: [Register: Int] = [:]
    for api in API.all where !api.counters.isEmpty {
      for record in data(of: api.name).map(api.records.list(in:)) ?? [] {
        guard let name = record[api.records.name]?.idText else { continue }
        for member in api.counters {
          counters[Register(record: Register.Record(api.name, name), member: member)] = record[member]?.int
        }
      }
    }
    return counters
  }

  /// The state in the form in which the audit asks for it.
  ///
  /// - Parameter counters: Those of the state, where they were read already.
  func judged(_ counters: [Register: Int]? = nil) -> CheckContext.State {
    CheckContext.State(
      version: version, value: { record($0.record.id, of: $0.record.api)?[$0.member]?.text },
      counters: counters ?? self.counters)
  }
}

/// A sandbox's last card, stored when the sandbox is deleted or reset.
struct FinalCard: Sendable {
  /// The maximum number that `run` may show; the oldest are dropped.
  static let most = 1_000
  /// The number of requests in a stored card's timeline.
  static let maximumRequests = 20

  enum Ending: String, Sendable {
    case deleted, reset
  }

  let name: String
  /// Nil while the sandbox lives.
  let ending: Ending?
  private let worked: Deferred<ReportCard>

  /// Creates a card.
  ///
  /// - Parameter card: Returns the card; called at most once, by the first thread that needs it.
  init(name: String, ending: Ending?, card: @escaping @Sendable () -> ReportCard) {
    self.name = name
    self.ending = ending
    worked = Deferred(card)
  }

  var card: ReportCard { worked.value }
}

extension Backend {
  /// Stores the card of a sandbox before its deletion or reset, if there were any requests in it.
  func storeCard(of sandbox: Sandbox, _ ending: FinalCard.Ending) {
    guard ending == .deleted || sandbox.examination.exchanges > 0 else { return }
    let isReset = ending == .reset
    let pending = sandbox.pendingCard(at: tick, realTime, isFinal: !isReset, isReset: isReset, keepsEntries: true)
    let last = FinalCard(name: sandbox.name, ending: ending) {
      var card = pending()
      card.timeline = card.timeline.suffix(FinalCard.maximumRequests)
      return card
    }
    if finalCards.count == FinalCard.most { finalCards.removeFirst() }
    finalCards.append(last)
    // Until the card is computed, the closure holds the sandbox's memory.
    loop.runOffLoop(
      {
        _ = last.card
        return { _ in }
      }, for: self)
  }

  /// Returns the cards of all sandboxes, deleted ones first, as if no more requests will come. They are computed by the
  /// thread that reads them.
  ///
  /// - Parameter isCut: True if the clients were terminated: unfinished actions do not count against them.
  func allCards(isCut: Bool = false) -> [FinalCard] {
    let (now, real) = (tick, realTime)
    return finalCards
      + sandboxes.all.map {
        FinalCard(name: $0.name, ending: nil, card: $0.pendingCard(at: now, real, isFinal: !isCut, keepsEntries: true))
      }
  }
}
