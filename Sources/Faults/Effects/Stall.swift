package import JSON

/// The response stops in the middle of its body, until the peer closes the connection or the hold has passed.
package struct Stall: FaultActionEffect {
  static let kind = Effect.Kind(
    fault: "stall", parameters: [at.member] + Hold.members, needs: .body,
    Effect.Kind.Page(
      "The response stops in the middle of its body, until the client gives up or the time has passed.",
      wire: "The head, the part `at` of the body, and nothing; then the rest, RST or FIN as `then` says.",
      limit: "Not deliverable where there is no body. A server that stops does not wait for it.",
      example: #"{"fault": "stall", "at": "1/3", "for": "15s", "then": "close"}"#)
  ) { reader throws(ValidationError) in
    Stall(at: try reader.value(at), try Hold(reader))
  }
  private static let at = Key.ratio("at", "The part of the body that is sent before.", fallback: .half)

  /// The part of the body that is sent before.
  package let at: Ratio
  package let hold: Hold

  package init(at: Ratio = .half, _ hold: Hold = Hold()) {
    self.at = at
    self.hold = hold
  }

  package var kind: Effect.Kind { Self.kind }
  package var action: FaultAction { .ending(.stall(at: at, hold)) }
  package var parameters: [JSONValue.Member] { [JSONValue.Member("at", .string(at.text))] + hold.json }
}

extension TransportFault {
  package static func stall(at: Ratio, _ hold: Hold) -> TransportFault {
    TransportFault(Stall.kind, first: .body(at), hold: hold, last: .end)
  }
}
