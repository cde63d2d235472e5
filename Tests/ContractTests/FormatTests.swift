import JSON
import Primitives
import Testing

@testable import Contract

@Suite("A format")
struct FormatTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let format: Schema.Format
    let text: String
    let isAllowed: Bool
    /// True if only the calendar makes the text invalid: the pattern matches it.
    var isCalendar = false

    var testDescription: String { "\(format.expectation) \(isAllowed ? "allows" : "refuses") «\(text)»" }
  }

  private static func samples(_ format: Schema.Format, allowed: [String], refused: [String]) -> [Sample] {
    allowed.map { Sample(format: format, text: $0, isAllowed: true) }
      + refused.map { Sample(format: format, text: $0, isAllowed: false) }
  }

  private static func offCalendar(_ format: Schema.Format, _ texts: [String]) -> [Sample] {
    texts.map { Sample(format: format, text: $0, isAllowed: false, isCalendar: true) }
  }

  private static let dates =
    samples(
      .date, allowed: ["2019-11-29", "2024-02-29", "2000-02-29", "0000-01-01", "9999-12-31"],
      refused: [
        "2019-1-29", "2019-13-01", "2019-00-01", "2019-01-00", "2019-01-32", "19-01-01", "2019-11-29Z", "", "x",
      ])
    + offCalendar(.date, ["2023-02-29", "1900-02-29", "2024-02-30", "2023-04-31"])

  private static let dateTimes =
    samples(
      .internetDateTime,
      allowed: [
        "2023-06-22T15:13:34Z", "2023-06-22T15:13:34+08:00", "2023-06-22T15:13:34-23:59", "2024-02-29T23:59:59Z",
        "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00",
      ],
      refused: [
        "2023-06-22T15:13:34.0Z", "2023-06-22T15:13:34", "2023-06-22 15:13:34Z", "2023-06-22t15:13:34z",
        "2023-13-01T00:00:00Z", "2023-06-22T24:00:00Z", "2023-06-22T15:60:00Z", "2023-06-22T15:13:60Z",
        "2023-06-22T15:13:34+0800",
        "2023-06-22T15:13:34+24:00", "2023-06-22T15:13:34+08:60", "2023-06-22T15:13:34Z ", "2023-06-22T15:13:34Z\n",
        "٢٠٢٣-06-22T15:13:34Z", "2023-06-22", "now", "",
      ])
    + offCalendar(.internetDateTime, ["2024-02-30T00:00:00Z", "2100-02-29T00:00:00Z"])
    + samples(
      .millisecondDateTime, allowed: ["2018-04-19T09:38:41.000Z", "2018-04-19T09:38:41.999Z"],
      refused: [
        "2018-04-19T09:38:41Z", "2018-04-19T09:38:41.00Z", "2018-04-19T09:38:41.0000Z", "2018-04-19T09:38:41.000+00:00",
      ])
    + samples(
      .dateTime,
      allowed: [
        "2019-11-29T18:54:57.577122Z", "2019-11-29T18:54:57Z", "2019-11-29T18:54:57.1+08:00",
        "2019-11-29T18:54:57.1234567890123Z", "2262-04-11T23:47:16.9Z",
      ],
      refused: ["2019-11-29T18:54:57.Z", "2019-11-29T18:54:57,5Z"])

  private static let durations = samples(
    .duration,
    allowed: [
      "0s", "1.5s", "250us", "20ms", "2m", "1h", "007s", "999999999s", "999999.999999999h", "1.123456789us",
    ],
    refused: [
      "", "s", "10", "5 s", "-1s", "+1s", "1.s", ".5s", "1.5.5s", "1d", "5S", "1e3s", "5ss", "1ns", "1000000000s",
      "1000000h", "99999999999999999999s", "1.1234567890s", "٥s", "5s\n", "5sm", "1m30s",
    ])

  private static let labels = samples(
    .label, allowed: ["a", "ci-42", "0", "a--b", String(repeating: "a", count: 63)],
    refused: ["", "-a", "a-", "-", "A", "a.b", "a_b", "é", "a ", String(repeating: "a", count: 64)])

  private static let others =
    samples(
      .uri, allowed: ["http://localhost:8080/image/Ljerka", "https://a", "http://[::1]/?q=%20#f"],
      refused: ["", "http://", "ftp://a", "HTTP://a", "/image", "http://a b", "http://é", "xhttp://a"])
    + samples(.digits, allowed: ["0", "120", "007"], refused: ["", "-1", "1.0", "٣", "12 "])

  static let all = dates + dateTimes + durations + labels + others

  @Test("accepts valid texts and refuses invalid ones", arguments: all)
  func judges(sample: Sample) {
    #expect(sample.format.allows(sample.text) == sample.isAllowed)
  }

  @Test("prints a pattern that agrees with the validator, except for the calendar", arguments: all)
  func printsPattern(sample: Sample) throws {
    let pattern = try #require(sample.format.pattern)
    #expect(pattern.hasPrefix("^") && pattern.hasSuffix("$"))
    let regex = try Regex(pattern)
    let matches = try regex.wholeMatch(in: sample.text) != nil
    #expect(matches == (sample.isAllowed || sample.isCalendar))
  }

  @Test("allows any bytes as binary, and has no pattern for them")
  func allowsBinary() {
    #expect(Schema.Format.binary.allows("\u{0}"))
    #expect(Schema.Format.binary.pattern == nil)
  }
}

@Suite("A date-time text")
struct DateTimeTextTests {
  static let instants: [(text: String, nanoseconds: Int64)] = [
    ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000000001Z", 1), ("1969-12-31T23:59:59.5Z", -500_000_000),
    ("1970-01-01T00:00:00.1234567899Z", 123_456_789),
    ("2000-03-01T00:00:00Z", 951_868_800_000_000_000), ("1970-01-01T08:00:00+08:00", 0),
    ("2262-04-11T23:47:16.9Z", .max), ("9999-12-31T23:59:59Z", .max), ("0000-01-01T00:00:00Z", .min),
  ]

  @Test("names an instant, or the nearest one that can be represented", arguments: instants)
  func namesInstant(text: String, nanoseconds: Int64) {
    #expect(DateTimeText(text)?.instant.nanoseconds == nanoseconds)
  }

  @Test(
    "reads back from its instant", arguments: ["1677-09-22T00:00:00Z", "1900-03-01T00:00:00Z", "2024-02-29T12:00:00Z"])
  func comesBack(text: String) throws {
    #expect(Timestamp.seconds(try #require(DateTimeText(text)).instant) == text)
  }
}

@Suite("A duration text")
struct DurationTextTests {
  static let durations: [(text: String, duration: Duration)] = [
    ("0s", .zero), ("250us", .microseconds(250)), ("1.5us", .nanoseconds(1_500)), ("20ms", .milliseconds(20)),
    ("1.5s", .milliseconds(1_500)), ("2m", .seconds(120)), ("0.5m", .seconds(30)), ("1h", .seconds(3_600)),
    ("0.000000001h", .nanoseconds(3_600)), ("999999h", .seconds(3_599_996_400)),
  ]

  @Test("is a number with a unit", arguments: durations)
  func isQuantity(text: String, duration: Duration) {
    #expect(DurationText(text)?.duration == duration)
  }
}

@Suite("An instant")
struct InstantTests {
  @Test("saturates instead of trapping")
  func saturates() {
    let last = Instant(nanoseconds: .max)
    let first = Instant(nanoseconds: .min)
    #expect(last + .seconds(1) == last)
    #expect(first + .seconds(-1) == first)
    #expect(Instant(seconds: .max) == last)
    #expect((last - first) / 2 > .seconds(9_223_372_036))
    #expect(Timestamp.microseconds(last, offset: .seconds(28_800)) == "2262-04-11T23:47:16.854775+08:00")
  }
}
