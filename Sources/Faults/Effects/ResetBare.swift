import JSON

/// The connection is reset before any byte: on a reused one some libraries replay the request, a POST too.
package struct ResetBare: FateEffect {
  static let kind = Effect.Kind.resetBare

  package init() {}
  init(_ reader: Reader) throws(Violation) {}

  var effect: Effect { .resetBare(self) }
  var fate: Fate { .ending(.resetBare) }
}
