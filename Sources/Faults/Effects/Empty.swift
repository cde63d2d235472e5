import JSON

/// The connection is closed in good order before any byte of the reply.
package struct Empty: FateEffect {
  static let kind = Effect.Kind.empty

  package init() {}
  init(_ reader: Reader) throws(Violation) {}

  var effect: Effect { .empty(self) }
  var fate: Fate { .ending(.empty) }
}
