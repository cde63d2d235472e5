package import Contract

/// What a handler is asked: one operation with its arguments, everything else about the request left behind.
package struct Call: Sendable {
  /// The operation's place in its API's `operations`.
  package var operation: Int
  /// The values of the path's variables in order, percent-decoded.
  package var arguments: [String]
  package var query: Query
  /// The body's bytes, its coding undone; empty when there is none.
  package var body: ArraySlice<UInt8>
  /// The `Content-Type` field as sent.
  package var contentType: String?
  /// Where the API's `/` is for this client, without a closing slash: `http://localhost:8080/@booking`.
  package var base: String
  /// The sandbox's time.
  package var now: Instant

  package init(
    operation: Int, arguments: [String] = [], query: Query = Query(), body: ArraySlice<UInt8> = [],
    contentType: String? = nil, base: String = "http://localhost:8080", now: Instant = Instant(seconds: 0)
  ) {
    self.operation = operation
    self.arguments = arguments
    self.query = query
    self.body = body
    self.contentType = contentType
    self.base = base
    self.now = now
  }
}

/// The query of a target as ordered pairs, percent-decoded, `+` read as a space (WHATWG URL, section 5.1).
package struct Query: Sendable, Equatable {
  package var pairs: [Pair]

  package struct Pair: Sendable, Equatable {
    package let name: String
    package let value: String
  }

  package init(_ pairs: [Pair] = []) { self.pairs = pairs }

  package subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

  package init(parsing text: some Collection<UInt8>) {
    pairs = text.split(separator: UInt8(ascii: "&")).map { pair in
      let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return Pair(
        name: PercentCoding.decode(sides[0], plusIsSpace: true),
        value: sides.count > 1 ? PercentCoding.decode(sides[1], plusIsSpace: true) : "")
    }
  }
}
