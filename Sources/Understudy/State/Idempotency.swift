import Contract

/// The replies that were given under an `Idempotency-Key`, so that a repeated request finds its first answer.
///
/// The oldest is forgotten when there are too many: a key is meant for a retry, not for ever.
struct Idempotency: Sendable {
  static let capacity = 4_096

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
  }

  private struct Record {
    let body: Body
    let reply: Reply
  }

  /// A body as far as two are compared: a megabyte a key would be too much to keep.
  private struct Body: Equatable {
    let count: Int
    let tag: EntityTag

    init(_ bytes: ArraySlice<UInt8>) {
      count = bytes.count
      tag = EntityTag(of: bytes)
    }
  }

  private var records: [Key: Record] = [:]
  private var order: [Key] = []
  private var oldest = 0

  init() {}

  func verdict(for key: Key, body: ArraySlice<UInt8>) -> Verdict {
    guard let record = records[key] else { return .fresh }
    return record.body == Body(body) ? .replay(record.reply) : .mismatched
  }

  mutating func store(_ reply: Reply, for key: Key, body: ArraySlice<UInt8>) {
    guard reply.status < 500, records[key] == nil else { return }
    if order.count < Self.capacity {
      order.append(key)
    } else {
      records[order[oldest]] = nil
      order[oldest] = key
      oldest = (oldest + 1) % Self.capacity
    }
    var stored = reply
    stored.changed = false
    stored.isUndeliverable = false
    records[key] = Record(body: Body(body), reply: stored)
  }
}
