import Foundation
import Testing

@testable import UnderstudyClient

@Suite("Dates and waits in header fields")
struct HTTPDateTests {
  /// 1994-11-06T08:49:37Z
  static let example = Date(timeIntervalSince1970: 784_111_777)
  static let now = Date(timeIntervalSince1970: 1_700_000_000)

  @Test(
    "are parsed in all three formats",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
  func threeForms(_ text: String) {
    #expect(HTTPDateText.parse(text, now: Self.now) == Self.example)
  }

  @Test("place a two-digit year at most fifty years ahead")
  func century() throws {
    let near = try #require(HTTPDateText.parse("Monday, 01-Jan-73 00:00:00 GMT", now: Self.now))
    #expect(near == HTTPDateText.parse("Sun, 01 Jan 2073 00:00:00 GMT", now: Self.now))
    let far = try #require(HTTPDateText.parse("Monday, 01-Jan-74 00:00:00 GMT", now: Self.now))
    #expect(far == Date(timeIntervalSince1970: 126_230_400))
  }

  @Test("may have a leap second, and the 29th of February only in leap years")
  func oddDays() {
    #expect(HTTPDateText.parse("Sat, 31 Dec 2016 23:59:60 GMT", now: Self.now) != nil)
    #expect(HTTPDateText.parse("Thu, 29 Feb 2024 00:00:00 GMT", now: Self.now) != nil)
    #expect(HTTPDateText.parse("Wed, 29 Feb 2023 00:00:00 GMT", now: Self.now) == nil)
  }

  @Test(
    "are refused if they are malformed",
    arguments: [
      "", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 6 Nov 1994 08:49:37 GMT",
      "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sunday, 06-Nov-1994 08:49:37 GMT", "Xyz Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z",
    ])
  func refused(_ text: String) { #expect(HTTPDateText.parse(text, now: Self.now) == nil) }

  @Test("are read from Retry-After as seconds, or as a date relative to the Date field")
  func retryAfter() {
    func wait(_ field: String?, date: String? = nil) -> Duration? {
      RetryAfter.duration(field, date: date, now: Self.example)
    }
    #expect(wait("120") == .seconds(120))
    #expect(wait(" 0 ") == .zero)
    #expect(wait("99999999999999999999") == .seconds(999_999_999))
    #expect(wait("Sun, 06 Nov 1994 08:49:40 GMT") == .seconds(3))
    #expect(wait("Sun, 06 Nov 1994 08:49:00 GMT") == .zero)
    let hourBehind = "Sun, 06 Nov 1994 07:49:38 GMT"
    #expect(wait("Sun, 06 Nov 1994 07:49:40 GMT", date: hourBehind) == .seconds(2))
    for nothing in [nil, "", "-1", "1.5", "soon"] { #expect(wait(nothing) == nil) }
  }
}
