import Contract
import Faults
import JSON

/// What a client did wrong in one sandbox, and what it did right.
struct ReportCard: Sendable {
  struct Line: Sendable, Equatable {
    let id: String
    let finding: Finding
    var verdict: Verdict { finding.verdict }
  }

  let sandbox: String
  let scenario: String
  let seed: UInt64
  let exchanges: Int
  /// Requests that a transport repeated by itself, counted apart.
  let replays: Int
  /// Whether the journal has pushed out entries that the card refers to. The verdicts have lost nothing.
  let isJournalPartial: Bool
  let lines: [Line]
  let delays: Delays
  /// What failed or was interfered with, the newest last.
  var timeline: [LogicalRequest]
  /// The number of faults that struck; nil for a card read from a file that does not say.
  var strikes: Int?
  /// The journal's entries that warnings and failures cite, by id, as `/_mock/journal` shows them.
  var entries: [Int: JSON] = [:]

  /// The worst verdict of all.
  var verdict: Verdict { lines.map(\.verdict).max() ?? .notExercised }

  /// The ids of the entries that prove its warnings and failures.
  var citedIDs: Set<Int> { Set(lines.filter { $0.verdict > .pass }.flatMap(\.finding.evidence)) }

  func count(_ verdict: Verdict) -> Int { lines.count { $0.verdict == verdict } }
}

extension Sandbox {
  /// The card as it stands.
  ///
  /// - Parameters:
  ///   - tick: The loop's time.
  ///   - real: The same moment in real time, by which scenarios are scheduled.
  ///   - isFinal: Whether nothing more will come.
  func card(at tick: Tick, _ real: Instant, isFinal: Bool = false) -> ReportCard {
    pendingCard(at: tick, real, isFinal: isFinal)()
  }

  /// What makes the card as it stands now, whenever and on whatever thread it is called.
  ///
  /// - Parameter keepsEntries: True if the card is to hold the entries that it cites, since the journal will be gone.
  func pendingCard(
    at tick: Tick, _ real: Instant, isFinal: Bool = false, keepsEntries: Bool = false
  ) -> @Sendable () -> ReportCard {
    let (now, timeOffline) = (tick + clock.advanced, timeOffline(at: real))
    let (name, arming, examination, store, delays) = (name, arming, examination, store, delays)
    let isPartial = journal.isPartial
    let source = keepsEntries ? journal : Journal()
    return {
      let moment = Judgement(now: now, timeOffline: timeOffline, isFinal: isFinal, state: store.judged())
      var card = ReportCard(
        sandbox: name, scenario: arming.scenario.name, seed: arming.seed, exchanges: examination.exchanges,
        replays: examination.replays, isJournalPartial: isPartial,
        lines: examination.findings(moment).map { ReportCard.Line(id: $0.id, finding: $0.finding) }, delays: delays,
        timeline: examination.requests.timeline, strikes: examination.strikes)
      for id in card.citedIDs { card.entries[id] = source.entry(id).map(source.json) }
      return card
    }
  }

  /// Takes note that a connection was reset because the sandbox is offline.
  func noteRefusal() {
    let rules = arming.scenario.rules.filter { $0.effect.kind == Offline.kind }
    examination.note(.refused(rules: rules.map(\.identity)))
  }

  /// Takes note that the state was replaced at one stroke: the audit begins anew with what is there.
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
  func judged(_ counters: [Register: Int]? = nil) -> Judgement.State {
    Judgement.State(
      version: version, value: { record($0.record.id, of: $0.record.api)?[$0.member]?.text },
      counters: counters ?? self.counters)
  }
}

/// A sandbox's last card, kept when the sandbox is deleted or reset.
struct FinalCard: Sendable {
  /// As many as `run` may want to show; the oldest go first.
  static let most = 1_000
  /// What a kept card shows of its timeline.
  static let mostRequests = 20

  enum Ending: String, Sendable {
    case deleted, reset
  }

  let name: String
  /// Nil while the sandbox lives.
  let ending: Ending?
  private let worked: WorkedOut<ReportCard>

  /// - Parameter card: Makes the card; it is called at most once, by the thread that asks first.
  init(name: String, ending: Ending?, card: @escaping @Sendable () -> ReportCard) {
    self.name = name
    self.ending = ending
    worked = WorkedOut(card)
  }

  var card: ReportCard { worked.value }
}

extension Backend {
  /// Keeps the card of a sandbox that is about to be no more, if anything happened in it.
  func keepCard(of sandbox: Sandbox, _ ending: FinalCard.Ending) {
    guard ending == .deleted || sandbox.examination.exchanges > 0 else { return }
    let pending = sandbox.pendingCard(at: tick, realTime, isFinal: true, keepsEntries: true)
    let last = FinalCard(name: sandbox.name, ending: ending) {
      var card = pending()
      card.timeline = card.timeline.suffix(FinalCard.mostRequests)
      return card
    }
    if finalCards.count == FinalCard.most { finalCards.removeFirst() }
    finalCards.append(last)
    // Until it is worked out it holds all that the sandbox held.
    loop.runOffLoop(
      {
        _ = last.card
        return { _ in }
      }, for: self)
  }

  /// The cards of all sandboxes, those that are gone first, as they stand when nothing more will come. They are worked out
  /// by the thread that looks at them.
  ///
  /// - Parameter isCut: Whether the clients were ended: what they had yet to do is not held against them.
  func allCards(isCut: Bool = false) -> [FinalCard] {
    let (now, real) = (tick, realTime)
    return finalCards
      + sandboxes.all.map {
        FinalCard(name: $0.name, ending: nil, card: $0.pendingCard(at: now, real, isFinal: !isCut, keepsEntries: true))
      }
  }
}
