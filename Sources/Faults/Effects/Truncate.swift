import JSON

/// The connection is closed in good order in the middle of the body that was announced.
package struct Truncate: FateEffect {
  static let kind = Effect.Kind.truncate
  static let furtherKeys = ["at"]

  /// The part of the body that is sent.
  package let at: Ratio

  package init(at: Ratio = .half) { self.at = at }
  init(_ reader: Reader) throws(Violation) { at = try reader.ratio("at") ?? .half }

  var effect: Effect { .truncate(self) }
  var fate: Fate { .ending(.truncate(at: at)) }

  var members: [JSON.Member] {
    [JSON.Member("fault", .string(Self.kind.rawValue)), JSON.Member("at", .string(at.text))]
  }
}
