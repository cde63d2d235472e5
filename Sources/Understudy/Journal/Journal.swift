import Contract
import Faults
import HTTP1

/// The requests, plans, responses and measurements of a sandbox: the newest entries, within a limit.
struct Journal: Sendable {
  static let maximumEntries = 10_000
  static let maximumBytes = 8 << 20
  /// Longer bodies are truncated.
  static let maximumBodyBytes = 4 << 10

  private var entries: [JournalEntry] = []
  private var ring = ByteRing(maximumBytes: maximumBytes)
  private var plans: [Int: Plan] = [:]
  /// The id that changed with each seq, for the newest seqs.
  private var changes: [Int] = []
  private(set) var lastID = 0
  private(set) var lastSeq = 0
  /// The first id after the last reset; older entries are gone.
  private var firstID = 1
  private var firstSeq = 1
  /// True if older entries were evicted to make room for other journals.
  private var hasShed = false

  /// Records a request before its response, and returns its id.
  ///
  /// - Parameters:
  ///   - path: Its path without labels, decoded.
  ///   - connection: The number of its connection.
  ///   - n: Its ordinal in its stream; 0 if it is not counted.
  mutating func begin(
    _ request: Request, path: [UInt8] = [], api: Int? = nil, connection: Int = 1, n: Int = 1, replayOf: Int? = nil,
    plan: Plan = .none, network: JournalEntry.NetworkMark? = nil, at now: Instant
  ) -> Int {
    let texts = storeTexts(of: request, path: path)
    lastID += 1
    var entry = JournalEntry(
      id: lastID, seq: 0, at: now, api: api, connection: connection, n: n, replayOf: replayOf, texts: texts)
    entry.network = network
    if !plan.isEmpty {
      plans[lastID] = plan
      entry.hasPlan = true
      entry.timing.planned = plan.delay
    }
    add(entry)
    return lastID
  }

  private mutating func storeTexts(of request: Request, path: [UInt8]) -> JournalEntry.Texts {
    let body = request.bytes[request.body].prefix(Self.maximumBodyBytes)
    let start = ring.end
    ring.append(request.bytes[request.method])
    ring.append(request.bytes[request.target])
    ring.append(path[...])
    let fields = storeFields(of: request)
    ring.append(body)
    return JournalEntry.Texts(
      start: start, method: request.method.count, target: request.target.count, path: path.count, fields: fields,
      body: body.count)
  }

  private static let mask = Array("(masked)".utf8)[...]

  /// Stores the field lines of a request with secret values masked.
  ///
  /// - Returns: The number of bytes stored.
  private mutating func storeFields(of request: Request) -> Int {
    guard let first = request.fields.first else { return 0 }
    let start = ring.end
    var next = first.name.lowerBound
    for field in request.fields where field.known?.isSecret == true {
      ring.append(request.bytes[next..<field.value.lowerBound])
      ring.append(Self.mask)
      next = field.value.upperBound
    }
    ring.append(request.bytes[next..<max(request.head.upperBound - 2, next)])
    return ring.end - start
  }

  /// Records that the state changed without a request.
  mutating func note(_ event: String, versions: Range<Int>?, at now: Instant) {
    let text = Array(event.utf8.prefix(Self.maximumBodyBytes))
    let texts = JournalEntry.Texts(start: ring.end, method: 0, target: text.count, path: 0, fields: 0, body: 0)
    ring.append(text[...])
    lastID += 1
    var entry = JournalEntry(
      id: lastID, seq: 0, at: now, api: nil, connection: 0, n: 0, replayOf: nil, texts: texts)
    entry.outcome = .event
    entry.versions = versions
    entry.isApplied = true
    add(entry)
  }

  private mutating func add(_ entry: JournalEntry) {
    var entry = entry
    entry.seq = nextSeq(for: entry.id)
    let index = index(of: entry.id)
    if index < entries.count {
      if entries[index].hasPlan { plans[entries[index].id] = nil }
      entries[index] = entry
    } else {
      entries.append(entry)
    }
  }

  private mutating func nextSeq(for id: Int) -> Int {
    lastSeq += 1
    let index = changePlace(of: lastSeq)
    if index < changes.count { changes[index] = id } else { changes.append(id) }
    return lastSeq
  }

  /// Changes an entry, unless it has been evicted.
  mutating func update(_ id: Int, _ change: (inout JournalEntry) -> Void) {
    guard isKept(id) else { return }
    let index = index(of: id)
    change(&entries[index])
    entries[index].seq = nextSeq(for: id)
  }

  /// Stores the field lines of a response, and returns their range.
  mutating func storeFields(_ lines: ArraySlice<UInt8>) -> Range<Int> {
    let start = ring.end
    ring.append(lines.prefix(ring.longest))
    return start..<ring.end
  }

  private func index(of id: Int) -> Int { (id - firstID) % Self.maximumEntries }

  private func changePlace(of seq: Int) -> Int { (seq - firstSeq) % (Self.maximumEntries * 2) }

  private func isKept(_ id: Int) -> Bool {
    guard id >= firstID, id <= lastID, id > lastID - Self.maximumEntries else { return false }
    return ring.contains(entries[index(of: id)].texts.range)
  }

  func entry(_ id: Int) -> JournalEntry? { isKept(id) ? entries[index(of: id)] : nil }

  func plan(of entry: JournalEntry) -> Plan? { entry.hasPlan ? plans[entry.id] : nil }

  /// Returns the text of a range in the ring, if it is still stored.
  func text(_ range: Range<Int>) -> [UInt8]? { ring.contains(range) ? ring[range] : nil }

  /// True if entries have been evicted since the start or the last reset.
  var isPartial: Bool { hasShed || lastID >= firstID && !isKept(firstID) }

  /// The number of stored entries.
  var count: Int {
    var (lower, upper) = (max(firstID, lastID - Self.maximumEntries + 1), lastID + 1)
    // The ring evicts the oldest first, so all entries after the first stored one are stored, too.
    while lower < upper {
      let middle = (lower + upper) / 2
      if isKept(middle) { upper = middle } else { lower = middle + 1 }
    }
    return lastID + 1 - lower
  }

  /// The number of bytes in use.
  var byteCount: Int {
    ring.capacity + entries.capacity * MemoryLayout<JournalEntry>.stride + changes.capacity * MemoryLayout<Int>.stride
      + plans.count * MemoryLayout<Plan>.stride
  }

  /// Evicts the older half of the texts, and their entries; returns false if there is nothing to evict.
  mutating func evict() -> Bool {
    guard ring.shrink() else { return false }
    let first = max(firstID, lastID - entries.count + 1)
    let ids = (first..<lastID + 1).drop { !isKept($0) }
    let kept = ids.map { entries[index(of: $0)] }
    let seqs = max(kept.map(\.seq).min() ?? lastSeq + 1, lastSeq - changes.count + 1)..<lastSeq + 1
    changes = seqs.map { changes[changePlace(of: $0)] }
    entries = kept
    firstID = ids.first ?? lastID + 1
    firstSeq = seqs.lowerBound
    plans = plans.filter { $0.key >= firstID }
    hasShed = true
    return true
  }

  /// Returns entries in the order of their seq, each once, in its current state.
  ///
  /// - Parameters:
  ///   - seq: Only entries that changed after it are returned.
  ///   - limit: The maximum number of entries.
  func entries(after seq: Int, limit: Int) -> [JournalEntry] {
    guard seq < lastSeq else { return [] }
    var found: [JournalEntry] = []
    var next = max(seq, lastSeq - changes.count) + 1
    while next <= lastSeq, found.count < limit {
      let id = changes[changePlace(of: next)]
      if let entry = entry(id), entry.seq == next { found.append(entry) }
      next += 1
    }
    return found
  }

  /// The newest entries, in the order of their seq, each once, as it stands now.
  ///
  /// - Parameters:
  ///   - seq: Only what changed last before it.
  ///   - limit: The number of entries at most.
  func entries(before seq: Int, limit: Int) -> [JournalEntry] {
    var found: [JournalEntry] = []
    var next = min(seq - 1, lastSeq)
    let first = max(firstSeq, lastSeq - changes.count + 1)
    while next >= first, found.count < limit {
      let id = changes[changePlace(of: next)]
      if let entry = entry(id), entry.seq == next { found.append(entry) }
      next -= 1
    }
    return found.reversed()
  }

  /// Discards everything except the used ids and seqs.
  mutating func reset() {
    let (id, seq) = (lastID, lastSeq)
    self = Journal()
    lastID = id
    lastSeq = seq
    firstID = id + 1
    firstSeq = seq + 1
  }
}
