import Contract
import HTTP1
import JSON
import LiveTesting
import Services
import Testing

@testable import Primitives
@testable import Understudy

/// A whole server without sockets, which receives mutated requests: parser, labels, queries, bodies, control API.
@Suite("Mutated requests to a whole server")
struct FuzzTests {
  private static let seeds = Result { try SeedData.embedded() }

  private static let corpus: [String] = [
    wire("GET", "/devices"), wire("GET", "/@ci-42/@booking/rooms"),
    wire("GET", "/rooms", host: "booking.ci-42.localhost:81"),
    wire("GET", "/devices", "Understudy-Sandbox: ci-42"), wire("HEAD", "//@default//users/1/"),
    wire("GET", "/users?_page=2&_limit=3&_sort=username,-id&_order=desc&q=a%20b"),
    wire("GET", "/users?username=Bret&id=1&name_like=.*&id_gte=2&id_ne=3&address.city=X"),
    wire("GET", "/users?_start=1&_end=-1&_limit=99"), wire("GET", "http://jsonplaceholder.typicode.com/users?_page=1"),
    wire("PATCH", "/devices/WWM-0001-12", "If-Match: \"a\"", body: "{\"installationDate\":\"2023-07-05T15:13:34Z\"}"),
    wire("POST", "/activities/7830", "Idempotency-Key: k", body: "{\"is_archived\":true}"),
    wire("POST", "/book", body: "{\"name\":\"Ljerka\"}"), wire("POST", "/users", body: "{\"name\":\"Ada\",\"id\":3}"),
    wire("POST", "/book", "Transfer-Encoding: chunked") + "5\r\n{\"nam\r\n6\r\ne\":1}\n\r\n0\r\n\r\n",
    wire(
      "POST", "/_mock/sandboxes",
      body: "{\"name\":\"ci-7\",\"scenario\":\"calm\",\"ttl\":\"5m\",\"data\":{\"users\":[]}}"),
    wire(
      "PUT", "/_mock/scenario",
      body: "{\"name\":\"n\",\"rules\":[{\"effect\":{\"status\":503},\"when\":{\"chance\":\"1/2\"}}]}"),
    wire("PATCH", "/_mock/state", body: "{\"house\":{\"temperature\":31},\"devices\":[]}"),
    wire("PATCH", "/_mock/clock", body: "{\"frozen\":true,\"advance\":\"30s\"}"), wire("PUT", "/_mock/snapshots/s"),
    wire("GET", "/_mock/plan?method=PATCH&path=/devices/WWM-0001-12&count=20"),
    wire("GET", "/_mock/journal?after=0&limit=9"),
    wire("GET", "/_mock/report?format=html"), wire("POST", "/_mock/reset"), wire("DELETE", "/_mock/sandboxes/ci-7"),
    wire("OPTIONS", "/devices", "Origin: http://a", "Access-Control-Request-Method: PATCH"),
    wire("GET", "/_mock/health", "Host: b", host: nil, version: "1.0"), wire("GET", "/living%20room/TV/on"),
  ]
  private static let dictionary = [
    "\r\n", "\r\n\r\n", " ", "/", "//", "@", "@ci-42/", "@booking/", "%", "%2F", "%00", "%0d%0a", "%E2%80", "?", "&",
    "=", "+",
    "_page=9223372036854775807&", "_limit=999999999999999999&", "_start=-9223372036854775808&", "_sort=", "_like=",
    "\"", "{",
    "}", "[", "null", "-1", "1e400", "\\u0000", "..", "*", "W/", "Host: localhost\r\n", "Host: attacker.example\r\n",
    "Content-Length: 0\r\n", "Connection: close\r\n", "localhost", "\u{0}", "\u{1B}", "é\u{301}",
  ].map { Array($0.utf8) }

  /// Returns a new server's responses to bytes on one connection that then ends, with a frozen date.
  private static func answers(to pieces: [ArraySlice<UInt8>]) throws -> [UInt8] {
    let application = Application(
      seeds: try seeds.get(),
      clocks: Clocks(
        tick: { MonotonicInstant(nanoseconds: 5_000_000_000) }, instant: { Instant(seconds: 1_700_000_000) }))
    var configuration = Sandbox.Configuration()
    configuration.identity.name = "ci-42"
    application.state.add(
      Sandbox(configuration, seeds: application.state.seeds, at: application.realTime, tick: application.tick))
    let connection = HeldConnection(peer: "peer", port: Labels(), application: application, timeouts: Timeouts())
    var answers: [UInt8] = []
    func take() {
      while connection.output.pending > 0 {
        let count = connection.output.pending
        answers += connection.output.bytes[connection.output.sent..<connection.output.sent + count]
        connection.didSend(count)
      }
    }
    for piece in pieces {
      connection.receive(piece)
      take()
    }
    connection.finish()
    take()
    return answers
  }

  /// Returns the error in the bytes of responses; nil if each is complete and its head is valid.
  private static func flaw(in answers: [UInt8]) -> String? {
    var rest = answers[...]
    while !rest.isEmpty {
      guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) else { return "no end of a head" }
      let head = Array(rest[..<end.upperBound])
      guard head.starts(with: Array("HTTP/1.1 ".utf8)) else { return "no status line" }
      let isClean = head.indices.allSatisfy { index in
        switch head[index] {
        case 0x0D: head[index + 1] == 0x0A
        case 0x0A: index > 0 && head[index - 1] == 0x0D
        case 0x20..., 0x09: head[index] != 0x7F
        default: false
        }
      }
      guard isClean else { return "a control byte in a head" }
      let response = WireResponse(head: String(decoding: head, as: UTF8.self))
      guard (100...599).contains(response.status) else { return "status \(response.status)" }
      rest = rest[end.upperBound...]
      // A response to HEAD announces a body that it does not send.
      let length = rest.starts(with: Array("HTTP/1.1 ".utf8)) ? 0 : response.bodyLength
      guard length <= rest.count || rest.isEmpty else { return "\(length) bytes announced, \(rest.count) sent" }
      rest = rest.dropFirst(length)
    }
    return nil
  }

  /// Each response with the report's page has a new nonce.
  private static func withoutNonces(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).replacing(/(nonce-|nonce=")[0-9a-f]{32}/, with: "nonce")
  }

  @Test("get complete responses with valid heads, and the same ones however their bytes are cut")
  func wholeServer() throws {
    try Fuzz("whole server", rounds: 400).run { random, note in
      var bytes = Array((Self.corpus.randomElement(using: &random) ?? "").utf8)
      if random.oneIn(3) { bytes += Array((Self.corpus.randomElement(using: &random) ?? "").utf8) }
      random.mutate(&bytes, dictionary: Self.dictionary)
      let whole = try Self.answers(to: [bytes[...]])
      let shown = String(decoding: bytes, as: UTF8.self).debugDescription
      if let flaw = Self.flaw(in: whole) { Issue.record("\(note): \(flaw) to \(shown)") }
      let cut = try Self.answers(to: random.cut(bytes))
      #expect(Self.withoutNonces(cut) == Self.withoutNonces(whole), "\(note): \(shown)")
    }
  }

  @Test("have texts that percent-encoding preserves, and queries that read the same pair by pair")
  func queries() {
    Fuzz("queries", rounds: 5_000).run { random, note in
      var bytes = Array("_page=2&q=a%20b+c&%C3%A9=%E2%82%AC&&x&=y".utf8)
      random.mutate(&bytes, dictionary: Self.dictionary)
      let text = String(decoding: bytes, as: UTF8.self)
      let encoded = PercentCoding.encodeSegment(text)
      #expect(PercentCoding.decode(Array(encoded.utf8)[...]) == text, "\(note)")
      #expect(encoded.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }, "\(note)")
      let query = Query(parsing: bytes[...])
      let again = query.pairs.map { PercentCoding.encodeSegment($0.name) + "=" + PercentCoding.encodeSegment($0.value) }
      #expect(Query(parsing: Array(again.joined(separator: "&").utf8)[...]).pairs == query.pairs, "\(note): \(text)")
      for pair in query.pairs {
        let first = query.pairs.first { $0.name == pair.name }
        #expect(query.has(pair.name) && query[pair.name] == first?.value, "\(note)")
      }
    }
  }

  @Test("are local only if Host names this machine")
  func hosts() {
    let corpus = [
      "localhost:80", "booking.ci-42.localhost.", "127.0.0.1:8080", "[::1]:1", "comgy.io", "127.0.0.1.a.example",
    ]
    let dictionary = [".", ":", "[", "]", "localhost", "127", "..", "0", "@", "é", "\u{0}", "::1", "%31"].map {
      Array($0.utf8)
    }
    Fuzz("hosts", rounds: 5_000).run { random, note in
      var bytes = Array((corpus.randomElement(using: &random) ?? "").utf8)
      random.mutate(&bytes, dictionary: dictionary)
      let host = HostField(bytes)
      _ = try? host.labels(API.all)
      guard host.isLoopback else { return }
      let parts = host.host.split(separator: ".", omittingEmptySubsequences: false)
      #expect(
        host.host == "[::1]" || parts.last == "localhost"
          || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }, "\(note): \(host.host)")
    }
  }
}
