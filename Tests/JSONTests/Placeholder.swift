import Testing

@testable import JSON

@Suite struct PlaceholderTests {
  @Test func placeholder() {}
}
