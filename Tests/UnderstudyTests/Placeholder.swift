import Testing

@testable import Understudy

@Suite struct PlaceholderTests {
  @Test func placeholder() {}
}
