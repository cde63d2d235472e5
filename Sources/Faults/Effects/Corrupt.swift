package import JSON

/// JSON that is cut or garbled, in a message that is otherwise in order.
package struct Corrupt: FateEffect {
  package static let kind = Effect.Kind.corrupt

  package init() {}
  package init(_ reader: Reader) throws(Violation) {}

  package var effect: Effect { .corrupt(self) }
  package var fate: Fate { .damage(.corrupt) }
}
