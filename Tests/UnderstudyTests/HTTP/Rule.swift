import Primitives
import Testing

@testable import Understudy

/// A rule of RFC 9110 or 9112 that needs more of an origin server than its parser, and bytes that test it.
struct Rule: Sendable, CustomTestStringConvertible {
  /// The expected state of the connection after the bytes.
  enum TransportFault: Sendable {
    /// The request that follows is answered.
    case open
    /// The last response has `Connection: close`, later requests get no response, and FIN follows.
    case closed
  }

  /// Such as `9112 6.3`.
  let section: String
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
    _ section: String, _ sentence: String, _ bytes: String, _ statuses: [Int], _ ending: TransportFault,
    headless: Set<Int> = [], _ holds: @escaping @Sendable ([WireResponse]) -> Bool = { _ in true }
  ) {
    (self.section, self.sentence, self.bytes) = (section, sentence, bytes)
    (self.statuses, self.ending, self.headless, self.holds) = (statuses, ending, headless, holds)
  }

  /// The request after the bytes: it gets a response only if the connection persists.
  private static let follower = wire("GET", "/users/2", "Connection: close")
  private static let following = "Ervin Howell"

  /// Sends the bytes to a server, and returns the violation of the rule, if any.
  func breach(_ server: MockServer) throws -> String? {
    let client = try WireConnection(server.port)
    let sent = bytes.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    try client.send(sent + Array(Self.follower.utf8))
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
