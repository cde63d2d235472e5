import Contract

/// What a handler is asked: one operation with its arguments, everything else about the request left behind.
struct Call: Sendable {
  /// The operation's place in its API's `operations`.
  var operation: Int
  /// The values of the path's variables in order, percent-decoded.
  var arguments: [String]
  var query: Query
  /// The body's bytes, its coding undone; empty when there is none.
  var body: ArraySlice<UInt8>
  /// The `Content-Type` field as sent.
  var contentType: String?
  /// Scheme and authority as this client reaches them: `http://localhost:8080`.
  let origin: String
  /// The labels that it needs in front of the API's `/`: `/@booking`.
  let prefix: String
  /// The sandbox's time.
  var now: Instant

  init(
    operation: Int, arguments: [String] = [], query: Query = Query(), body: ArraySlice<UInt8> = [],
    contentType: String? = nil, origin: String = "http://localhost:8080", prefix: String = "",
    now: Instant = Instant(seconds: 0)
  ) {
    self.operation = operation
    self.arguments = arguments
    self.query = query
    self.body = body
    self.contentType = contentType
    self.origin = origin
    self.prefix = prefix
    self.now = now
  }

  /// A longer body takes so long to read that it is read off the loop.
  static let maximumShortBody = 16 << 10

  /// True if the body is longer than what is read at once.
  var hasLongBody: Bool { body.count > Self.maximumShortBody }

  /// Where the API's `/` is for this client, without a closing slash.
  var base: String { prefix.isEmpty ? origin : origin + prefix }
}

/// The query of a target as ordered pairs, percent-decoded, `+` read as a space (WHATWG URL, section 5.1).
struct Query: Sendable, Equatable {
  var pairs: [Pair]

  struct Pair: Sendable, Equatable {
    let name: String
    let value: String
  }

  init(_ pairs: [Pair] = []) { self.pairs = pairs }

  subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

  func has(_ name: String) -> Bool { pairs.contains { $0.name == name } }

  init(parsing text: some Collection<UInt8>) {
    pairs = text.split(separator: UInt8(ascii: "&")).map { pair in
      let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return Pair(
        name: PercentCoding.decode(sides[0], plusIsSpace: true),
        value: sides.count > 1 ? PercentCoding.decode(sides[1], plusIsSpace: true) : "")
    }
  }
}
