import Contract
import HTTP1
import JSON

/// A handler's response: a message without properties of the connection.
struct Response: Sendable {
  var status: Int
  var representation: Representation?
  /// Fields of this operation only, such as `Location`.
  var fields: [ResponseField] = []
  /// True if the API's state has changed.
  var changed = false
  /// The change of the API's state, if an API changed it.
  var change: Delta.Change?
  /// A remark for the journal, such as a booking that booked nothing.
  var remark: String?

  init(
    _ status: Int, _ representation: Representation? = nil, fields: [ResponseField] = [], changed: Bool = false,
    remark: String? = nil
  ) {
    self.status = status
    self.representation = representation
    self.fields = fields
    self.changed = changed
    self.remark = remark
  }

  /// Creates the response of an API that changed its state, or had nothing to change.
  init(_ status: Int, _ representation: Representation? = nil, change: Delta.Change?) {
    self.init(status, representation, changed: change != nil)
    self.change = change
  }

  /// A placeholder for a response that is computed off the loop.
  static let pending = Response(0)

  /// Returns an error; the responder renders it in the error shape of the API.
  static func problem(_ problem: Problem) -> Response {
    var response = Response(problem.status)
    response.problem = problem
    return response
  }

  /// The problem to render in the error shape of the API.
  var problem: Problem? {
    get { unworded?.problem }
    set { unworded = newValue.map(PendingProblem.init) }
  }

  private var unworded: PendingProblem?

  /// Few responses have a problem. It is stored separately, because responses are copied often.
  private final class PendingProblem: Sendable {
    let problem: Problem

    init(_ problem: Problem) { self.problem = problem }
  }

  /// The source of a streamed body; nil for other bodies.
  var follower: JournalFollower?
  /// True if the body is not the one that its entity tag identifies, so that the tag is not sent (RFC 9110 section
  /// 8.8.3).
  var isAltered = false
  /// True if the plan's fault could not be applied to this response.
  var isUndeliverable = false

  var undeliverable: Response {
    var response = self
    response.isUndeliverable = true
    return response
  }
}

/// A header field of a response.
struct ResponseField: Sendable, Equatable {
  let name: String
  let value: String

  init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A body ready to be sent, with the values derived from its bytes. It is created once per state, not once per request.
final class Representation: Sendable {
  let bytes: [UInt8]
  /// `Content-Type` and `Content-Length` as field lines of a head.
  let contentFields: [UInt8]
  let mediaType: MediaType
  /// The strong tag of the bytes; the responder makes it weak if the contract requires that.
  let tag: EntityTag

  convenience init(_ bytes: [UInt8], _ mediaType: MediaType) {
    self.init(bytes, mediaType, tag: EntityTag(of: bytes))
  }

  /// Creates a body that is sent with another body's tag.
  init(_ bytes: [UInt8], _ mediaType: MediaType, tag: EntityTag) {
    self.bytes = bytes
    self.mediaType = mediaType
    self.tag = tag
    var fields: [UInt8] = []
    ResponseHead.appendField("Content-Type", mediaType.rawValue, to: &fields)
    ResponseHead.appendContentLength(bytes.count, to: &fields)
    contentFields = fields
  }

  convenience init(_ value: JSONValue, _ layout: JSONValue.Layout = .compact, _ mediaType: MediaType = .json) {
    self.init(value.bytes(layout), mediaType)
  }
}

/// The media types on the wire, as written in `Content-Type`.
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
