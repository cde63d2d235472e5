package import JSON

/// An older state, honestly labelled fresh, as from a replica that lags behind.
package struct Stale: FateEffect {
  package static let kind = Effect.Kind.stale
  package static let furtherKeys = ["versions"]
  static let mostVersions = 100

  /// How many changes of state ago.
  package let versions: Int

  package init(versions: Int = 1) { self.versions = versions }

  package init(_ reader: Reader) throws(Violation) {
    versions = try reader.integer("versions", in: 1...Self.mostVersions) ?? 1
  }

  package var effect: Effect { .stale(self) }
  package var fate: Fate { .damage(.stale(versions: versions)) }

  package var members: [JSON.Member] {
    [JSON.Member("fault", .string(Self.kind.rawValue)), JSON.Member("versions", .int(versions))]
  }
}
