import Contract

/// The replies that were given under an `Idempotency-Key`, so that a repeated request finds its first answer.
///
/// The oldest is forgotten when there are too many: a key is meant for a retry, not for ever.
struct Idempotency: Sendable {
  static let capacity = 4_096
  /// What the records may weigh in all; the newest one is kept whatever it weighs.
  static let mostBytes = 8 << 20

  /// One use of a key: the draft scopes it to the resource, so method and path belong to it.
  struct Key: Sendable, Hashable {
    let method: String
    let path: String
    let text: String
  }

  enum Verdict: Sendable {
    /// The key is new: apply the request and store what it answers.
    case fresh
    case replay(Reply)
    /// 422: the key was used with another body.
    case mismatched
    /// 409: an earlier request with the key waits to be applied.
    case inFlight
  }

  /// What was answered to the first request with a key.
  struct Record: Sendable {
    let body: Body
    let reply: Reply

    /// What keeping it costs; a body that several replies share counts with each.
    fileprivate func weight(under key: Key) -> Int {
      let fields = reply.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
      return 256 + key.path.utf8.count + key.text.utf8.count + fields + (reply.representation?.bytes.count ?? 0)
    }
  }

  /// A body as far as two are compared: a megabyte a key would be too much to keep.
  struct Body: Sendable, Equatable {
    let count: Int
    let tag: EntityTag

    init(_ bytes: ArraySlice<UInt8>) { self.init(count: bytes.count, tag: EntityTag(of: Array(bytes))) }

    init(count: Int, tag: EntityTag) {
      self.count = count
      self.tag = tag
    }
  }

  /// A record that was stored, and what had to make room for it.
  struct Stored: Sendable {
    let key: Key
    let record: Record
    fileprivate let forgotten: [(key: Key, record: Record)]
  }

  private var records: [Key: Record] = [:]
  /// The keys as they came; those before `oldest` are forgotten.
  private var order: [Key] = []
  private var oldest = 0
  private(set) var byteCount = 0
  /// Requests that wait before they are applied, in the order in which they came.
  private var waiting: [Key: [Waiting]] = [:]

  private struct Waiting {
    let id: Int
    let body: Body
  }

  init() {}

  /// True if an earlier request came with the key.
  func knows(_ key: Key) -> Bool { records[key] != nil || waiting[key] != nil }

  /// - Parameter id: The ordinal of the request that asks, among all that arrived.
  func verdict(for key: Key, body: ArraySlice<UInt8>, id: Int) -> Verdict {
    if let record = records[key] { return record.body == Body(body) ? .replay(record.reply) : .mismatched }
    guard let first = waiting[key]?.first, first.id < id else { return .fresh }
    return first.body == Body(body) ? .inFlight : .mismatched
  }

  /// Takes note that a request is going to wait before it is applied.
  mutating func wait(_ id: Int, for key: Key, body: ArraySlice<UInt8>) {
    waiting[key, default: []].append(Waiting(id: id, body: Body(body)))
  }

  /// Takes note that a request waits no more: it was applied, or never will be.
  mutating func release(_ id: Int, for key: Key) {
    waiting[key]?.removeAll { $0.id == id }
    if waiting[key]?.isEmpty == true { waiting[key] = nil }
  }

  @discardableResult
  mutating func store(_ reply: Reply, for key: Key, body: ArraySlice<UInt8>) -> Stored? {
    guard reply.status < 500 else { return nil }
    var stored = reply
    stored.changed = false
    stored.change = nil
    stored.isUndeliverable = false
    return store(Record(body: Body(body), reply: stored), for: key)
  }

  @discardableResult
  mutating func store(_ record: Record, for key: Key) -> Stored? {
    guard records[key] == nil else { return nil }
    order.append(key)
    keep(record, key)
    var forgotten: [(key: Key, record: Record)] = []
    while records.count > Self.capacity || (byteCount > Self.mostBytes && records.count > 1) {
      let key = order[oldest]
      oldest += 1
      if let record = forget(key) { forgotten.append((key, record)) }
    }
    // Once in a while, so that it costs little for each.
    if oldest >= Self.capacity {
      order.removeFirst(oldest)
      oldest = 0
    }
    return Stored(key: key, record: record, forgotten: forgotten)
  }

  /// Forgets the record that was stored last.
  mutating func takeBack(_ stored: Stored) {
    order = stored.forgotten.map(\.key) + order[oldest...].dropLast()
    oldest = 0
    _ = forget(stored.key)
    for (key, record) in stored.forgotten { keep(record, key) }
  }

  private mutating func keep(_ record: Record, _ key: Key) {
    records[key] = record
    byteCount += record.weight(under: key)
  }

  private mutating func forget(_ key: Key) -> Record? {
    let record = records.removeValue(forKey: key)
    byteCount -= record?.weight(under: key) ?? 0
    return record
  }

  /// The records, the oldest first.
  var all: [(key: Key, record: Record)] {
    order[oldest...].compactMap { key in records[key].map { (key, $0) } }
  }

  /// Takes the records of an earlier moment, and keeps who waits now.
  mutating func takeBack(to earlier: Idempotency) {
    (records, order, oldest) = (earlier.records, earlier.order, earlier.oldest)
    byteCount = earlier.byteCount
  }
}
