package import JSON

/// The reply comes in a chunked coding that breaks in the middle.
package struct BadChunk: FateEffect {
  package static let kind = Effect.Kind.badChunk

  package init() {}
  package init(_ reader: Reader) throws(Violation) {}

  package var effect: Effect { .badChunk(self) }
  package var fate: Fate { .ending(.badChunk) }
}
