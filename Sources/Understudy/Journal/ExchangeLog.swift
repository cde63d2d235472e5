import Contract
import Primitives
import Report

/// The exchanges of a sandbox: their entries in its journal, the checks that judge each when it has ended, and their counts.
struct ExchangeLog: Sendable {
  var journal = Journal()
  /// The checks since the start or the last reset, after those that each reset replaced which may still be reverted.
  private var runners = [CheckRunner()]
  /// The exchanges that ended and wait for an earlier one.
  private var waiting = ReorderBuffer()
  /// The exchanges whose content is still being sent, by their ids. They are under way.
  private var continued: [Int: Observation] = [:]
  var clients = KnownClients()
  /// The counts of exchanges that have not been moved to the server's counts yet.
  private var counts = ExchangeCounts()

  /// The checks since the start or the last reset.
  var checks: CheckRunner { runners[runners.count - 1] }

  /// The number of exchanges that ended and are not judged yet, for tests.
  var waitingCount: Int { waiting.count }

  /// True if an exchange ended since the start or the last reset.
  var hasExchanges: Bool { runners[runners.count - 1].exchanges > 0 || !rest.isEmpty }

  /// The exchanges that wait for an earlier one or for the end of their content, for a card that counts them as they are.
  var rest: [Observation] {
    (waiting.observations + continued.values).filter { $0.id >= journal.firstID }.sorted { $0.id < $1.id }
  }
}

extension ExchangeLog {
  /// Returns the entry of an exchange, or a new one if it has none, or if that has been evicted.
  ///
  /// - Parameter count: The number of bytes of its response that are added next.
  func entry(
    of exchange: borrowing Exchange, adding count: Int = 0, masking secrets: SecretMask = .standard,
    at now: ClockReading
  ) -> Entry {
    if let entry = journal.retained(exchange.id) {
      precondition(
        entry.outcome == .pending || entry.isEffectUnknown, "an exchange ends once, and its id is no other's")
      return entry
    }
    let texts = exchange.request.texts(secrets.edits(of: exchange.request), adding: count)
    return Entry(of: exchange, texts, at: now)
  }

  /// Records an exchange that waits for another event.
  mutating func begin(_ exchange: borrowing Exchange, masking secrets: SecretMask = .standard, at now: ClockReading) {
    guard exchange.id > journal.lastID else { return }
    journal.put(entry(of: exchange, masking: secrets, at: now))
    waiting.begin(exchange.id)
  }

  /// Adds a remark to the entry of an exchange, unless it has been evicted.
  mutating func note(_ remark: String, on id: Int) {
    guard concerns(id) else { return }
    journal.update(id) { entry in
      var details = entry.details ?? Entry.Details()
      details.remark = (details.remark.map { $0 + "; " } ?? "") + remark
      entry.details = details
    }
  }

  /// True if an exchange has come since the start or the last reset, or before a reset that may be reverted.
  func concerns(_ id: Int) -> Bool { id >= runners[0].firstID }
}

/// Judging and counting.
extension ExchangeLog {
  /// Counts an exchange that has ended, and judges it after those that came before it.
  mutating func end(_ seen: Observation) {
    counts.count(seen.entry)
    waiting.end(seen.id)
    if waiting.isFirst(seen.id) { judge(seen) } else { waiting.add(seen) }
    judgeReady()
  }

  /// Counts an exchange that has ended and is not judged.
  mutating func end(unjudged entry: borrowing Entry) {
    counts.count(entry)
    waiting.end(entry.id)
    judgeReady()
  }

  /// Records that the content of an exchange is still being sent.
  mutating func beginContent(of seen: Observation) { continued[seen.id] = seen }

  /// Completes the entry of an exchange with the end of its content.
  mutating func endContent(of id: Int, _ change: (inout Entry) -> Void) {
    journal.update(id, change)
    // It may have been judged before, because the state was replaced.
    guard let seen = continued.removeValue(forKey: id) else { return }
    var entry = seen.entry
    change(&entry)
    end(Observation(entry, seen.meaning))
  }

  /// Moves the counts of all exchanges that have ended to others.
  mutating func moveCounts(to total: inout ExchangeCounts) {
    guard !counts.isEmpty else { return }
    total.add(counts)
    counts = ExchangeCounts()
  }

  /// Reports an event to the checks, after the exchanges that ended before it and wait for no earlier one. If the state was
  /// replaced, all that ended come before it, because the new state does not show what they did.
  mutating func report(_ event: SandboxEvent) {
    if case .replaced = event { judgeAll() }
    for index in runners.indices where index == runners.count - 1 || event.isOfTraffic { runners[index].record(event) }
  }

  private mutating func judge(_ seen: borrowing Observation) {
    for index in runners.indices where seen.id >= runners[index].firstID { runners[index].judge(seen) }
  }

  /// Judges the exchanges that wait for no earlier one, and more if too many would remain.
  private mutating func judgeReady() { while !waiting.isEmpty, let seen = waiting.next() { judge(seen) } }

  /// Judges all that ended, though earlier ones are under way, and though some content is still being sent.
  private mutating func judgeAll() {
    for seen in continued.values {
      counts.count(seen.entry)
      waiting.end(seen.id)
      waiting.add(seen)
    }
    continued = [:]
    while let seen = waiting.removeFirst() { judge(seen) }
  }
}

/// A reset may be refused by the disk. Until that is known, both the checks before it and new ones judge each exchange.
extension ExchangeLog {
  /// Hides the journal's entries and begins with new checks, until the reset is confirmed or reverted.
  mutating func beginReset() {
    judgeAll()
    journal.hide()
    runners.append(CheckRunner(firstID: journal.firstID))
  }

  /// Discards what the oldest unconfirmed reset replaced.
  mutating func confirmReset() {
    runners.removeFirst()
    waiting.drop(before: runners[0].firstID)
    judgeReady()
    if runners.count == 1 { journal.discardHidden() }
  }

  /// Returns to the entries and the checks before the newest unconfirmed reset, which know of the exchanges since then.
  mutating func revertReset() {
    runners.removeLast()
    journal.firstID = checks.firstID
  }
}
