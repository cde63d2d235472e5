package import JSON

/// The response stops in the middle of its body, until the peer closes the connection or the hold ends.
package struct Stall: FaultActionEffect {
  static let kind = Effect.Kind(
    fault: "stall", parameters: [at.member, Key.events.member] + Hold.members, needs: .body,
    Effect.Kind.Page(
      "The response stops in the middle of its body, until the client gives up or the time has passed.",
      wire:
        "The head, the part `at` of the body, and nothing; then the rest, RST or FIN, depending on `then`. With "
        + "`events`, a stream of events becomes silent after this number of events.",
      limit: "Not deliverable if there is no body. A server that stops does not wait for it. With `events`, not "
        + "deliverable if the response is not a stream.",
      example: #"{"fault": "stall", "at": "1/3", "for": "15s", "then": "close"}"#)
  ) { reader throws(ValidationError) in
    Stall(at: try reader.value(at), events: try reader.optional(Key.events), try Hold(reader))
  }
  private static let at = Key.ratio("at", "The part of the body that is sent first.", fallback: .half)

  /// The part of the body that is sent first.
  package let at: Ratio
  /// The number of events of a stream that are sent before; nil for a part of the body.
  package let events: Int?
  package let hold: Hold

  package init(at: Ratio = .half, events: Int? = nil, _ hold: Hold = Hold()) {
    self.at = at
    self.events = events
    self.hold = hold
  }

  package var kind: Effect.Kind { Self.kind }
  package var action: FaultAction {
    .ending(events.map { .stall(afterEvents: $0, hold) } ?? .stall(at: at, hold))
  }
  package var parameters: [JSONValue.Member] {
    [events.map { JSONValue.Member("events", .int($0)) } ?? JSONValue.Member("at", .string(at.text))] + hold.json
  }
}

extension TransportFault {
  package static func stall(at: Ratio, _ hold: Hold) -> TransportFault {
    TransportFault(Stall.kind, first: .body(at), hold: hold, last: .end)
  }

  /// Silences a stream after `count` events.
  package static func stall(afterEvents count: Int, _ hold: Hold) -> TransportFault {
    TransportFault(Stall.kind, first: .events(count), hold: hold, last: .end)
  }
}
