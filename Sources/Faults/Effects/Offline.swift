package import JSON

/// The sandbox is unreachable: its connections are reset, and new ones are reset as soon as they are known to be for
/// it.
///
/// It concerns the whole sandbox, so a rule with this effect may be limited in time only; `reset-bare` can be limited
/// to a route.
package struct Offline: FaultActionEffect {
  package static let kind = Effect.Kind(
    "offline", value: isOffline.member.shape,
    Effect.Kind.Page(
      "The sandbox is out of reach.",
      wire:
        "Its kept connections are reset when it begins; a new one is reset as soon as its request tells the sandbox, "
        + "without any byte. No delay that was planned is waited for.",
      limit:
        "It takes the whole sandbox, so the rule has no `match` and no ordinals: only `from`, `until` and `every`. "
        + "For one route there is `reset-bare`. A new connection is accepted before it is reset.",
      example: #"{"offline": true}"#),
    whyOnlyBefore: "nothing reaches a backend that is offline", dependence: .time, isOfSandbox: true
  ) { reader throws(ValidationError) in
    _ = try reader.value(isOffline)
    return Offline()
  }
  private static let isOffline = Key<Bool>(
    "offline", .constant(true), "Always `true`.", isRequired: true, expectation: "true"
  ) {
    $0.bool == true ? true : nil
  }

  package init() {}

  package var kind: Effect.Kind { Self.kind }
  package var action: FaultAction { .ending(.offline) }
  package var value: JSONValue { true }
}

extension TransportFault {
  package static let offline: TransportFault = TransportFault(
    Offline.kind, first: .nothing, last: .reset, isImmediate: true)
}
