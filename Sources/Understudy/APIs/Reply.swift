package import Contract
package import JSON

/// What a handler answers: a message without anything that belongs to the connection.
package struct Reply: Sendable {
  package var status: Int
  package var representation: Representation?
  /// Fields that only this operation sends, such as `Location`.
  package var fields: [ReplyField] = []
  /// Whether the API's state is another than before.
  package var changed = false
  /// A remark for the journal, such as a booking that booked nothing.
  package var remark: String?

  package init(
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
  package static func problem(_ problem: Problem) -> Reply {
    var reply = Reply(problem.status)
    reply.problem = problem
    return reply
  }

  package var problem: Problem?
}

/// A header field of a reply.
package struct ReplyField: Sendable, Equatable {
  package let name: String
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A body ready for the wire, with what is derived from its bytes. Make it once per state, not once per request.
package struct Representation: Sendable {
  package let bytes: [UInt8]
  package let mediaType: MediaType
  /// The tag of the bytes, strong; the responder weakens it where the contract says so.
  package let tag: EntityTag

  package init(_ bytes: [UInt8], _ mediaType: MediaType) {
    self.bytes = bytes
    self.mediaType = mediaType
    tag = EntityTag(of: bytes)
  }

  package init(_ value: JSON, _ layout: JSON.Layout = .compact, _ mediaType: MediaType = .json) {
    self.init(value.bytes(layout), mediaType)
  }
}

/// The media types that go over the wire, as `Content-Type` writes them.
package enum MediaType: String, Sendable {
  case json = "application/json; charset=utf-8"
  case bareJSON = "application/json"
  case problem = "application/problem+json"
  case jsonLines = "application/jsonl"
  case png = "image/png"
  case html = "text/html; charset=utf-8"
  case text = "text/plain; charset=utf-8"
  case yaml = "application/yaml"
}
