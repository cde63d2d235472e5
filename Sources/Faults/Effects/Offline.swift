package import JSON

/// The sandbox is unreachable: its connections are reset, refused or silent.
///
/// It applies to the whole sandbox, so a rule can limit it only in time; `reset-bare` can be limited to a route.
package struct Offline: FaultActionEffect {
  package static let kind = Effect.Kind(
    "offline", value: outage.member.shape,
    Effect.Kind.Page(
      "The sandbox is unreachable.",
      wire:
        "With `true`, open connections are reset when the outage begins, and a new one is reset, without any byte, as soon "
        + "as its request shows the sandbox. With `\"refused\"`, the sandbox's own port does not listen either. With "
        + "`\"silence\"`, connections stay open, and no byte is sent until the outage ends; then they are reset. Planned "
        + "delays are skipped.",
      limit:
        "It affects the whole sandbox, so the rule has no `match` and no ordinals, but only `from`, `until` and "
        + "`every`. For one route, use `reset-bare`. Without a port of its own, a sandbox resets connections instead of "
        + "refusing them: they are accepted before that.",
      example: #"{"offline": true}"#),
    onlyBeforeReason: "nothing reaches a backend that is offline", dependence: .time, isOfSandbox: true
  ) { reader throws(ValidationError) in
    Offline(try reader.value(outage))
  }
  private static let outage = Key<Outage>(
    "offline", .oneOf([.constant(true), .choice([Outage.refused, .silence].map(\.rawValue))]),
    "The client's view of the outage: `true` for connections that are reset.", isRequired: true,
    expectation: "true, \"refused\" or \"silence\""
  ) { value in
    if value.bool == true { return .reset }
    return [Outage.refused, .silence].first { $0.rawValue == value.string }
  }

  package let outage: Outage

  package init(_ outage: Outage = .reset) { self.outage = outage }

  package var kind: Effect.Kind { Self.kind }
  package var description: String { outage == .reset ? kind.name : "\(kind.name) (\(outage.rawValue))" }
  package var action: FaultAction { .ending(outage == .silence ? .silence : .offline) }
  package var value: JSONValue { outage == .reset ? true : .string(outage.rawValue) }
}

/// The client's view of an outage.
package enum Outage: String, Sendable, CaseIterable {
  /// Each connection is reset.
  case reset
  /// The sandbox's own port does not listen.
  case refused
  /// Connections stay open, and nothing is sent.
  case silence

  /// True if connections are reset.
  package var cutsConnections: Bool { self != .silence }
}

extension TransportFault {
  package static let offline: TransportFault = TransportFault(
    Offline.kind, first: .nothing, last: .reset, isImmediate: true)

  /// Silence until the outage ends, when the connection is reset.
  static let silence: TransportFault = TransportFault(
    Offline.kind, first: .nothing, hold: Hold(), last: .reset, isImmediate: true)
}
