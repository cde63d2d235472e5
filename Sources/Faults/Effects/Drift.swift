package import JSON

/// JSON of another schema: a field is dropped, renamed or of another type.
package struct Drift: FateEffect {
  package static let kind = Effect.Kind.drift

  package init() {}
  package init(_ reader: Reader) throws(Violation) {}

  package var effect: Effect { .drift(self) }
  package var fate: Fate { .damage(.drift) }
}
