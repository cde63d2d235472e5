import Contract
import JSON

/// What a handler answers: a message without anything that belongs to the connection.
struct Reply: Sendable {
  var status: Int
  var representation: Representation?
  /// Fields that only this operation sends, such as `Location`.
  var fields: [ReplyField] = []
  /// Whether the API's state is another than before.
  var changed = false
  /// A remark for the journal, such as a booking that booked nothing.
  var remark: String?

  init(
    _ status: Int, _ representation: Representation? = nil, fields: [ReplyField] = [], changed: Bool = false,
    remark: String? = nil
  ) {
    self.status = status
    self.representation = representation
    self.fields = fields
    self.changed = changed
    self.remark = remark
  }

  /// An error; the responder words it in the shape of the API.
  static func problem(_ problem: Problem) -> Reply {
    var reply = Reply(problem.status)
    reply.problem = problem
    return reply
  }

  var problem: Problem?
  /// Set where the body is a stream of what happens.
  var follower: JournalFollower?
  /// Whether the plan found nothing in it that it could harm.
  var isUndeliverable = false

  var undeliverable: Reply {
    var reply = self
    reply.isUndeliverable = true
    return reply
  }
}

/// A header field of a reply.
struct ReplyField: Sendable, Equatable {
  let name: String
  let value: String

  init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A body ready for the wire, with what is derived from its bytes. Make it once per state, not once per request.
struct Representation: Sendable {
  let bytes: [UInt8]
  let mediaType: MediaType
  /// The tag of the bytes, strong; the responder weakens it where the contract says so.
  let tag: EntityTag

  init(_ bytes: [UInt8], _ mediaType: MediaType) {
    self.init(bytes, mediaType, tag: EntityTag(of: bytes))
  }

  /// Bytes that go out under the tag of others.
  init(_ bytes: [UInt8], _ mediaType: MediaType, tag: EntityTag) {
    self.bytes = bytes
    self.mediaType = mediaType
    self.tag = tag
  }

  init(_ value: JSON, _ layout: JSON.Layout = .compact, _ mediaType: MediaType = .json) {
    self.init(value.bytes(layout), mediaType)
  }
}

/// The media types that go over the wire, as `Content-Type` writes them.
enum MediaType: String, Sendable {
  case json = "application/json; charset=utf-8"
  case bareJSON = "application/json"
  case problem = "application/problem+json"
  case eventStream = "text/event-stream"
  case jsonLines = "application/jsonl"
  case png = "image/png"
  case html = "text/html; charset=utf-8"
  case text = "text/plain; charset=utf-8"
  case prometheus = "text/plain; version=0.0.4; charset=utf-8"
  case yaml = "application/yaml"
  case xml = "application/xml"
}
