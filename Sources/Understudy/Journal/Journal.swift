import Contract
import Primitives
import Report

/// The entries of a sandbox: the newest, within limits.
struct Journal: Sendable {
  static let maximumEntries = 10_000
  /// The maximum number of bytes of the entries with their texts.
  static let maximumBytes = 12 << 20
  /// The maximum number of stored bytes of a body; longer bodies are truncated.
  static let maximumBodyBytes = 4 << 10

  /// The entries, each at `index(of:)` its id.
  private var entries: [Entry] = []
  /// The number of bytes that the entries use.
  private(set) var entryBytes = 0
  /// For each of the newest seqs, the id of the entry that changed.
  private var changes: [Int] = []
  /// The id of the oldest entry; that of the next one if there is none.
  private var oldestID = 1
  private(set) var lastID = 0
  private(set) var lastSeq = 0
  /// The first id that is shown; a reset hides older entries.
  var firstID = 1
  /// The id and the seq at the start of `entries` and of `changes`.
  private var base = (id: 1, seq: 1)

  /// The id of the next entry.
  var nextID: Int { lastID + 1 }

  /// Records that the state changed without a request.
  mutating func record(_ event: String, versions: Range<Int>?, at now: Instant) {
    let text = Array(event.utf8.prefix(Self.maximumBodyBytes))
    put(Entry(id: nextID, at: now, event: text[...], versions: versions))
  }

  /// Stores an entry with a new seq, in place of the one with its id if there is any; returns false if that has been evicted.
  @discardableResult
  mutating func put(_ entry: consuming Entry) -> Bool {
    let id = entry.id
    guard id > lastID || isRetained(id) else { return false }
    entry.seq = nextSeq(for: id)
    if id > lastID { add(entry) } else { replace(with: entry) }
    while entryBytes > Self.maximumBytes { evictOldest() }
    return true
  }

  private mutating func add(_ entry: consuming Entry) {
    precondition(entry.id == nextID, "nothing else is recorded between a request and its entry")
    let index = index(of: entry.id)
    if retainedCount == Self.maximumEntries {
      // It takes the slot of the oldest one.
      entryBytes -= entries[index].byteCount
      oldestID += 1
    }
    lastID += 1
    entryBytes += entry.byteCount
    if index < entries.count { entries[index] = entry } else { entries.append(entry) }
  }

  private mutating func replace(with entry: consuming Entry) {
    let index = index(of: entry.id)
    entryBytes += entry.byteCount - entries[index].byteCount
    entries[index] = entry
  }

  private mutating func evictOldest() {
    let index = index(of: oldestID)
    entryBytes -= entries[index].byteCount
    entries[index] = .evicted
    oldestID += 1
  }

  private mutating func nextSeq(for id: Int) -> Int {
    lastSeq += 1
    let index = changeIndex(of: lastSeq)
    if index < changes.count { changes[index] = id } else { changes.append(id) }
    return lastSeq
  }

  /// Changes an entry, unless it has been evicted.
  mutating func update(_ id: Int, _ change: (inout Entry) -> Void) {
    guard var entry = retained(id) else { return }
    change(&entry)
    put(entry)
  }

  private func index(of id: Int) -> Int { (id - base.id) % Self.maximumEntries }

  private func changeIndex(of seq: Int) -> Int { (seq - base.seq) % (Self.maximumEntries * 2) }

  private func isShown(_ id: Int) -> Bool { id >= firstID && isRetained(id) }

  /// True if an entry is stored, even if a reset hides it.
  func isRetained(_ id: Int) -> Bool { (oldestID..<lastID + 1).contains(id) }

  /// Returns an entry, even if a reset hides it; nil if it has been evicted.
  func retained(_ id: Int) -> Entry? { isRetained(id) ? entries[index(of: id)] : nil }

  func entry(_ id: Int) -> Entry? { isShown(id) ? entries[index(of: id)] : nil }

  /// True if entries have been evicted since the start or the last reset.
  var isPartial: Bool { lastID >= firstID && !isShown(firstID) }

  /// The number of shown entries.
  var count: Int { lastID + 1 - max(firstID, oldestID) }

  /// The number of stored entries, also of those that a reset hides.
  var retainedCount: Int { lastID + 1 - oldestID }

  /// The number of bytes in use.
  var byteCount: Int {
    let free = entries.capacity - retainedCount
    return entryBytes + free * MemoryLayout<Entry>.stride + changes.capacity * MemoryLayout<Int>.stride
  }

  /// Evicts the older half of the entries; returns false if there is nothing to evict.
  mutating func evict() -> Bool {
    guard oldestID <= lastID else { return false }
    for _ in 0...(lastID - oldestID) / 2 { evictOldest() }
    let stored = (oldestID..<lastID + 1).map { entries[index(of: $0)] }
    let seqs = max(stored.map(\.seq).min() ?? lastSeq + 1, lastSeq - changes.count + 1)..<lastSeq + 1
    changes = seqs.map { changes[changeIndex(of: $0)] }
    entries = stored
    base = (oldestID, seqs.lowerBound)
    return true
  }

  /// Returns entries in the order of their seq, each once, in its current state.
  ///
  /// - Parameters:
  ///   - seq: Only entries that changed after it are returned.
  ///   - limit: The maximum number of entries.
  func entries(after seq: Int, limit: Int) -> [Entry] {
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
  func entries(before seq: Int, after oldest: Int, limit: Int) -> [Entry] {
    let first = max(lastSeq - changes.count, min(oldest, lastSeq)) + 1
    let seqs = first..<max(first, min(seq, lastSeq + 1))
    return entries(changedAt: seqs.reversed(), limit: limit).reversed()
  }

  /// Returns the entries whose last changes have these seqs.
  private func entries(changedAt seqs: some Sequence<Int>, limit: Int) -> [Entry] {
    var found: [Entry] = []
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
    (oldestID, base) = (id + 1, (id + 1, seq + 1))
  }
}

extension Entry {
  /// The value in place of an evicted entry.
  fileprivate static let evicted = Entry(id: 0, at: Instant(seconds: 0), event: [], versions: nil)
}
