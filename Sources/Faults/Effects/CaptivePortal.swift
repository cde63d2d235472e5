package import JSON

/// A 200 that is not the backend's: the log-in page of a hotel's network.
package struct CaptivePortal: FateEffect {
  package static let kind = Effect.Kind.captivePortal

  package init() {}
  package init(_ reader: Reader) throws(Violation) {}

  package var effect: Effect { .captivePortal(self) }
  package var fate: Fate { .damage(.captivePortal) }
}
