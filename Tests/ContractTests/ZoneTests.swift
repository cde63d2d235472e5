import Contract
import Testing

@Suite("Dates in header fields")
struct HTTPDateTests {
  @Test(
    "begin with the day of the week",
    arguments: [
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    ])
  func dates(seconds: Int64, text: String) {
    #expect(HTTPDate.text(Instant(seconds: seconds)) == text)
  }
}

@Suite("Zones of date-times")
struct ZoneTests {
  @Test(
    "are written with hours and minutes, east or west of Greenwich",
    arguments: [(0, "Z"), (480, "+08:00"), (330, "+05:30"), (-210, "-03:30"), (-5, "-00:05"), (765, "+12:45")])
  func zones(minutes: Int, zone: String) {
    let text = Timestamp.microseconds(Instant(seconds: 1_700_000_000), offset: .seconds(minutes * 60))
    #expect(text.hasSuffix(".000000" + zone))
    #expect(DateTimeText(text)?.instant == Instant(seconds: 1_700_000_000))
  }
}
