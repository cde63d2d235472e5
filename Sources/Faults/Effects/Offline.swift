import JSON

/// The sandbox is out of reach: its kept connections die, and new ones are reset as soon as it is known that they are
/// its.
///
/// It takes the whole sandbox, so a rule with this effect may narrow it in time only; for one route there is
/// `reset-bare`.
package struct Offline: FateEffect {
  static let kind = Effect.Kind.offline
  static let whyOnlyBefore: String? = "nothing reaches a backend that is offline"
  static let dependence: Dependence? = .time

  package init() {}

  init(_ reader: Reader) throws(Violation) {
    _ = try reader.required("offline", "true") { $0.bool == true ? true : nil }
  }

  var effect: Effect { .offline(self) }
  var fate: Fate { .ending(.offline) }
  var members: [JSON.Member] { [JSON.Member("offline", true)] }
}
