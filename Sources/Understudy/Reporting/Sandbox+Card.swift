import Contract
import Faults
import JSON
import Platform
import Primitives
import Report
import Services

extension Sandbox {
  /// Returns a function that computes the current card, at any time and on any thread.
  ///
  /// - Parameters:
  ///   - tick: The loop's time.
  ///   - real: The same instant in real time, by which scenarios are scheduled.
  ///   - isFinal: True if no more requests will come.
  ///   - exitCode: The exit code of the command that sent them; nil if none has ended.
  ///   - keepsEntries: True if the card must contain the entries that it cites, because the journal will be gone.
  func pendingCard(
    at tick: MonotonicInstant, _ real: Instant, isFinal: Bool, exitCode: Int32? = nil, isReset: Bool = false,
    keepsEntries: Bool = false
  ) -> @Sendable () -> ReportCard {
    let rest = traffic.exchangeLog.rest
    let advanced = state.clock.advanced
    let (now, timeOffline) = (tick + advanced, timeOffline(at: real))
    let (name, checks, delays) = (name, traffic.checks, traffic.delays)
    let (scenario, seed) = (state.scenarioState.scenario.name, state.scenarioState.seed)
    let (isPartial, isOffline) = (traffic.journal.isPartial, isOffline(at: real))
    let entries = keepsEntries ? traffic.journal : Journal()
    let longestStream = state.scenarioState.progress.streams.maximum
    return {
      let context = CheckContext(
        now: now, timeOffline: timeOffline, advanced: advanced, isOffline: isOffline, isFinal: isFinal,
        isReset: isReset, exitCode: exitCode)
      var card = checks.card(
        of: name, scenario: scenario, seed: seed, delays: delays,
        isJournalPartial: isPartial, at: context, rest: rest
      ) { id in entries.entry(id)?.json }
      card.longestStream = longestStream
      return card
    }
  }

  /// Records that a connection was reset because the sandbox is offline.
  func recordRefusal() {
    let rules = state.scenarioState.scenario.rules.filter { $0.effect.kind == Offline.kind }
    traffic.report(.refused(rules: rules.map(\.identity)))
  }

  /// Reports that the state was replaced all at once.
  func reportReplacement() { traffic.report(.replaced) }
}

extension FinalCard {
  /// Creates a card that is computed at most once, by the first thread that needs it.
  fileprivate init(name: String, computingOnce body: @escaping @Sendable () -> ReportCard) {
    let card = Deferred(body)
    self.init(name: name, card: { card.value })
  }
}

extension ServerState {
  /// Returns the last card of a sandbox that is about to be deleted or reset; nil if such cards are not kept, or if a reset
  /// would end a run without requests.
  func pendingCard(of sandbox: Sandbox, isReset: Bool) -> FinalCard? {
    guard keepsFinalCards, !isReset || sandbox.traffic.exchangeLog.hasExchanges else { return nil }
    let pending = sandbox.pendingCard(
      at: clocks.tick(), clocks.instant(), isFinal: !isReset, isReset: isReset, keepsEntries: true)
    return FinalCard(
      name: sandbox.name,
      computingOnce: {
        var card = pending()
        card.truncateTimeline()
        return card
      })
  }

  /// Stores a card of a sandbox that has been deleted or reset.
  func store(_ last: FinalCard) {
    if finalCards.count == FinalCard.maximumCount { finalCards.removeFirst() }
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
  /// - Parameters:
  ///   - isCut: True if the clients were terminated: unfinished actions do not count against them.
  ///   - exitCode: The exit code of the clients' command; nil if it is not known.
  func allCards(isCut: Bool = false, exitCode: Int32? = nil) -> [FinalCard] {
    let (now, real) = (clocks.tick(), clocks.instant())
    return finalCards
      + sandboxes.all.map {
        FinalCard(
          name: $0.name,
          computingOnce: $0.pendingCard(
            at: now, real, isFinal: !isCut, exitCode: isCut ? nil : exitCode, keepsEntries: true))
      }
  }
}
