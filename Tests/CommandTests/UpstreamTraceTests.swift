import Contract
import Exploration
import Faults
import JSON
import Primitives
import Testing

@testable import Understudy
@testable import UnderstudyCommand

@Suite("A scenario from a trace of one's own backend")
struct UpstreamTraceTests {
  private static func routes(_ url: String = "http://localhost:3000") throws -> MockServer.RecordedRoutes {
    var options = MockServer.Options()
    options.upstream = url
    return try MockServer.RecordedRoutes(options)
  }

  /// The lines of a journal with one request to each target, all of which took 20 ms.
  private static func journal(_ requests: [(method: String, target: String, api: String?, status: Int)]) -> [UInt8] {
    let lines = requests.enumerated().map { index, request -> String in
      let at = Timestamp.microseconds(Instant(seconds: 1_767_225_600 + Int64(index)))
      let api = request.api.map { "\"\($0)\"" } ?? "null"
      return """
        {"id":\(index + 1),"seq":\(index + 1),"at":"\(at)","api":\(api),"method":"\(request.method)",\
        "target":"\(request.target)","n":1,"outcome":"sent","applied":false,"timing":{"actual":"20ms"},\
        "response":{"status":\(request.status),"headers":{}}}
        """
    }
    return Array(lines.joined(separator: "\n").utf8)
  }

  /// Returns the matches of a scenario's rules after validation, and the trace's remarks.
  private static func read(
    _ bytes: [UInt8], _ routes: MockServer.RecordedRoutes
  ) throws -> (matches: [String], remarks: [String]) {
    let trace = try Trace(bytes, routes)
    let text = try MockServer.checked(scenario: trace.scenario(), for: .upstream)
    let rules = try JSONValue(parsing: Array(text.utf8))["rules"]?.array ?? []
    return (rules.map { ($0["match"] ?? .null).text }, trace.remarks)
  }

  @Test("has rules for the paths of a journal that was recorded in front of it")
  func journal() throws {
    let bytes = Self.journal([
      ("POST", "/cart?a=b", nil, 201), ("POST", "/cart", nil, 503), ("GET", "/@ci/cart", nil, 200),
      ("GET", "/devices", "devices", 200),
    ])
    let (matches, remarks) = try Self.read(bytes, Self.routes())
    #expect(
      matches == [
        #"{"method":["POST"],"path":"/cart"}"#, #"{"method":["POST"],"path":"/cart"}"#,
        #"{"method":["GET"],"path":"/cart"}"#,
      ])
    #expect(remarks == ["left out 1 request to another server than http://localhost:3000 (entry 4)"])
    let refusal = #expect(throws: Trace.TraceError.self) { try Trace(Array(bytes.split(separator: 10)[0])) }
    #expect(refusal?.description.hasSuffix("(entry 1); for those to another backend, add --upstream URL") == true)
  }

  @Test("has rules for the requests of an archive to its origin and below its base, and for those of its own archives")
  func archive() throws {
    func entry(_ url: String, _ more: String = "") -> String {
      RecordingTests.entry(1, more: more).replacing("https://jsonplaceholder.typicode.com/users/3", with: url)
    }
    let entries = [
      entry("http://localhost:3000/v1/cart"), entry("http://LOCALHOST:3000/v1/cart?x"),
      entry("http://localhost:3000/v10/cart"), entry("http://localhost:3001/v1/cart"),
      entry("https://ads.example/v1/x"),
      entry("http://127.0.0.1:41234/own", #", "_outcome": "sent""#),
      entry("http://127.0.0.1:41234/devices", #", "_outcome": "sent", "_api": "devices""#),
    ]
    let (matches, remarks) = try Self.read(RecordingTests.archive(entries), Self.routes("http://localhost:3000/v1"))
    #expect(matches == [#"{"method":["GET"],"path":"/cart"}"#, #"{"method":["GET"],"path":"/own"}"#])
    #expect(remarks == ["left out 4 requests to another server than http://localhost:3000/v1 (entries 3, 4, 5, 7)"])
  }

  @Test("has rules for a backend whose clients use https")
  func https() throws {
    let routes = try Self.routes("https://jsonplaceholder.typicode.com")
    let (matches, remarks) = try Self.read(RecordingTests.archive([RecordingTests.entry(1)]), routes)
    #expect(matches == [#"{"method":["GET"],"path":"/users/*"}"#] && remarks.isEmpty)
  }

  @Test("has a phase only for the writes that the file of semantics knows")
  func exact() throws {
    let plan = #""plan":{"effects":[{"phase":"after","effect":{"fault":"reset"}}]},"#
    let bytes = Array(
      String(decoding: Self.journal([("POST", "/cart/7", nil, 201)]), as: UTF8.self)
        .replacing("\"timing\"", with: plan + "\"timing\"").utf8)
    let scenario = try Trace(bytes, Self.routes(), isExact: true).scenario()
    let rule: JSONValue = [
      "match": ["method": "POST", "path": "/cart/7"], "when": ["requests": "1...1"], "phase": "after",
      "effect": ["fault": "reset"],
    ]
    #expect(scenario["rules"] == [rule])
    _ = try MockServer.checked(scenario: scenario, for: .upstream)
  }

  @Test("plans exactly only what a rule can name, and says what it leaves out")
  func inexact() throws {
    let plan = #""plan":{"effects":[{"effect":{"latency":"50ms"}}]},"#
    let targets = ["/files/a*b", "/files/a%2A%2Ab", "/files/" + Self.long, "/files/[a]?b", "/files/%0A"]
    let lines = String(decoding: Self.journal(targets.map { ("GET", $0, nil, 200) }), as: UTF8.self)
    let bytes = Array(lines.replacing("\"timing\"", with: plan + "\"timing\"").utf8)
    let exact = try Trace(bytes, Self.routes(), isExact: true)
    let rules = try exact.scenario()["rules"]?.array ?? []
    #expect(rules.map { $0["match"]?["path"] } == ["/files/[a]", "/files/\n"])
    let reason = "whose path no rule can name, as it has a * or is too long"
    #expect(exact.remarks == ["left out 3 requests \(reason) (entries 1, 2, 3)"])
    _ = try MockServer.checked(scenario: exact.scenario(), for: .upstream)
    #expect(try Self.read(bytes, Self.routes()).matches == [#"{"method":["GET"],"path":"/files/*"}"#])
    let line = Self.journal([("GET", "/a%0Ab", nil, 200)])
    #expect(try Self.read(line, Self.routes()).matches == [#"{"method":["GET"],"path":"/a\nb"}"#])
  }

  private static let long = String(repeating: "a", count: 1_100)

  /// A path of long words.
  private static func path(_ count: Int) -> String { String(repeating: "/\(long.prefix(60))", count: count) }

  @Test(
    "has one glob for the paths of different records",
    arguments: [
      (["/orders/1"], ["/orders/*"]),
      (["/orders/1/items/2", "/orders/3/items"], ["/orders/*/items/*", "/orders/*/items"]),
      (["/a/4f9c2d1e-0000-4000-8000-0123456789ab"], ["/a/*"]), (["/a/2026-11-26.json"], ["/a/*"]),
      (["/a/0123456789abcdef0123"], ["/a/*"]), (["/v1/orders", "/v2/orders"], ["/v1/orders", "/v2/orders"]),
      (["/a/x1", "/a/x2"], ["/a/x1", "/a/x2"]), (["/a/x1", "/a/y22", "/a/z3"], ["/a/*", "/a/*", "/a/*"]),
      // A rule for one of them would be applied beside that for all.
      (["/orders/1", "/orders/search", "/orders/search/new"], ["/orders/*", "/orders/*", "/orders/*/new"]),
      (["/", "/1", "/users"], ["/", "/1", "/users"]), (["/17"], ["/*"]), (["/a/b**c"], ["/a/*"]),
      // A star in a name would be read as any text, and a question mark and brackets are only themselves.
      (["/a/*", "/a/x", "/b"], ["/a/*", "/a/*", "/b"]), (["/a/x*y", "/a/xzy/1"], ["/a/*", "/a/*/*"]),
      (["/a/?", "/a/[xy]", "/a/x"], ["/a/?", "/a/[xy]", "/a/x"]),
      (["/\(long)", "/users"], ["/\(long.prefix(64))*", "/users"]), ([path(31)], ["\(path(12))/**"]),
      (["/" + String(repeating: "a/", count: 40)], ["/" + String(repeating: "a/", count: 32) + "**"]),
    ])
  func globs(paths: [String], globs: [String]) {
    let recorded = RecordedPaths(paths)
    #expect(paths.map(recorded.glob) == globs)
    #expect(
      globs.allSatisfy { PathGlob($0) != nil } && zip(globs, paths).allSatisfy { PathGlob($0)?.matches($1) == true })
  }

  @Test("takes many names below one path for records, and few for collections")
  func names() {
    let names = (0..<26).map { "/users/" + String(UnicodeScalar(97 + UInt8($0))) }
    #expect(Set(names.map(RecordedPaths(names).glob)) == ["/users/*"])
    let few = Array(names.prefix(12))
    #expect(few.map(RecordedPaths(few).glob) == few)
  }
}
