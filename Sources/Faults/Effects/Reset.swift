package import JSON

/// The connection is reset after the status line: late enough that no client library replays the request silently.
package struct Reset: FateEffect {
  package static let kind = Effect.Kind.reset

  package init() {}
  package init(_ reader: Reader) throws(Violation) {}

  package var effect: Effect { .reset(self) }
  package var fate: Fate { .ending(.reset) }
}
