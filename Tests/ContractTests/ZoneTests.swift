import Contract
import Testing

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
