import JSON

/// The right bytes, called `text/html`.
package struct WrongType: FateEffect {
  static let kind = Effect.Kind.wrongType

  package init() {}
  init(_ reader: Reader) throws(Violation) {}

  var effect: Effect { .wrongType(self) }
  var fate: Fate { .damage(.wrongType) }
}
