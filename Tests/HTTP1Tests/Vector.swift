@testable import HTTP1

/// A result of the parser, in a form that fits into one line of a table.
enum Outcome: Equatable, Sendable {
  case yes(
    _ method: String = "GET", _ path: String = "/", query: String? = nil, host: String? = "a", body: String = "",
    trailers: [String] = [], persists: Bool = true)
  case no(Rejection)
}

/// Bytes and the parser's expected results, independent of how the bytes are cut.
struct Vector: Sendable, CustomStringConvertible {
  let description: String
  let bytes: [UInt8]
  let outcomes: [Outcome]
  let limits: Limits

  /// Creates a vector; characters up to U+00FF are the bytes with the same number.
  init(_ sentence: String, _ text: String, _ outcomes: Outcome..., limits: Limits = .standard) {
    description = sentence
    bytes = latin1(text)
    self.outcomes = outcomes
    self.limits = limits
  }
}

/// The characters up to U+00FF as the bytes of the same number.
func latin1(_ text: String) -> [UInt8] {
  text.unicodeScalars.map { scalar in UInt8(truncatingIfNeeded: scalar.value) }
}

/// A GET with these field lines after its Host.
func get(_ lines: String...) -> String {
  "GET / HTTP/1.1\r\nHost: a\r\n" + lines.map { line in line + "\r\n" }.joined() + "\r\n"
}

/// A POST with these field lines after its Host, and a body.
func post(_ lines: String..., body: String = "") -> String {
  "POST / HTTP/1.1\r\nHost: a\r\n" + lines.map { line in line + "\r\n" }.joined() + "\r\n" + body
}

/// A POST with a chunked body.
func chunked(_ body: String) -> String {
  post("Transfer-Encoding: chunked", body: body)
}

extension Outcome {
  init(_ request: borrowing Request) {
    let trailers = request.trailers.map { field in "\(request.text(field.name)): \(request.text(field.value))" }
    self = .yes(
      request.text(request.method), request.text(request.path), query: request.query.map { request.text($0) },
      host: request.host.map { request.text($0) }, body: request.text(request.body), trailers: trailers,
      persists: request.persists)
  }

  var persists: Bool {
    if case .yes(_, _, _, _, _, _, let persists) = self { return persists }
    return false
  }
}

/// All properties of a request as text, so that the results of two ways of cutting the same bytes can be compared.
func transcript(_ request: borrowing Request) -> String {
  let fields = request.fields.map { field in
    "\(request.text(field.name))=\(request.text(field.value))/\(field.known.map { known in "\(known)" } ?? "")"
  }
  return
    "\(Outcome(request)) \(request.text(request.target)) \(request.version) \(fields) \(request.knownFields.rawValue) "
    + "\(request.text(request.head)) \(request.fingerprint)"
}

/// A run of the parser over bytes in pieces.
struct Run {
  var outcomes: [Outcome] = []
  var transcripts: [String] = []
  var continues = 0

  init(_ pieces: some Sequence<ArraySlice<UInt8>>, limits: Limits) {
    var parser = RequestParser(limits: limits)
    for piece in pieces {
      parser.receive(piece)
      drain(&parser)
    }
    if let rejection = parser.finish() { outcomes.append(.no(rejection)) }
    transcripts.append("\(outcomes)")
  }

  private mutating func drain(_ parser: inout RequestParser) {
    while true {
      switch parser.next() {
      case .needsMore: return
      case .expectsContinue:
        continues += 1
        // The body has not arrived, so there is no further result.
        return
      case .request:
        let request = parser.takeRequest()
        outcomes.append(Outcome(request))
        transcripts.append(transcript(request))
      case .rejected(let rejection): outcomes.append(.no(rejection))
      }
    }
  }
}

extension RequestParser {
  /// Returns the next request, if it is complete.
  mutating func nextRequest() -> Request? {
    guard case .request = next() else { return nil }
    return takeRequest()
  }
}

/// The bytes with everything that is not plain ASCII escaped, to be pasted into a test.
func escaped(_ bytes: [UInt8]) -> String {
  bytes.map { byte in
    switch byte {
    case 0x0D: "\\r"
    case 0x0A: "\\n"
    case 0x22, 0x5C: "\\" + String(UnicodeScalar(byte))
    case 0x20..<0x7F: String(UnicodeScalar(byte))
    default: "\\u{" + String(byte, radix: 16) + "}"
    }
  }.joined()
}

extension RequestParser {
  mutating func receive(_ bytes: [UInt8]) { receive(bytes[...]) }
}
