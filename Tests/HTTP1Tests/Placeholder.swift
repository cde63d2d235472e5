import Testing

@testable import HTTP1

@Suite struct PlaceholderTests {
  @Test func placeholder() {}
}
