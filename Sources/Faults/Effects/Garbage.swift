package import JSON

/// Bytes that are no HTTP, as from a port on which something else listens.
package struct Garbage: FateEffect {
  package static let kind = Effect.Kind.garbage

  package init() {}
  package init(_ reader: Reader) throws(Violation) {}

  package var effect: Effect { .garbage(self) }
  package var fate: Fate { .ending(.garbage) }
}
