package import Contract
import JSON

/// The content of a request with an `Idempotency-Key`, which the retries of the request share: the body, or the query of a
/// GET that writes.
///
/// Contents are compared by their meaning and not by their bytes, because clients encode again before they retry.
package struct KeyedContent: Sendable {
  private let bytes: ArraySlice<UInt8>
  /// True for the pairs of a query or a form; false for JSON, which is also what any other body is if it can be read.
  private let isPairs: Bool

  package init(query: ArraySlice<UInt8>) {
    bytes = query
    isPairs = true
  }

  /// - Parameter contentType: The `Content-Type` field as sent.
  package init(body: ArraySlice<UInt8>, contentType: ArraySlice<UInt8>?) {
    bytes = body
    isPairs = contentType.map { MediaType.essence(of: $0) == RequestBody.formType } ?? false
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
    // Some clients send JSON with the type of a form.
    if let json = try? JSONValue(parsing: bytes) { return json.meaning }
    guard isPairs else { return Array(bytes) }
    let pairs = Set(Query(parsing: bytes).pairs.map { [$0.name, $0.value] })
    let ordered = pairs.sorted { $0.lexicographicallyPrecedes($1) }
    return JSONValue.array(ordered.map { .array($0.map(JSONValue.string)) }).bytes()
  }

  /// Returns false if the meanings certainly differ. Long contents are not compared here, because both may be read at
  /// once only off the loop; then the next attempt is compared with the stored digest.
  package func mayEqual(_ other: KeyedContent) -> Bool {
    bytes == other.bytes || isLong || other.isLong || meaning == other.meaning
  }
}
