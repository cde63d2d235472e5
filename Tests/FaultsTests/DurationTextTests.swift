import JSON
import Testing

@Suite("A printed duration")
struct DurationTextTests {
  static let texts: [(duration: Duration, text: String)] = [
    (.zero, "0ms"), (.nanoseconds(1), "0.001us"), (.microseconds(345), "345us"), (.microseconds(12_345), "12.345ms"),
    (.milliseconds(250), "250ms"), (.milliseconds(1_500), "1.5s"), (.seconds(59), "59s"), (.seconds(60), "1m"),
    (.seconds(90), "90s"), (.seconds(3_600), "1h"), (.seconds(86_400), "24h"),
    (.nanoseconds(1_000_000_001), "1.000000001s"),
    (.microseconds(3_599_999_999), "3599.999999s"),
  ]

  @Test("is short and exact, and reads back as the same duration", arguments: texts)
  func prints(duration: Duration, text: String) {
    #expect(DurationText.text(duration) == text)
    #expect(DurationText(text)?.duration == duration)
  }

  @Test(
    "is limited in its digits, so that no text overflows",
    arguments: [
      ("999999999us", true), ("999999999ms", true), ("999999999.999999999s", true), ("999999m", true),
      ("999999.999999999h", true), ("1000000000us", false), ("1000000000ms", false), ("1000000000s", false),
      ("1000000m", false), ("1000000h", false), ("0000001h", false), ("1.0000000001s", false), ("1.s", false),
      (".5s", false), ("1.5.5s", false), ("s", false), ("5", false), ("-5s", false), ("5 s", false), ("", false),
    ])
  func bounds(text: String, isDuration: Bool) {
    #expect((DurationText(text) != nil) == isDuration)
  }
}
