import Faults
import JSON
import Testing

@Suite("The declared meaning of requests to a backend")
struct SemanticsTests {
  private static func semantics(_ text: String) throws -> Semantics {
    try Semantics(json: JSONValue(parsing: Array(text.utf8)))
  }

  /// A request as rules look at it.
  struct Asked: Sendable {
    var method = "POST"
    var path = "/rpc"
    var body = ""
    var isWhole = true
    var type: String? = "application/json"
    var coding: String?
    var fields: [String: String] = [:]
    var query: [String: [String]] = [:]
  }

  private static func declaration(_ semantics: Semantics, _ asked: Asked) -> Declaration {
    let content = RequestContent(
      Array(asked.body.utf8)[...], isWhole: asked.isWhole, mediaType: asked.type, coding: asked.coding)
    return semantics.declaration(
      among: semantics.candidates(asked.method, asked.path), content, parameters: { asked.query[$0] ?? [] },
      field: { asked.fields[$0] })
  }

  @Test("is that of the first rule that matches")
  func first() throws {
    let semantics = try Self.semantics(
      #"""
      [{"match": "POST /search", "effect": "read"}, {"match": "POST /orders/**", "effect": "add", "key": "X-Request-Id"},
       {"match": "/counter/*", "effect": "add"}, {"match": "POST /**", "effect": "set"}]
      """#)
    #expect(semantics.candidates("POST", "/search") == [0])
    #expect(semantics.candidates("GET", "/search").isEmpty)
    #expect(semantics.candidates("POST", "/orders") == [1] && semantics.candidates("POST", "/orders/1/items") == [1])
    #expect(semantics.candidates("GET", "/counter/1") == [2] && semantics.candidates("FOO", "/counter/1") == [2])
    #expect(semantics.candidates("POST", "/counter/1/2") == [3])
    #expect(semantics.rules.map(\.effect) == [.read, .add, .add, .set])
    let keyed = Asked(path: "/orders", fields: ["x-request-id": "7"])
    #expect(Self.declaration(semantics, keyed) == .rule(1, key: "7"))
    #expect(Self.declaration(semantics, Asked(path: "/orders")) == .rule(1, key: nil))
  }

  private static let rules = #"""
    [{"match": "POST /rpc", "where": {"/method": "charge*"}, "name": "charge", "effect": "add", "key": "/params/requestId"},
     {"match": "POST /rpc", "where": {"/method": "list", "/params/page": "*"}, "effect": "read"},
     {"match": "POST /aws", "where": {"X-Amz-Target": "*.UpdateItem"}, "name": "UpdateItem", "effect": "add"},
     {"match": "POST /aws", "where": {"/Action": "Describe*"}, "effect": "read"},
     {"match": "POST /soap", "where": {"?op": "get"}, "effect": "read"},
     {"match": "PROPFIND /**", "effect": "read"}]
    """#

  @Test(
    "depends on members of the content, on fields and on the query",
    arguments: [
      (Asked(body: #"{"method": "charge", "params": {"requestId": 7}}"#), Declaration.rule(0, key: "7")),
      (Asked(body: #"{"method": "chargeTwice"}"#), .rule(0, key: nil)),
      (Asked(body: #"{"method": "list", "params": {"page": null}}"#), .rule(1, key: nil)),
      (Asked(body: #"{"method": "list"}"#), .none), (Asked(body: #"{"method": ["charge", "list"]}"#), .none),
      (Asked(body: ""), .none), (Asked(body: "7"), .none),
      // A batch, all of whose members match, or not.
      (
        Asked(
          body: #"[{"method": "charge", "params": {"requestId": 1}}, {"method": "charge", "params": {"requestId": 2}}]"#
        ),
        .rule(0, key: "1\n2")
      ),
      (Asked(body: #"[{"method": "charge"}, {"method": "list"}]"#), .none), (Asked(body: "[]"), .none),
      (Asked(path: "/aws", fields: ["x-amz-target": "DynamoDB_2012.UpdateItem"]), .rule(2, key: nil)),
      (
        Asked(
          path: "/aws", body: "Version=1&Action=DescribeKeys", type: "application/x-www-form-urlencoded; charset=utf-8"),
        .rule(3, key: nil)
      ),
      (Asked(path: "/aws", body: "Action=Put", type: "application/x-www-form-urlencoded"), .none),
      (Asked(path: "/soap", query: ["op": ["get"]]), .rule(4, key: nil)),
      (Asked(path: "/soap", query: ["op": ["get", "set"]]), .none),
      (Asked(method: "PROPFIND", path: "/a/b"), .rule(5, key: nil)),
      // What curl sends.
      (Asked(body: #"{"method": "charge"}"#, type: "application/x-www-form-urlencoded"), .rule(0, key: nil)),
    ])
  func parts(asked: Asked, declaration: Declaration) throws {
    #expect(Self.declaration(try Self.semantics(Self.rules), asked) == declaration)
  }

  @Test(
    "is unknown where the content cannot be read, and no later rule is tried",
    arguments: [
      (Asked(body: "<method/>"), "neither JSON nor a form"),
      (Asked(body: #"{"method": "charge", "method": "list"}"#), "occurs twice"),
      (Asked(body: #"{"method": "charge"}"#, coding: "gzip"), "the coding gzip"),
      (Asked(body: #"{"pad": ""#, isWhole: false), "do not have all of /method"),
      (
        Asked(body: #"{"pad": ""# + String(repeating: "x", count: 70_000) + #"", "method": "charge"}"#),
        "the first 65536"
      ),
    ])
  func unreadable(asked: Asked, reason: String) throws {
    let rules =
      #"[{"match": "POST /rpc", "where": {"/method": "charge"}, "effect": "add"}, {"match": "/**", "effect": "read"}]"#
    guard case .undeclared(let found) = Self.declaration(try Self.semantics(rules), asked) else {
      Issue.record("it is declared")
      return
    }
    #expect(found.contains(reason), "\(found)")
  }

  @Test("is found in the beginning of long content")
  func beginning() throws {
    let long = #"{"a": [1, {"b": "}"}], "method": "charge", "pad": ""# + String(repeating: "x", count: 70_000) + "\"}"
    let rules = #"[{"match": "POST /rpc", "where": {"/method": "charge"}, "effect": "add"}]"#
    #expect(Self.declaration(try Self.semantics(rules), Asked(body: long)) == .rule(0, key: nil))
    let cut = #"[{"match": "POST /rpc", "where": {"/a/1/b": "}"}, "effect": "add"}]"#
    #expect(
      Self.declaration(try Self.semantics(cut), Asked(body: String(long.prefix(30)), isWhole: false))
        == .rule(0, key: nil))
  }

  @Test(
    "tells reads and writes of GraphQL apart",
    arguments: [
      ("query { me }", 0), ("{ me }", 0), ("\n # a note { mutation\n {me}", 0), ("query Me($id: ID = \"}\") { me }", 0),
      ("fragment F on User { name } query { ...F }", 0), ("query\n{ me }", 0), (",\u{FEFF}query{me}", 0),
      ("mutation order { order }", 1), ("mutation order($q: In = {a: 1}) { order(q: $q) { id } }", 1),
      ("fragment F on O { a(s: \"\"\"}\\\"\"\" {\"\"\") } mutation order{a}", 1), ("mutation other { a }", nil),
      ("subscription { a }", nil), ("query A { a } mutation order { b }", nil), ("queryX { a }", nil),
      ("mutation order { a", nil), ("", nil),
    ] as [(String, Int?)])
  func graphQL(text: String, rule: Int?) throws {
    let semantics = try Self.semantics(
      #"""
      [{"match": "POST /graphql", "where": {"/query": "query *"}, "effect": "read"},
       {"match": "POST /graphql", "where": {"/query": "mutation order*"}, "effect": "add"}]
      """#)
    let body = JSONValue.object(JSONValue.Object([JSONValue.Member("query", .string(text))])).text
    let expected = rule.map { Declaration.rule($0, key: nil) } ?? .none
    #expect(Self.declaration(semantics, Asked(path: "/graphql", body: body)) == expected)
  }

  @Test("shows a write by the reads that the file names")
  func shown() throws {
    let semantics = try Self.semantics(
      #"[{"match": "POST /*/git-receive-pack", "effect": "set", "shown-by": "GET /*/info/refs"}]"#)
    #expect(semantics.rulesShown(by: "GET", "/shop/info/refs") == [0])
    #expect(semantics.rulesShown(by: "GET", "/shop/info").isEmpty)
  }

  @Test(
    "is refused with the position and what was expected",
    arguments: [
      (#"{"match": "/a"}"#, "", "an array of rules"), ("[1]", "/0", "a rule, as in"),
      (#"[{"match": "/a", "effect": "add", "efect": 1}]"#, "/0/efect", "did you mean effect?"),
      (#"[{"effect": "add"}]"#, "/0/match", "found nothing"),
      (
        #"[{"match": "/**", "effect": "add"}, {"match": "POST /a/*/**", "effect": "read"}]"#, "/1/match",
        "rule 1 (/**) applies to all"
      ),
      (#"[{"match": "orders", "effect": "add"}]"#, "/0/match", "a method and a path"),
      (#"[{"match": "POST orders", "effect": "add"}]"#, "/0/match", "found \"POST orders\""),
      (#"[{"match": "post /orders", "effect": "add"}]"#, "/0/match", "did you mean POST?"),
      (#"[{"match": "PROPFND /orders", "effect": "read"}]"#, "/0/match", "did you mean PROPFIND?"),
      (#"[{"match": "HEAD /orders", "effect": "read"}]"#, "/0/match", "another method than HEAD"),
      (#"[{"match": "POST /a b", "effect": "add"}]"#, "/0/match", "a method and a path"),
      (#"[{"match": "GET /orders/:id", "effect": "read"}]"#, "/0/match", "write \"/orders/*\""),
      (#"[{"match": "GET /orders/{id}/x", "effect": "read"}]"#, "/0/match", "write \"/orders/*/x\""),
      (#"[{"match": "GET /orders?a=1", "effect": "read"}]"#, "/0/match", "write \"/orders\", and the parameter"),
      (#"[{"match": "GET /a%20b", "effect": "read"}]"#, "/0/match", "percent-decoded, as it is matched: \"/a b\""),
      (#"[{"match": "/a"}]"#, "/0/effect", "one of read, set, add"),
      (#"[{"match": "/a", "effect": "adds"}]"#, "/0/effect", "did you mean add?"),
      (#"[{"match": "/a", "effect": "add", "key": "a b"}]"#, "/0/key", "or the name of a header field"),
      (#"[{"match": "/a", "effect": "add", "where": {"a b": "c"}}]"#, "/0/where/a b", "a JSON pointer"),
      (#"[{"match": "/a", "effect": "add", "where": {"/a": 1}}]"#, "/0/where/~1a", "found 1"),
      (#"[{"match": "/a", "effect": "add", "where": {}}]"#, "/0/where", "1 to 16 conditions"),
      (#"[{"match": "/a", "effect": "add", "name": ""}]"#, "/0/name", "a text of 1 to 60"),
      (#"[{"match": "/a", "effect": "read", "shown-by": "/b"}]"#, "/0/shown-by", "a read changes nothing"),
      (#"[{"match": "/a", "effect": "add", "shown-by": "b"}]"#, "/0/shown-by", "a method and a path"),
    ])
  func refused(text: String, pointer: String, detail: String) throws {
    let error = #expect(throws: ValidationError.self) { try Self.semantics(text) }
    #expect(error?.pointer.description == pointer || pointer.isEmpty && error?.pointer == .root)
    #expect(error?.detail.contains(detail) == true, "\(error?.detail ?? "")")
  }

  @Test("gives a name that makes a stream of its own, and leaves others as they were")
  func names() {
    let plain = RequestKey(api: "upstream", method: "POST", path: "/rpc")
    #expect(plain.naming("charge") != plain && plain.naming("charge").hash != plain.hash)
    #expect(plain.naming(nil).hash == plain.hash)
    let scenario = Scenario(Rule(match: Match(operation: Glob("char*")), effect: .reset))
    let armed = ArmedScenario(scenario, seed: 1)
    #expect(armed.rules(about: plain).isEmpty && armed.rules(about: plain.naming("charge")) == [0])
  }
}
