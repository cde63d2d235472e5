package import JSON

/// An older state with current metadata, as from a replica that lags behind.
package struct Stale: FaultActionEffect {
  static let kind = Effect.Kind(
    fault: "stale", parameters: [versions.member], needs: .nothing,
    Effect.Kind.Page(
      "An older state with its own entity tag, as from a delayed replica.",
      wire: "A correct response with the content and the entity tag of an older state.",
      limit: "Not deliverable if there is no such old state, if the request changes state, or if the response does not "
        + "show the state. Older states are stored if the scenario has a rule with this fault, or after the first request "
        + "with this preference, which therefore is not deliverable.",
      example: #"{"fault": "stale", "versions": 1}"#),
    onlyBeforeReason: "only a response to a request that changes nothing can be stale"
  ) { reader throws(ValidationError) in Stale(versions: try reader.value(versions)) }
  private static let versions = Key.integer(
    "versions", in: 1...100, "The age of the state, as a number of changes of the sandbox's state.", fallback: 1)

  /// The age of the state, in changes.
  package let versions: Int

  package var kind: Effect.Kind { Self.kind }
  package var action: FaultAction { .damage(.stale(versions: versions)) }
  package var parameters: [JSONValue.Member] { [JSONValue.Member("versions", .int(versions))] }
  package var depth: Int { versions }
}

extension BodyFault {
  package static func stale(versions: Int) -> BodyFault { BodyFault(Stale.kind, versionsAgo: versions) }
}
