package import JSON

/// The right bytes, called `text/html`.
package struct WrongType: FateEffect {
  package static let kind = Effect.Kind.wrongType

  package init() {}
  package init(_ reader: Reader) throws(Violation) {}

  package var effect: Effect { .wrongType(self) }
  package var fate: Fate { .damage(.wrongType) }
}

extension WrongType {
  package static let contentType = "text/html; charset=utf-8"
}
