import Contract

/// The responses under an `Idempotency-Key`, so that a repeated request gets its first response.
///
/// When there are too many, the oldest is discarded: a key is meant for retries, not for permanent use.
package struct Idempotency: Sendable {
  package static let capacity = IdempotencyKey.capacity
  /// The maximum size of all records; the newest is stored whatever its size.
  package static let maximumBytes = 1 << 20

  /// One use of a key. The draft scopes it to the resource, so method and path belong to it.
  package struct Key: Sendable, Hashable {
    package let method: String
    package let path: String
    package let text: String

    package init(method: String, path: String, text: String) {
      self.method = method
      self.path = path
      self.text = text
    }
  }

  /// The use of a key so far, for a request with it.
  package enum Lookup: Sendable {
    /// The key is new: apply the request and store its response.
    case fresh
    case replay(Response)
    /// 422: the key was used with another content.
    case mismatched
    /// 409: an earlier request with the key has not been applied yet.
    case inFlight
  }

  /// The response to the first request with a key.
  package struct Record: Sendable {
    package let content: KeyedContent.Digest
    package let response: Response

    package init(content: KeyedContent.Digest, response: Response) {
      self.content = content
      self.response = response
    }

    /// Returns the size of the record's texts; a response body that several records share counts for each.
    fileprivate func byteCount(under key: Key) -> Int {
      let fields = response.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
      return key.path.utf8.count + key.text.utf8.count + fields + (response.representation?.bytes.count ?? 0)
    }
  }

  private var records: [Key: Record] = [:]
  /// The keys in the order of their arrival; those before `oldest` are discarded.
  private var order: [Key] = []
  private var oldest = 0
  package private(set) var byteCount = 0
  /// Requests that are not applied yet, in the order of their arrival.
  private var waiting: [Key: [Waiting]] = [:]

  private struct Waiting {
    let id: Int
    /// The content itself, which the request holds anyway: most digests would never be used.
    let content: KeyedContent
  }

  package init() {}

  /// Returns true if an earlier request had the key.
  package func knows(_ key: Key) -> Bool { records[key] != nil || waiting[key] != nil }

  /// Returns true if the lookup of a key takes the digest of the content.
  package func comparesDigest(for key: Key, id: Int) -> Bool {
    records[key] != nil || (waiting[key]?.first?.id ?? id) >= id
  }

  /// Returns the use of a key so far, for a request with it.
  ///
  /// - Parameters:
  ///   - id: The ordinal of the request, among all received.
  ///   - digest: Returns the digest of `content`.
  package func lookup(
    for key: Key, content: KeyedContent, id: Int, digest: () -> KeyedContent.Digest
  ) -> Lookup {
    if let record = records[key] { return record.content == digest() ? .replay(record.response) : .mismatched }
    guard let first = waiting[key]?.first, first.id < id else { return .fresh }
    return first.content.mayEqual(content) ? .inFlight : .mismatched
  }

  /// Marks the key as in flight: duplicates get 409 until this request has been applied.
  package mutating func wait(_ id: Int, for key: Key, content: KeyedContent) {
    waiting[key, default: []].append(Waiting(id: id, content: content))
  }

  /// Ends a request's mark: it was applied, or never will be.
  package mutating func release(_ id: Int, for key: Key) {
    waiting[key]?.removeAll { $0.id == id }
    if waiting[key]?.isEmpty == true { waiting[key] = nil }
  }

  /// Stores the response to the first request with a key, unless it reports an error of the server.
  ///
  /// - Returns: True if it was stored; false also if the key has a response already.
  @discardableResult
  package mutating func store(_ response: Response, for key: Key, content: KeyedContent.Digest) -> Bool {
    guard response.status < 500 else { return false }
    var stored = response
    stored.changed = false
    stored.content = nil
    stored.undeliverableReason = nil
    return store(Record(content: content, response: stored), for: key)
  }

  /// Stores a record; returns false if its key has one already.
  @discardableResult
  package mutating func store(_ record: Record, for key: Key) -> Bool {
    guard records[key] == nil else { return false }
    order.append(key)
    records[key] = record
    byteCount += record.byteCount(under: key)
    while records.count > Self.capacity || (byteCount > Self.maximumBytes && records.count > 1) {
      let key = order[oldest]
      oldest += 1
      byteCount -= records.removeValue(forKey: key)?.byteCount(under: key) ?? 0
    }
    // This is done rarely, so that its cost per request is low.
    if oldest >= Self.capacity {
      order.removeFirst(oldest)
      oldest = 0
    }
    return true
  }

  /// The records, the oldest first.
  package var all: [(key: Key, record: Record)] {
    order[oldest...].compactMap { key in records[key].map { (key, $0) } }
  }

  /// Restores the records of an earlier state, and keeps the current in-flight marks.
  package mutating func rollBack(to earlier: Idempotency) {
    (records, order, oldest) = (earlier.records, earlier.order, earlier.oldest)
    byteCount = earlier.byteCount
  }
}
