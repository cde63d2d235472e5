/// Harm to the message: it arrives whole, and is not what the API promises.
package struct BodyFault: Sendable, Equatable {
  package let kind: Effect.Kind
  /// The age of the content, in changes of state; 0 if it is current.
  package let versionsAgo: Int
  private let change: (@Sendable (Content, UInt64) -> Content?)?

  /// - Parameter change: Returns the content that the client gets for that of the API and a draw, or nil where there is
  ///   nothing to harm.
  init(
    _ kind: Effect.Kind, versionsAgo: Int = 0, _ change: (@Sendable (Content, UInt64) -> Content?)? = nil
  ) {
    self.kind = kind
    self.versionsAgo = versionsAgo
    self.change = change
  }

  /// The content of a response, as far as a fault may know and change it.
  package struct Content: Sendable, Equatable {
    package enum Format: Sendable {
      case json, html, image, other
    }

    package enum Tag: Sendable {
      /// The entity tag of the bytes.
      case own
      /// The tag of the bytes that were changed, which is not sent with others (RFC 9110 section 8.8.3).
      case ofSound
    }

    package var bytes: [UInt8]
    package var format: Format
    package var tag = Tag.own
    /// True if it is another message with status 200 rather than the API's with other content.
    package var isOtherMessage = false

    package init(_ bytes: [UInt8], _ format: Format) {
      self.bytes = bytes
      self.format = format
    }

    /// The content with other bytes under the tag of these.
    func replaced(by bytes: [UInt8], _ format: Format? = nil) -> Content {
      var content = Content(bytes, format ?? self.format)
      content.tag = .ofSound
      return content
    }
  }

  /// Returns the content that the client gets, or nil where there is nothing to harm.
  package func changed(_ content: Content, draw: UInt64) -> Content? {
    guard let change else { return content }
    return change(content, draw)
  }

  /// True if it changes the content, rather than the state that the content is made from.
  package var changesContent: Bool { change != nil }
  package var isStale: Bool { versionsAgo > 0 }

  var words: String { isStale ? "\(kind.name) by \(versionsAgo)" : kind.name }

  package static func == (left: BodyFault, right: BodyFault) -> Bool {
    left.kind == right.kind && left.versionsAgo == right.versionsAgo
  }
}
