package import JSON

/// The connection is closed with FIN in the middle of the announced body.
package struct Truncate: FaultActionEffect {
  static let kind = Effect.Kind(
    fault: "truncate", parameters: [at.member, Key.events.member], needs: .body,
    Effect.Kind.Page(
      "The connection is closed normally in the middle of the announced body.",
      wire: "The head with the whole `Content-Length`, the part `at` of the body, and FIN. With `events`, a stream "
        + "of events ends with FIN after this number of events.",
      limit: "Not deliverable if there is no body. At least one byte is not sent: `1/1` is all but the last byte. "
        + "With `events`, not deliverable if the response is not a stream.",
      example: #"{"fault": "truncate", "at": "1/2"}"#)
  ) { reader throws(ValidationError) in
    Truncate(at: try reader.value(at), events: try reader.optional(Key.events))
  }
  private static let at = Key.ratio("at", "The part of the body that is sent.", fallback: .half)

  /// The part of the body that is sent.
  package let at: Ratio
  /// The number of events of a stream that are sent; nil for a part of the body.
  package let events: Int?

  package var kind: Effect.Kind { Self.kind }
  package var action: FaultAction {
    .ending(events.map { .truncate(afterEvents: $0) } ?? .truncate(at: at))
  }
  package var parameters: [JSONValue.Member] {
    [events.map { JSONValue.Member("events", .int($0)) } ?? JSONValue.Member("at", .string(at.text))]
  }
}

extension TransportFault {
  package static func truncate(at: Ratio) -> TransportFault {
    TransportFault(Truncate.kind, first: .body(at), last: .close)
  }

  /// Ends a stream after `count` events.
  package static func truncate(afterEvents count: Int) -> TransportFault {
    TransportFault(Truncate.kind, first: .events(count), last: .close)
  }
}
