import Contract
import HTTP1
import JSON

/// What a handler answers: a message without anything that belongs to the connection.
struct Reply: Sendable {
  var status: Int
  var representation: Representation?
  /// Fields that only this operation sends, such as `Location`.
  var fields: [ReplyField] = []
  /// Whether the API's state is another than before.
  var changed = false
  /// What of the state is another, where an API changed it.
  var change: Delta.Change?
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

  /// A reply of an API that changed its state, or found that there was nothing to change.
  init(_ status: Int, _ representation: Representation? = nil, change: Delta.Change?) {
    self.init(status, representation, changed: change != nil)
    self.change = change
  }

  /// Takes the place of a reply that has to be worked out off the loop first.
  static let pending = Reply(0)

  /// An error; the responder words it in the shape of the API.
  static func problem(_ problem: Problem) -> Reply {
    var reply = Reply(problem.status)
    reply.problem = problem
    return reply
  }

  /// What is yet to be worded in the shape of the API.
  var problem: Problem? {
    get { unworded?.problem }
    set { unworded = newValue.map(Unworded.init) }
  }

  private var unworded: Unworded?

  /// Few replies have a problem, so that it is kept apart: replies are passed on often.
  private final class Unworded: Sendable {
    let problem: Problem

    init(_ problem: Problem) { self.problem = problem }
  }

  /// Set where the body is a stream of what happens.
  var follower: JournalFollower?
  /// True if the body is not the one that its entity tag names, so that the tag is not sent (RFC 9110 section 8.8.3).
  var isAltered = false
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
final class Representation: Sendable {
  let bytes: [UInt8]
  /// `Content-Type` and `Content-Length` as they stand in a head.
  let contentFields: [UInt8]
  let mediaType: MediaType
  /// The tag of the bytes, strong; the responder weakens it where the contract says so.
  let tag: EntityTag

  convenience init(_ bytes: [UInt8], _ mediaType: MediaType) {
    self.init(bytes, mediaType, tag: EntityTag(of: bytes))
  }

  /// Bytes that go out under the tag of others.
  init(_ bytes: [UInt8], _ mediaType: MediaType, tag: EntityTag) {
    self.bytes = bytes
    self.mediaType = mediaType
    self.tag = tag
    var fields: [UInt8] = []
    ResponseHead.appendField("Content-Type", mediaType.rawValue, to: &fields)
    ResponseHead.appendContentLength(bytes.count, to: &fields)
    contentFields = fields
  }

  convenience init(_ value: JSON, _ layout: JSON.Layout = .compact, _ mediaType: MediaType = .json) {
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
  /// An HTTP Archive (HAR 1.2).
  case archive = "application/har+json"
  case png = "image/png"
  case html = "text/html; charset=utf-8"
  case text = "text/plain; charset=utf-8"
  case prometheus = "text/plain; version=0.0.4; charset=utf-8"
  case yaml = "application/yaml"
  case xml = "application/xml"

  var isJSON: Bool { self == .json || self == .bareJSON || self == .problem }
}
