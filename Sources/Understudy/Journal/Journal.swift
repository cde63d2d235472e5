import Contract
import Faults
import HTTP1
import Primitives
import Report

/// The requests, plans, responses and measurements of a sandbox: the newest entries, within a limit.
struct Journal: Sendable {
  static let maximumEntries = 10_000
  static let maximumBytes = 8 << 20
  /// The maximum number of stored bytes of a body; longer bodies are truncated.
  static let maximumBodyBytes = 4 << 10

  /// The entries, each at `index(of:)` its id.
  var entries: [ExchangeRecord] = []
  private(set) var ring = ByteRing(maximumBytes: maximumBytes)
  /// The values that few entries have, by their ids.
  private var plans: [Int: Plan] = [:]
  /// The facts that few entries have, by the ids of these.
  var details: [Int: Details] = [:]
  /// For each of the newest seqs, the id of the entry that changed.
  private var changes: [Int] = []
  private(set) var lastID = 0
  private(set) var lastSeq = 0
  /// The first id that is shown; a reset hides older entries.
  var firstID = 1
  /// True if `byteCount` may have changed since this was last set to false.
  var isResized = false
  /// The id and the seq at the start of `entries` and of `changes`.
  private var base = (id: 1, seq: 1)

  /// The id of the next entry.
  var nextID: Int { lastID + 1 }

  /// Returns the record of a request, whose texts are stored now, and which gets its entry from `put(_:)`.
  ///
  /// - Parameters:
  ///   - id: `nextID`, or that of an entry that is evicted, or is about to be.
  ///   - n: Its number in its stream; 0 if it is not counted.
  mutating func record(
    of request: borrowing Request, id: Int, api: Int?, operation: Int?, connection: Int, n: Int, replayOf: Int?,
    plan: Plan?, network: ExchangeRecord.NetworkMark?, _ edits: SecretMask.RequestEdits, at instant: Instant
  ) -> ExchangeRecord {
    let isPlanned = plan?.isEmpty == false
    if isPlanned, id > lastID {
      plans[id] = plan
      isResized = true
    }
    return ExchangeRecord(
      id: id, at: instant, method: request.knownMethod, api: api, operation: operation, connection: connection, n: n,
      replayOf: replayOf, isPlanned: isPlanned, network: network, texts: storeTexts(of: request, edits))
  }

  /// Stores the texts of a request, and returns their position.
  private mutating func storeTexts(
    of request: borrowing Request, _ edits: SecretMask.RequestEdits
  ) -> ExchangeRecord.Texts {
    let (start, head) = (ring.end, request.head.lowerBound)
    // The empty line that ends the head is not stored.
    let end = max(request.head.upperBound - 2, head)
    store(request.bytes[head..<end], edits.ofHead)
    let count = ring.end - start
    store(request.bytes[request.body.prefix(Self.maximumBodyBytes)], edits.ofBody)
    return request.texts(from: start, count: count, body: ring.end - start - count, edits.ofHead)
  }

  private mutating func store(_ text: ArraySlice<UInt8>, _ edits: [SecretMask.Edit] = []) {
    guard !text.isEmpty else { return }
    if ring.append(edits.isEmpty ? text : edits.applied(to: text)[...]) { isResized = true }
  }

  /// Returns the maximum size of a request's texts. A masked secret may be longer than the secret.
  static func maximumByteCount(of request: borrowing Request, _ edits: SecretMask.RequestEdits) -> Int {
    request.head.count + min(request.body.count, maximumBodyBytes) + edits.growth
  }

  /// Records that the state changed without a request.
  mutating func record(_ event: String, versions: Range<Int>?, at now: Instant) {
    let text = Array(event.utf8.prefix(Self.maximumBodyBytes))
    let texts = ExchangeRecord.Texts(start: ring.end, count: text.count)
    store(text[...])
    var entry = ExchangeRecord(
      id: nextID, at: now, method: nil, api: nil, connection: 0, n: 0, replayOf: nil, texts: texts)
    entry.outcome = .event
    entry.mark(.applied)
    entry.versions = versions
    put(entry)
  }

  /// Stores a record with a new seq, as a new entry or in place of its entry; returns false if that has been evicted.
  @discardableResult
  mutating func put(_ record: ExchangeRecord) -> Bool {
    let isNew = record.id > lastID
    guard isNew || isRetained(record.id) else { return false }
    if isNew { add(record) } else { entries[index(of: record.id)] = record }
    entries[index(of: record.id)].seq = nextSeq(for: record.id)
    return true
  }

  private mutating func add(_ entry: ExchangeRecord) {
    precondition(entry.id == nextID, "nothing else is recorded between a request and its record")
    lastID += 1
    let index = index(of: entry.id)
    if index < entries.count {
      if entries[index].hasPlan {
        plans[entries[index].id] = nil
        isResized = true
      }
      if !details.isEmpty { details[entries[index].id] = nil }
      entries[index] = entry
    } else {
      if entries.count == entries.capacity { isResized = true }
      entries.append(entry)
    }
  }

  private mutating func nextSeq(for id: Int) -> Int {
    lastSeq += 1
    let index = changeIndex(of: lastSeq)
    if index < changes.count {
      changes[index] = id
    } else {
      if changes.count == changes.capacity { isResized = true }
      changes.append(id)
    }
    return lastSeq
  }

  /// Changes an entry, unless it has been evicted.
  mutating func update(_ id: Int, _ change: (inout ExchangeRecord) -> Void) {
    guard isRetained(id) else { return }
    let index = index(of: id)
    change(&entries[index])
    entries[index].seq = nextSeq(for: id)
  }

  /// The maximum number of stored bytes of a response's field lines, which never evict the texts of their request.
  var maximumFieldBytes: Int { ring.longest / 2 }

  /// Stores the field lines of a response, and returns their range in the ring.
  mutating func storeFields(_ lines: ArraySlice<UInt8>) -> Range<Int> {
    guard !lines.isEmpty else { return 0..<0 }
    let start = ring.end
    store(lines)
    return start..<ring.end
  }

  /// Stores what was sent of the body of a response.
  mutating func storeBody(_ body: ArraySlice<UInt8>, ofResponseTo id: Int) {
    let start = ring.end
    store(body)
    details[id, default: Details()].body = start..<ring.end
    isResized = true
  }

  /// Replaces the plan of an entry, or of a record that becomes one.
  mutating func setPlan(_ plan: Plan?, of id: Int) {
    if plans[id] != nil { plans[id] = plan }
  }

  func index(of id: Int) -> Int { (id - base.id) % Self.maximumEntries }

  private func changeIndex(of seq: Int) -> Int { (seq - base.seq) % (Self.maximumEntries * 2) }

  private func isStored(_ id: Int) -> Bool { id >= firstID && isRetained(id) }

  /// Returns true if an entry is stored, even if a reset hides it, and still is after so many bytes are added.
  func isRetained(_ id: Int, adding bytes: Int = 0) -> Bool {
    guard id >= base.id, id <= lastID, id > lastID - Self.maximumEntries else { return false }
    return entries[index(of: id)].texts.start >= ring.start(adding: bytes)
  }

  /// True if an entry is evicted when another one is added, or these bytes are.
  func evicts(_ id: Int, adding bytes: Int) -> Bool {
    id <= lastID + 1 - Self.maximumEntries || entries[index(of: id)].texts.start < ring.start(adding: bytes)
  }

  func entry(_ id: Int) -> ExchangeRecord? { isStored(id) ? entries[index(of: id)] : nil }

  func plan(of entry: ExchangeRecord) -> Plan? { entry.hasPlan ? plans[entry.id] : nil }

  /// Returns the text of a range in the ring, if it is still stored.
  func text(_ range: Range<Int>) -> [UInt8]? { ring.contains(range) ? ring[range] : nil }

  /// True if entries have been evicted since the start or the last reset.
  var isPartial: Bool { lastID >= firstID && !isStored(firstID) }

  /// The number of stored entries.
  var count: Int {
    var (lower, upper) = (max(firstID, lastID - Self.maximumEntries + 1), lastID + 1)
    // The ring evicts the oldest first, so all entries after the first stored one are stored, too.
    while lower < upper {
      let middle = (lower + upper) / 2
      if isStored(middle) { upper = middle } else { lower = middle + 1 }
    }
    return lastID + 1 - lower
  }

  /// The number of bytes in use.
  var byteCount: Int {
    ring.capacity + entries.capacity * MemoryLayout<ExchangeRecord>.stride + changes.capacity * MemoryLayout<Int>.stride
      + plans.count * MemoryLayout<Plan>.stride + details.count * MemoryLayout<Details>.stride
  }

  /// Evicts the older half of the texts, and their entries; returns false if there is nothing to evict.
  mutating func evict() -> Bool {
    guard ring.shrink() else { return false }
    let ids = (max(base.id, lastID - entries.count + 1)..<lastID + 1).drop { !isRetained($0) }
    let stored = ids.map { entries[index(of: $0)] }
    let seqs = max(stored.map(\.seq).min() ?? lastSeq + 1, lastSeq - changes.count + 1)..<lastSeq + 1
    changes = seqs.map { changes[changeIndex(of: $0)] }
    entries = stored
    base = (ids.first ?? lastID + 1, seqs.lowerBound)
    plans = plans.filter { $0.key >= base.id }
    details = details.filter { $0.key >= base.id }
    return true
  }

  /// Returns entries in the order of their seq, each once, in its current state.
  ///
  /// - Parameters:
  ///   - seq: Only entries that changed after it are returned.
  ///   - limit: The maximum number of entries.
  func entries(after seq: Int, limit: Int) -> [ExchangeRecord] {
    guard seq < lastSeq else { return [] }
    let seqs = max(seq, lastSeq - changes.count) + 1..<lastSeq + 1
    return entries(changedAt: seqs, limit: limit)
  }

  /// Returns the newest entries in the order of their seq, each once, in its current state.
  ///
  /// - Parameters:
  ///   - seq: Only entries whose last change was before it are returned.
  ///   - oldest: Only entries that changed after it are returned.
  ///   - limit: The maximum number of entries.
  func entries(before seq: Int, after oldest: Int, limit: Int) -> [ExchangeRecord] {
    let first = max(lastSeq - changes.count, min(oldest, lastSeq)) + 1
    let seqs = first..<max(first, min(seq, lastSeq + 1))
    return entries(changedAt: seqs.reversed(), limit: limit).reversed()
  }

  /// Returns the entries whose last changes have these seqs.
  private func entries(changedAt seqs: some Sequence<Int>, limit: Int) -> [ExchangeRecord] {
    var found: [ExchangeRecord] = []
    for seq in seqs {
      guard found.count < limit else { break }
      if let entry = entry(changes[changeIndex(of: seq)]), entry.seq == seq { found.append(entry) }
    }
    return found
  }

  /// Hides all entries. Only the used ids and seqs outlive `discardHidden()`.
  mutating func hide() { firstID = lastID + 1 }

  /// Discards the hidden entries. Where others have followed, they are the next to be evicted.
  mutating func discardHidden() {
    guard firstID > lastID else { return }
    let (id, seq) = (lastID, lastSeq)
    self = Journal()
    (lastID, lastSeq, firstID) = (id, seq, id + 1)
    base = (id + 1, seq + 1)
  }
}

/// The memory limit of all journals of a server together.
final class JournalBudget {
  /// The limit, enough for about twenty full journals. Above it, the least recently used journals evict their older
  /// entries.
  static let maximumBytes = 256 << 20

  var byteCount = 0
}
