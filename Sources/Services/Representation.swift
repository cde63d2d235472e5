package import Contract
package import JSON
import Primitives

/// A body ready to be sent, with the values derived from its bytes. It is created once per state, not once per request.
package final class Representation: Sendable {
  package let bytes: [UInt8]
  /// `Content-Type`, and `Content-Length` or `Transfer-Encoding`, as field lines of a head.
  package let contentFields: [UInt8]
  package let mediaType: MediaType
  /// True if the bytes are in the chunked coding already.
  package let isChunked: Bool
  /// The strong tag of the bytes; the responder makes it weak if the contract requires that.
  package let tag: EntityTag
  /// `ETag` as a field line of a head, with the strong tag.
  package let tagField: [UInt8]

  package convenience init(_ bytes: [UInt8], _ mediaType: MediaType) {
    self.init(bytes, mediaType, tag: EntityTag(of: bytes))
  }

  /// Creates a body with a given tag.
  ///
  /// - Parameter isChunked: True if the bytes are in the chunked coding already.
  package init(_ bytes: [UInt8], _ mediaType: MediaType, tag: EntityTag, isChunked: Bool = false) {
    self.bytes = bytes
    self.mediaType = mediaType
    self.isChunked = isChunked
    self.tag = tag
    var fields: [UInt8] = []
    fields.reserveCapacity(96)
    fields += mediaType.contentTypeLine
    if isChunked {
      fields.append(contentsOf: "Transfer-Encoding: chunked\r\n".utf8)
    } else {
      fields.append(contentsOf: "Content-Length: ".utf8)
      Digits.appendDecimal(bytes.count, to: &fields)
      fields.append(contentsOf: "\r\n".utf8)
    }
    contentFields = fields
    var line: [UInt8] = []
    line.reserveCapacity(32)
    Self.writeField(tag, to: &line)
    tagField = line
  }

  /// Appends `ETag` as a field line of a head.
  package static func writeField(_ tag: EntityTag, to output: inout [UInt8]) {
    output += tagName
    tag.write(to: &output)
    output.append(contentsOf: "\r\n".utf8)
  }

  private static let tagName = Array("ETag: ".utf8)

  package convenience init(_ value: JSONValue, _ layout: JSONValue.Layout = .compact, _ mediaType: MediaType = .json) {
    self.init(value.bytes(layout), mediaType)
  }
}

extension Representation {
  /// Returns the event that shows this text, under its tag. The text has no line breaks.
  func event(named name: String) -> Representation {
    let head = Array("event: \(name)\nid: \(tag.digits)\ndata: ".utf8)
    return Representation(head + bytes + Array("\n\n".utf8), .eventStream, tag: tag)
  }
}

extension EntityTag {
  /// The tag's text without its quotes, as the id of an event.
  package var digits: String { String(text.dropFirst().dropLast()) }
}
