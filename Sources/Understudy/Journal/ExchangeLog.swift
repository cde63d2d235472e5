import Contract
import Faults
import HTTP1
import Primitives
import Report

/// The exchanges of a sandbox: their records in its journal, and the checks and the counts that read these in batches,
/// before the journal evicts them and whenever a reader asks.
struct ExchangeLog: Sendable {
  var journal = Journal()
  /// The checks since the start or the last reset, after those that each reset replaced which may still be reverted.
  private var runners = [CheckRunner()]
  private var queue = JudgingQueue()
  /// The exchanges whose records are stored and whose content is still being sent, in the order in which they came. They are
  /// under way to the queue.
  private var continued: [Int] = []
  var clients = KnownClients()
  /// The attachments of records that are not judged yet.
  var attachments: [RecordAttachment] = []
  /// The counts of exchanges that have not been moved to the server's counts yet.
  private var counts = ExchangeCounts()
  /// The number of records that wait to be judged and are not counted.
  private var uncountedCount = 0

  /// The checks since the start or the last reset.
  var checks: CheckRunner { runners[runners.count - 1] }

  /// The number of exchanges that ended and are not judged yet.
  var waitingCount: Int { queue.waiting.count }

  /// True if a batch of exchanges can be judged when the loop has nothing else to do.
  var isBatchComplete: Bool { queue.isBatchComplete }

  /// True if an exchange ended since the start or the last reset.
  var hasExchanges: Bool { runners[runners.count - 1].exchanges > 0 || firstUnjudged != nil }

  /// The exchanges that wait for an earlier one or for the end of their content, for a card that counts them as they are.
  var rest: [Observation] {
    (queue.waiting + continued).filter { $0 >= journal.firstID }.sorted().map { id in
      let record = journal.entries[journal.index(of: id)]
      let texts = journal.ring.slice(record.texts.range)
      return Observation(of: record, attachments[Int(record.attachment)], texts).standalone
    }
  }
}

extension ExchangeLog {
  /// Returns the record of an exchange: that of its entry, or a new one if it has none, or if this evicts it.
  ///
  /// - Parameter bytes: The number of bytes of its response's field lines, which are stored next.
  mutating func record(
    of exchange: borrowing Exchange, adding bytes: Int, masking secrets: SecretMask = .standard, at now: ClockReading
  ) -> ExchangeRecord {
    if journal.isRetained(exchange.id, adding: bytes) {
      makeRoom(for: bytes)
      let record = journal.entries[journal.index(of: exchange.id)]
      precondition(
        record.outcome == .pending || record.isEffectUnknown, "an exchange ends once, and its id is no other's")
      return record
    }
    let edits = secrets.edits(of: exchange.request)
    makeRoom(for: Journal.maximumByteCount(of: exchange.request, edits) + bytes)
    journal.record(exchange.destination, of: exchange.id)
    return journal.record(
      of: exchange.request, id: exchange.id, api: exchange.api, operation: exchange.destination.operationIndex,
      connection: exchange.link.number, n: exchange.n, replayOf: exchange.replayOf, plan: exchange.effectivePlan,
      network: exchange.metOutage ? .offline : nil, edits, at: now.advanced(to: exchange.arrival).real)
  }

  /// Records an exchange that waits for another event.
  mutating func begin(_ exchange: borrowing Exchange, masking secrets: SecretMask = .standard, at now: ClockReading) {
    guard exchange.id > journal.lastID else { return }
    journal.put(record(of: exchange, adding: 0, masking: secrets, at: now))
    queue.begin(exchange.id)
  }

  /// Stores the field lines of a response before the rest of its record, and returns their range in the ring.
  mutating func storeFields(
    _ lines: Range<Int>, of output: [UInt8], masking secrets: SecretMask = .standard, exchange id: Int
  ) -> Range<Int> {
    guard concerns(id) else { return 0..<0 }
    let lines = secrets.masked(fieldLines: lines, of: output).prefix(journal.maximumFieldBytes)
    makeRoom(for: lines.count)
    return journal.storeFields(lines)
  }

  /// Adds a remark to the entry of an exchange, unless it has been evicted.
  mutating func note(_ remark: String, on id: Int) {
    guard concerns(id), journal.isRetained(id, adding: 0) else { return }
    let earlier = journal.details[id]?.remark.map { $0 + "; " } ?? ""
    journal.details[id, default: Journal.Details()].remark = earlier + remark
  }

  /// Stores the beginning of content that was passed on, unless its entry has been evicted.
  mutating func storeBody(_ body: ArraySlice<UInt8>, ofResponseTo id: Int) {
    makeRoom(for: body.count)
    if concerns(id), journal.isRetained(id, adding: body.count) { journal.storeBody(body, ofResponseTo: id) }
  }

  /// True if an exchange has come since the start or the last reset, or before a reset that may be reverted.
  func concerns(_ id: Int) -> Bool { id >= runners[0].firstID }

  /// Stores the complete record of an exchange that has ended. It is judged and counted later, or at once if its entry
  /// has been evicted; one without an attachment is neither.
  ///
  /// - Parameters:
  ///   - remark: The remark in its entry.
  ///   - isContinued: True if its content is still being sent, and the record is completed at the end of that.
  mutating func end(_ record: ExchangeRecord, remark: String?, isContinued: Bool = false) {
    let isJudged = record.attachment >= 0
    guard journal.put(record) else {
      queue.drop(record.id)
      if isJudged { judge(evicted: record) }
      return
    }
    if let remark { journal.details[record.id, default: Journal.Details()].remark = remark }
    guard isJudged else { return queue.drop(record.id) }
    guard !isContinued else {
      return continued.insert(record.id, at: continued.firstIndex { $0 > record.id } ?? continued.endIndex)
    }
    awaitJudging(of: record.id)
  }

  /// Completes the record of an exchange with the end of its content.
  mutating func endContent(of id: Int, _ change: (inout ExchangeRecord) -> Void) {
    journal.update(id, change)
    // It may have been judged before, because its entry was about to be evicted.
    guard let index = continued.firstIndex(of: id) else { return }
    continued.remove(at: index)
    awaitJudging(of: id)
  }

  private mutating func awaitJudging(of id: Int) {
    queue.end(id)
    uncountedCount += 1
    if queue.isFull { judgeBatch() }
  }

  /// Counts an exchange that no batch will judge.
  mutating func countUnjudged(_ record: borrowing ExchangeRecord, plan: Plan?) {
    counts.count(record, plan: plan)
  }

  /// Moves the counts of all exchanges that have ended to others, also of those that wait to be judged: counting them
  /// takes much less time, and depends on no order.
  mutating func moveCounts(to total: inout ExchangeCounts) {
    // From the last one: those before were mostly counted by an earlier call.
    for id in queue.waiting.reversed() {
      guard uncountedCount > 0 else { break }
      let index = journal.index(of: id)
      let attachment = attachments[Int(journal.entries[index].attachment)]
      if total.countOnce(&journal.entries[index], with: attachment) { uncountedCount -= 1 }
    }
    guard !counts.isEmpty else { return }
    total.add(counts)
    counts = ExchangeCounts()
  }

  /// Records that the state changed without a request.
  mutating func record(_ event: String, versions: Range<Int>?, at now: Instant) {
    makeRoom(for: event.utf8.count)
    journal.record(event, versions: versions, at: now)
  }

  /// Evicts older entries of the journal; returns false if there is nothing to evict.
  mutating func evict() -> Bool {
    judge(through: .max)
    return journal.evict()
  }
}

/// Judging, and counting what is judged.
extension ExchangeLog {
  /// Judges the exchanges that wait for no earlier one, and more if too many would remain.
  mutating func judge() { judge(queue.readyCount) }

  /// Judges the first of these exchanges, at most one batch.
  mutating func judgeBatch() { judge(min(queue.readyCount, JudgingQueue.batch)) }

  /// Judges the exchanges up to an id, though earlier ones are under way, and though some content is still being sent.
  private mutating func judge(through id: Int) {
    while let first = continued.first, first <= id {
      continued.removeFirst()
      awaitJudging(of: first)
    }
    judge(queue.count(through: id))
  }

  /// The first exchange whose record is stored and not judged; nil if there is none.
  private var firstUnjudged: Int? {
    guard let first = continued.first else { return queue.waiting.first }
    return min(first, queue.waiting.first ?? first)
  }

  private mutating func judge(_ count: Int) {
    var seen = Observation()
    var shown: Int32 = -1
    for id in queue.waiting.prefix(count) {
      seen.record = journal.entries[journal.index(of: id)]
      // Plain reads share an attachment.
      if seen.record.attachment != shown { seen.attachment = attachments[Int(seen.record.attachment)] }
      shown = seen.record.attachment
      if counts.countOnce(&seen.record, with: seen.attachment) { uncountedCount -= 1 }
      seen.head = journal.ring.slice(seen.record.texts.range)
      seen.deriveProperties()
      judge(seen)
    }
    queue.removeFirst(count)
    discardAttachments()
  }

  /// Judges an exchange whose entry has been evicted, after those before it.
  private mutating func judge(evicted record: ExchangeRecord) {
    let attachment = attachments[Int(record.attachment)]
    judge(through: record.id)
    var seen = Observation(of: record, attachment, journal.ring.slice(record.texts.range))
    counts.countOnce(&seen.record, with: attachment)
    judge(seen)
  }

  private mutating func judge(_ seen: borrowing Observation) {
    for index in runners.indices where seen.record.id >= runners[index].firstID { runners[index].judge(seen) }
  }

  /// Judges the exchanges whose entries are evicted when a text of this size is added.
  private mutating func makeRoom(for bytes: Int) {
    while let first = firstUnjudged, journal.evicts(first, adding: bytes) { judge(through: first) }
  }

  /// Reports an event to the checks, after the exchanges that ended before it and wait for no earlier one. If the state was
  /// replaced, all that ended come before it, because the new state does not show what they did.
  mutating func report(_ event: SandboxEvent) {
    if case .replaced = event { judge(through: .max) } else { judge() }
    runners[runners.count - 1].record(event)
  }

  /// Discards the attachments of records that are judged.
  private mutating func discardAttachments() {
    guard firstUnjudged != nil else { return attachments.removeAll(keepingCapacity: true) }
    guard attachments.count > Self.compactionThreshold, attachments.count > 4 * queue.waiting.count else { return }
    let old = attachments
    attachments = []
    for id in queue.waiting + continued {
      let index = journal.index(of: id)
      journal.entries[index].attachment = attachments.store(old[Int(journal.entries[index].attachment)])
    }
  }

  /// Above this number they are compacted even while some exchanges wait, if less than a quarter of them is still in use:
  /// otherwise each batch would copy them all.
  private static let compactionThreshold = 1_536
}

/// A reset may be refused by the disk. Until that is known, both the checks before it and new ones judge each exchange.
extension ExchangeLog {
  /// Hides the journal's entries and begins with new checks, until the reset is confirmed or reverted.
  mutating func beginReset() {
    judge(through: .max)
    journal.hide()
    runners.append(CheckRunner(firstID: journal.firstID))
  }

  /// Discards what the oldest unconfirmed reset replaced.
  mutating func confirmReset() {
    runners.removeFirst()
    // Counts the exchanges before the reset; no remaining runner judges them.
    judge(through: runners[0].firstID - 1)
    queue.drop(before: runners[0].firstID)
    if runners.count == 1 { journal.discardHidden() }
  }

  /// Returns to the entries and the checks before the newest unconfirmed reset, which know of the exchanges since then.
  mutating func revertReset() {
    runners.removeLast()
    journal.firstID = checks.firstID
  }
}
