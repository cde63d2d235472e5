import Testing

@testable import Contract

@Suite struct PlaceholderTests {
  @Test func placeholder() {}
}
