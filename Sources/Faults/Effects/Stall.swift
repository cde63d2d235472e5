import JSON

/// The reply stops in the middle of its body, until the peer gives up or the hold has passed.
package struct Stall: FateEffect {
  static let kind = Effect.Kind.stall
  static let furtherKeys = ["at"] + Hold.keys

  /// The part of the body that is sent before.
  package let at: Ratio
  package let hold: Hold

  package init(at: Ratio = .half, _ hold: Hold = Hold()) {
    self.at = at
    self.hold = hold
  }

  init(_ reader: Reader) throws(Violation) {
    at = try reader.ratio("at") ?? .half
    hold = try Hold(reader)
  }

  var effect: Effect { .stall(self) }
  var fate: Fate { .ending(.stall(at: at, hold)) }

  var members: [JSON.Member] {
    [JSON.Member("fault", .string(Self.kind.rawValue)), JSON.Member("at", .string(at.text))] + hold.members
  }
}
