import JSON

/// The connection is reset after the status line: late enough that no client library replays the request silently.
package struct Reset: FateEffect {
  static let kind = Effect.Kind.reset

  package init() {}
  init(_ reader: Reader) throws(Violation) {}

  var effect: Effect { .reset(self) }
  var fate: Fate { .ending(.reset) }
}
