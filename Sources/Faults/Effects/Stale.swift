import JSON

/// An older state, honestly labelled fresh, as from a replica that lags behind.
package struct Stale: FateEffect {
  static let kind = Effect.Kind.stale
  static let furtherKeys = ["versions"]
  static let mostVersions = 100

  /// How many changes of state ago.
  package let versions: Int

  package init(versions: Int = 1) { self.versions = versions }

  init(_ reader: Reader) throws(Violation) {
    versions = try reader.integer("versions", in: 1...Self.mostVersions) ?? 1
  }

  var effect: Effect { .stale(self) }
  var fate: Fate { .damage(.stale(versions: versions)) }

  var members: [JSON.Member] {
    [JSON.Member("fault", .string(Self.kind.rawValue)), JSON.Member("versions", .int(versions))]
  }
}
