/// A fault in the message: it arrives complete, but its content is not what the API promises.
package struct BodyFault: Sendable, Equatable {
  package let kind: Effect.Kind
  /// The age of the content, as a number of state changes; 0 if it is current.
  package let versionsAgo: Int
  /// True if the content still says what the API did, so that it must have done it.
  package let isTruthful: Bool
  private let change: (@Sendable (Content, UInt64) -> Content?)?

  /// - Parameter change: Returns the content that replaces the API's, given 64 pseudo-random bits; nil if the fault
  ///   cannot be applied to it.
  init(
    _ kind: Effect.Kind, versionsAgo: Int = 0, isTruthful: Bool = false,
    _ change: (@Sendable (Content, UInt64) -> Content?)? = nil
  ) {
    self.kind = kind
    self.versionsAgo = versionsAgo
    self.isTruthful = isTruthful
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
      /// The entity tag of the original bytes; a strong tag must not be sent with other bytes (RFC 9110 section 8.8.3).
      case ofOriginal
    }

    package var bytes: [UInt8]
    package var format: Format
    package var tag = Tag.own
    /// True if the whole message is replaced by another one with status 200, not only the content.
    package var isOtherMessage = false
    /// The change for people, as in `"company" is missing`; nil if the fault's name says it all.
    package var change: String?

    package init(_ bytes: [UInt8], _ format: Format) {
      self.bytes = bytes
      self.format = format
    }

    /// Returns the content with other bytes, and marks its tag as that of the original bytes.
    func replaced(by bytes: [UInt8], _ format: Format? = nil, change: String? = nil) -> Content {
      var content = Content(bytes, format ?? self.format)
      content.change = change
      content.tag = .ofOriginal
      return content
    }
  }

  /// Returns the content that the client gets; nil if the fault cannot be applied to it.
  package func changed(_ content: Content, draw: UInt64) -> Content? {
    guard let change else { return content }
    return change(content, draw)
  }

  /// True if the fault changes the content itself; false if it selects an older state to respond from.
  package var changesContent: Bool { change != nil }
  package var isStale: Bool { versionsAgo > 0 }

  var description: String { isStale ? "\(kind.name) by \(versionsAgo)" : kind.name }

  package static func == (left: BodyFault, right: BodyFault) -> Bool {
    left.kind == right.kind && left.versionsAgo == right.versionsAgo
  }
}
