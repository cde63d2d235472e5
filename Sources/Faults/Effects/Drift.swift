import JSON

/// JSON of another schema: a field is dropped, renamed or of another type.
package struct Drift: FateEffect {
  static let kind = Effect.Kind.drift

  package init() {}
  init(_ reader: Reader) throws(Violation) {}

  var effect: Effect { .drift(self) }
  var fate: Fate { .damage(.drift) }
}
