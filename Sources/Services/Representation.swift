import Contract
import HTTP1
import JSON

/// A body ready to be sent, with the values derived from its bytes. It is created once per state, not once per request.
final class Representation: Sendable {
  let bytes: [UInt8]
  /// `Content-Type` and `Content-Length` as field lines of a head.
  let contentFields: [UInt8]
  let mediaType: MediaType
  /// The strong tag of the bytes; the responder makes it weak if the contract requires that.
  let tag: EntityTag
  /// `ETag` as a field line of a head, with the strong tag.
  let tagField: [UInt8]

  convenience init(_ bytes: [UInt8], _ mediaType: MediaType) {
    self.init(bytes, mediaType, tag: EntityTag(of: bytes))
  }

  /// Creates a body with a given tag.
  init(_ bytes: [UInt8], _ mediaType: MediaType, tag: EntityTag) {
    self.bytes = bytes
    self.mediaType = mediaType
    self.tag = tag
    var fields: [UInt8] = []
    fields.reserveCapacity(96)
    fields.append(contentsOf: "Content-Type: ".utf8)
    fields.append(contentsOf: mediaType.rawValue.utf8)
    ResponseHead.appendEnd(to: &fields)
    ResponseHead.appendContentLength(bytes.count, to: &fields)
    contentFields = fields
    var line: [UInt8] = []
    line.reserveCapacity(32)
    Self.writeField(tag, to: &line)
    tagField = line
  }

  /// Appends `ETag` as a field line of a head.
  static func writeField(_ tag: EntityTag, to output: inout [UInt8]) {
    output.append(contentsOf: "ETag: ".utf8)
    tag.write(to: &output)
    ResponseHead.appendEnd(to: &output)
  }

  convenience init(_ value: JSONValue, _ layout: JSONValue.Layout = .compact, _ mediaType: MediaType = .json) {
    self.init(value.bytes(layout), mediaType)
  }
}
