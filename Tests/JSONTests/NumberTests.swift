import Testing

@testable import JSON

@Suite("JSON numbers")
struct NumberTests {
  @Test(
    "are written as they were read",
    arguments: [
      "0", "-0", "1.0", "1e400", "-1E+2", "12345678901234567890", "0.1000", "123456789012345678901234567890.5e-7",
    ])
  func keepText(text: String) throws {
    #expect(try JSONValue(parsing: text).text == text)
  }

  static let integers: [(text: String, int: Int?)] = [
    ("0", 0), ("-0", 0), ("1.0", 1), ("1e3", 1_000), ("-12", -12), ("9223372036854775807", .max),
    ("-9223372036854775808", .min), ("9223372036854775808", nil), ("1.5", nil), ("1e400", nil), ("1e-1", nil),
  ]

  @Test("are integers if their value is an integer that fits", arguments: integers)
  func readIntegers(text: String, int: Int?) throws {
    #expect(try JSONValue(parsing: text).int == int)
  }

  @Test("convert to doubles")
  func readDoubles() throws {
    #expect(try JSONValue(parsing: "-2.5e1").double == -25)
    #expect(try JSONValue(parsing: "1e400").double == .infinity)
    #expect(JSONValue("1").double == nil)
  }
}
