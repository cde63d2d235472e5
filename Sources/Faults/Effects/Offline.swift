package import JSON

/// The sandbox is unreachable: its connections are reset, and new ones are reset as soon as their sandbox is known.
///
/// It applies to the whole sandbox, so a rule can limit it only in time; `reset-bare` can be limited to a route.
package struct Offline: FaultActionEffect {
  package static let kind = Effect.Kind(
    "offline", value: isOffline.member.shape,
    Effect.Kind.Page(
      "The sandbox is unreachable.",
      wire:
        "Open connections are reset when the outage begins. A new connection is reset, without any byte, as soon as "
        + "its request shows the sandbox. Planned delays are skipped.",
      limit:
        "It affects the whole sandbox, so the rule has no `match` and no ordinals, but only `from`, `until` and "
        + "`every`. For one route, use `reset-bare`. A new connection is accepted before it is reset.",
      example: #"{"offline": true}"#),
    onlyBeforeReason: "nothing reaches a backend that is offline", dependence: .time, isOfSandbox: true
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
