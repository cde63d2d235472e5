import Primitives
import Testing

@testable import Understudy

/// A rule of RFC 9110 or 9112 for origin servers, and bytes that test it.
struct Rule: Sendable, CustomTestStringConvertible {
  enum Strength: String, Sendable, CaseIterable {
    case must = "MUST"
    case should = "SHOULD"
    /// The rule permits several behaviours; this one is tested.
    case may = "MAY"
  }

  /// The expected state of the connection after the bytes.
  enum TransportFault: Sendable {
    /// The request that follows is answered.
    case open
    /// The last response has `Connection: close`, later requests get no response, and FIN follows.
    case closed
    /// The bytes end with FIN in the middle of a request.
    case cut
  }

  /// Such as `9112 6.3`.
  let section: String
  let strength: Strength
  /// The rule in our words.
  let sentence: String
  /// The bytes; characters up to U+00FF are the bytes with the same number.
  let bytes: String
  /// The status of each response, in order.
  let statuses: [Int]
  let ending: TransportFault
  /// The indices of the responses to HEAD, which have no body whatever their fields.
  var headless: Set<Int> = []
  /// A further condition.
  var holds: @Sendable ([WireResponse]) -> Bool = { _ in true }

  var testDescription: String { "RFC \(section): \(sentence)" }

  init(
    _ section: String, _ strength: Strength, _ sentence: String, _ bytes: String, _ statuses: [Int],
    _ ending: TransportFault,
    headless: Set<Int> = [], _ holds: @escaping @Sendable ([WireResponse]) -> Bool = { _ in true }
  ) {
    (self.section, self.strength, self.sentence, self.bytes) = (section, strength, sentence, bytes)
    (self.statuses, self.ending, self.headless, self.holds) = (statuses, ending, headless, holds)
  }

  /// A request of these lines and nothing else.
  static func lines(_ lines: String..., body: String = "") -> String {
    lines.map { $0 + "\r\n" }.joined() + "\r\n" + body
  }

  /// A request that books nothing, whose body is sent in these chunks.
  static func chunks(_ chunks: String, _ fields: String...) -> String {
    (["POST /book HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked"] + fields).map { $0 + "\r\n" }.joined()
      + "\r\n" + chunks
  }

  /// The request after the bytes: it gets a response only if the connection persists.
  private static let follower = wire("GET", "/users/2", "Connection: close")
  private static let following = "Ervin Howell"

  /// Sends the bytes to a server, and returns the violation of the rule, if any.
  func breach(_ server: MockServer) throws -> String? {
    let client = try WireConnection(server.port)
    let sent = bytes.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    try client.send(ending == .cut ? sent : sent + Array(Self.follower.utf8))
    if ending == .cut { client.finishWriting() }
    var responses: [WireResponse] = []
    let count = statuses.count + (ending == .open ? 1 : 0)
    while responses.count < count {
      responses.append(try client.response(toHead: headless.contains(responses.count)))
    }
    let found = responses.map(\.status)
    guard found == statuses + (ending == .open ? [200] : []) else { return "the answers were \(found)" }
    guard client.end() == .finished("") else { return "no FIN, or something before it" }
    if ending == .open {
      guard responses.removeLast().text.contains(Self.following) else { return "what follows was misread" }
    }
    if ending != .open, responses.last?["Connection"] != "close" { return "the last answer does not say close" }
    return holds(responses) ? nil : "an answer is not as it must be: \(responses.map(\.head))"
  }
}
