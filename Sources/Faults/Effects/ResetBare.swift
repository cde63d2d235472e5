package import JSON

/// The connection is reset before any byte: on a reused one some libraries replay the request, a POST too.
package struct ResetBare: FateEffect {
  package static let kind = Effect.Kind.resetBare

  package init() {}
  package init(_ reader: Reader) throws(Violation) {}

  package var effect: Effect { .resetBare(self) }
  package var fate: Fate { .ending(.resetBare) }
}
