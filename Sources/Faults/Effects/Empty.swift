package import JSON

/// The connection is closed in good order before any byte of the reply.
package struct Empty: FateEffect {
  package static let kind = Effect.Kind.empty

  package init() {}
  package init(_ reader: Reader) throws(Violation) {}

  package var effect: Effect { .empty(self) }
  package var fate: Fate { .ending(.empty) }
}
