package import Contract

/// The content of a request with an `Idempotency-Key`, which the retries of the request share: the body, or the query of a
/// GET that writes.
///
/// Contents are compared by their meaning and not by their bytes, because clients encode again before they retry.
package struct KeyedContent: Sendable {
  private let bytes: ArraySlice<UInt8>
  private let encoding: Encoding

  private enum Encoding: Sendable {
    case query
    /// A body, with its `Content-Type` and `Content-Encoding` as sent.
    case body(type: ArraySlice<UInt8>?, coding: ArraySlice<UInt8>?)
  }

  package init(query: ArraySlice<UInt8>) { (bytes, encoding) = (query, .query) }

  package init(body: ArraySlice<UInt8>, type: ArraySlice<UInt8>?, coding: ArraySlice<UInt8>?) {
    (bytes, encoding) = (body, .body(type: type, coding: coding))
  }

  /// True if its digest is made off the loop.
  package var isLong: Bool { bytes.count > Call.maximumShortBody }

  /// A digest of the meaning, because storing a megabyte per key would be too much.
  package struct Digest: Sendable, Equatable {
    /// The number of bytes of the meaning's text.
    package let count: Int
    package let tag: EntityTag

    package init(count: Int, tag: EntityTag) {
      self.count = count
      self.tag = tag
    }
  }

  package var digest: Digest {
    let meaning = meaning
    return Digest(count: meaning.count, tag: EntityTag(of: meaning))
  }

  private var meaning: [UInt8] {
    switch encoding {
    case .query: ContentMeaning.pairs(bytes)
    case .body(let type, let coding): ContentMeaning(bytes, type: type, coding: coding).text
    }
  }

  /// Returns false if the meanings certainly differ. Long contents are not compared here, because both may be read at
  /// once only off the loop; then the next attempt is compared with the stored digest.
  package func mayEqual(_ other: KeyedContent) -> Bool {
    bytes == other.bytes || isLong || other.isLong || meaning == other.meaning
  }
}
