import JSON
import Testing

@testable import Contract

@Suite("A schema")
struct SchemaValidationTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let schema: Schema
    let json: String
    let violations: [String]

    init(_ schema: Schema, _ json: String, _ violations: String...) {
      self.schema = schema
      self.json = json
      self.violations = violations
    }

    var testDescription: String { "\(schema.expectation): \(json)" }
  }

  private static let point = Schema.object([
    Property("x", .integer()), Property("note", .string(minimumLength: 1).orNull), Property("z", .any, required: false),
  ])
  private static let named = Schema.object([Property("name", .string())])
  private static let path = Schema.array(of: point, count: 1...2)
  private typealias Property = Schema.Property

  private static let plain: [Sample] = [
    Sample(.any, "null"), Sample(.any, #"{"a":[1]}"#),
    Sample(.boolean, "true"), Sample(.boolean, "0", ": expected a boolean, found a number"),
    Sample(.integer(), "1.0"), Sample(.integer(), "-7"), Sample(.integer(), "1e3"),
    Sample(.integer(), "1.5", ": expected an integer, found a number"),
    Sample(.integer(), "9223372036854775808", ": expected an integer, found a number"),
    Sample(.integer(), #""1""#, ": expected an integer, found a string"),
    Sample(.integer(0...9), "9"), Sample(.integer(0...9), "10", ": expected an integer from 0 to 9, found 10"),
    Sample(Schema(.integer(minimum: 1, maximum: nil)), "0", ": expected an integer of at least 1, found 0"),
    Sample(.double(), "20.0"), Sample(.double(), "2e1"), Sample(.double(), "-0.5"),
    Sample(.double(), "20", ": expected a number with a fraction, found 20"),
    Sample(.double(0...1), "2.0", ": expected a number with a fraction from 0.0 to 1.0, found 2.0"),
    Sample(.number(), "1e400"), Sample(.number(0...1), "0.5"),
    Sample(.number(0...1), "1.5", ": expected a number from 0.0 to 1.0, found 1.5"),
    Sample(Schema(.number(minimum: nil, maximum: 2)), "2.5", ": expected a number of at most 2.0, found 2.5"),
    Sample(.string(), #""""#), Sample(.string(), "null", ": expected a string, found null"),
    Sample(.string(minimumLength: 1), #""""#, #": expected a non-empty string, found """#),
    Sample(.string(minimumLength: 2), #""a""#, #": expected a string of 2 or more characters, found "a""#),
    Sample(.string(maximumLength: 2), #""👍🏽""#),
    Sample(.string(maximumLength: 2), #""abc""#, #": expected a string of 0 to 2 characters, found "abc""#),
    Sample(.string(choices: ["on", "off"]), #""on""#),
    Sample(.string(choices: ["on", "off"]), #""On""#, #": expected one of on, off, found "On""#),
    Sample(.string(format: .digits), #""1a""#, #": expected a string of digits, found "1a""#),
    Sample(
      .string(format: .digits), "\"" + String(repeating: "a", count: 50) + "\"",
      ": expected a string of digits, found \"" + String(repeating: "a", count: 40) + "…\""),
    Sample(.constant("done"), #""done""#), Sample(.constant(11), "11.0"), Sample(.constant(true), "true"),
    Sample(.constant(["a": 1, "b": [2]]), #"{"b":[2.0],"a":1}"#),
    Sample(.constant("done"), #""Done""#, #": expected "done", found a string"#),
  ]

  private static let nested: [Sample] = [
    Sample(.array(of: .boolean), "[]"),
    Sample(
      .array(of: .boolean), "[true,1,false,null]", "/1: expected a boolean, found a number",
      "/3: expected a boolean, found null"),
    Sample(.array(of: .boolean), "{}", ": expected an array, found an object"),
    Sample(path, "[]", ": expected an array of 1 to 2, found 0 elements"),
    Sample(path, "[1,2,3]", ": expected an array of 1 to 2, found 3 elements"),
    Sample(path, #"[{"x":1,"note":null},{"x":"1","note":"a"}]"#, "/1/x: expected an integer, found a string"),
    Sample(point, #"{"note":null,"x":1,"z":{}}"#),
    Sample(point, #"{"x":1}"#, "/note: expected a non-empty string or null, found nothing"),
    Sample(
      point, "{}", "/x: expected an integer, found nothing", "/note: expected a non-empty string or null, found nothing"
    ),
    Sample(point, #"{"x":null,"note":null}"#, "/x: expected an integer, found null"),
    Sample(point, #"{"x":1,"note":"a","a/b~":0}"#, "/a~1b~0: unknown key; expected one of x, note, z"),
    Sample(point, "[]", ": expected an object, found an array"),
    Sample(.object([]), #"{"a":0}"#, "/a: unknown key; expected none"),
    Sample(.object([Property("a", .boolean)], additional: .allowed), #"{"b":[0],"a":true}"#),
    Sample(
      .object([Property("a", .boolean)], additional: .allowed), #"{"a":0}"#, "/a: expected a boolean, found a number"),
    Sample(.map(of: .map(of: .boolean)), #"{"Living Room":{"TV":true},"":{}}"#),
    Sample(.map(of: .map(of: .boolean)), #"{"a":{"b":1}}"#, "/a/b: expected a boolean, found a number"),
    Sample(.map(of: .any, named: .digits), #"{"1":0,"a":0}"#, "/a: unknown key; expected a string of digits"),
    Sample(.map(of: .any, count: 1...2), #"{"a":0,"b":0}"#),
    Sample(.map(of: .any, count: 1...2), "{}", ": expected 1 to 2 members, found 0"),
  ]

  private static let alternatives: [Sample] = [
    Sample(.boolean.orNull, "null"), Sample(.boolean.orNull, "1", ": expected a boolean or null, found a number"),
    Sample(.constant("now").orNull, "null"), Sample(.array(of: .boolean.orNull), "[null,true]"),
    Sample(.oneOf([.string(), point]), #""a""#), Sample(.oneOf([.string(), .constant("now")]), #""now""#),
    Sample(.oneOf([.string(), .integer()]), "true", ": expected a string or an integer, found a boolean"),
    Sample(.oneOf([.string(), point]), #"{"x":true,"note":null}"#, "/x: expected an integer, found a boolean"),
    Sample(.oneOf([point, named]), #"{"name":1}"#, "/name: expected a string, found a number"),
    Sample(.oneOf([.string(), .boolean.orNull]), "null"),
    Sample(.oneOf([.string(), .boolean]).orNull, "1", ": expected a string or a boolean or null, found a number"),
  ]

  @Test("finds each violation, with its position", arguments: plain + nested + alternatives)
  func validates(sample: Sample) throws {
    let violations = sample.schema.violations(in: try JSONValue(parsing: sample.json))
    #expect(violations.map { "\($0.pointer): \($0.detail)" } == sample.violations)
  }

  @Test("decodes a valid body, and describes the violations of an invalid one in a problem")
  func decodes() throws {
    #expect(try Problem.decode(Array(#"{"name":"a"}"#.utf8)[...], as: Self.named) == ["name": "a"])
    let refused: [(body: String, kind: String, detail: String)] = [
      ("", "validation", "Expected an object as JSON, found no body."),
      ("{", "malformed-json", "At byte 1: expected a member's name in double quotes."),
      ("[]", "validation", "the body: expected an object, found an array"),
      (
        #"{"name":1,"b":2}"#, "validation",
        "/name: expected a string, found a number; /b: unknown key; expected one of name"
      ),
    ]
    for (body, kind, detail) in refused {
      let problem = #expect(throws: Problem.self) { try Problem.decode(Array(body.utf8)[...], as: Self.named) }
      #expect(problem?.status == 400)
      #expect(problem?.kind == kind)
      #expect(problem?.detail == detail)
    }
  }

  @Test("with alternatives reports the violations of the nearest one, and counts those beyond the list")
  func nearestBeyondList() {
    let integers = Schema.array(of: .integer())
    let small = Schema.array(of: .number(0...1))
    // 150 elements are not integers, and 120 of them are too large.
    let value: JSONValue = .array((0..<150).map { .number(JSONValue.Number($0 < 120 ? 2.5 : 0.5)) })
    let violations = Schema.oneOf([integers, small]).boundedViolations(in: value)
    #expect(violations.listed.count == 100 && violations.furtherCount == 20)
    #expect(violations.listed.first?.detail == "expected a number from 0.0 to 1.0, found 2.5")
  }
}
