import Contract
import Testing

@Suite("Conditions on entity tags (RFC 9110 section 13)")
struct PreconditionTests {
  private static let strong = EntityTag(hash: 0xA, isWeak: false)
  private static let weak = EntityTag(hash: 0xA, isWeak: true)
  private static let text = "\"000000000000000a\""

  struct Case: Sendable, CustomTestStringConvertible {
    let field: String
    let current: EntityTag?
    let ifMatch: Bool
    let ifNoneMatch: Bool

    init(_ field: String, _ current: EntityTag?, ifMatch: Bool, ifNoneMatch: Bool) {
      (self.field, self.current, self.ifMatch, self.ifNoneMatch) = (field, current, ifMatch, ifNoneMatch)
    }

    var testDescription: String { "\(field) for \(current?.text ?? "nothing")" }
  }

  /// Returns true if a request with the field is performed.
  private static let cases = [
    Case("*", strong, ifMatch: true, ifNoneMatch: false), Case(" * ", weak, ifMatch: true, ifNoneMatch: false),
    Case("*", nil, ifMatch: false, ifNoneMatch: true),
    Case(text, strong, ifMatch: true, ifNoneMatch: false), Case(text, nil, ifMatch: false, ifNoneMatch: true),
    Case(text, weak, ifMatch: false, ifNoneMatch: false),
    Case("W/" + text, strong, ifMatch: false, ifNoneMatch: false),
    Case("W/" + text, weak, ifMatch: false, ifNoneMatch: false),
    Case("\"x\"", strong, ifMatch: false, ifNoneMatch: true),
    Case("\"x\", " + text, strong, ifMatch: true, ifNoneMatch: false),
    Case("\"a,b\",W/\"c\" ,\(text), \"d\"", strong, ifMatch: true, ifNoneMatch: false),
    Case("000000000000000a", strong, ifMatch: false, ifNoneMatch: true),
    Case("", strong, ifMatch: false, ifNoneMatch: true),
  ]

  @Test("If-Match compares strongly, If-None-Match weakly, and * is met by any representation", arguments: cases)
  func results(example: Case) {
    let condition = EntityTagCondition(parsing: example.field)
    for isRetrieval in [false, true] {
      let match = Preconditions(ifMatch: condition).result(for: example.current, isRetrieval: isRetrieval)
      #expect(match == (example.ifMatch ? .proceed : .failed))
      let none = Preconditions(ifNoneMatch: condition).result(for: example.current, isRetrieval: isRetrieval)
      #expect(none == (example.ifNoneMatch ? .proceed : isRetrieval ? .notModified : .failed))
    }
  }

  @Test("If-Match is evaluated first")
  func order() {
    let both = Preconditions(ifMatch: EntityTagCondition(parsing: "\"x\""), ifNoneMatch: .any)
    #expect(both.result(for: Self.strong, isRetrieval: true) == .failed)
    #expect(!both.isEmpty && Preconditions().isEmpty)
  }

  @Test("the tag of a list depends on its elements' order and number")
  func lists() {
    let tags = (0..<3).map { EntityTag(of: [UInt8($0)]) }
    let joined = [tags, tags.reversed(), Array(tags.dropLast()), tags + tags, []].map { EntityTag(joining: $0).hash }
    #expect(Set(joined).count == joined.count)
    #expect(EntityTag(joining: tags) == EntityTag(joining: tags))
  }
}
