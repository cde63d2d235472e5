package import JSON

/// The connection is reset after the status line, or after an event of a stream.
package struct Reset: FaultActionEffect {
  static let kind = Effect.Kind(
    fault: "reset", parameters: [Key.events.member], needs: .nothing,
    Effect.Kind.Page(
      "The connection is reset after the status line.",
      wire:
        "The status line, then RST. libcurl, and URLSession on Linux, have seen the start of a response, so they do "
        + "not repeat the request by themselves. Java's HttpURLConnection does so once, even with a POST, and OkHttp and "
        + "Chromium on a reused connection; Apache HttpClient with a GET, Ruby's Net::HTTP with a GET or PUT, and aiohttp "
        + "with these on a reused connection; such a replay gets the plan of the original request, and is not counted. "
        + "With `events`, a "
        + "stream of events ends with RST after this number of events.",
      limit: "The client cannot tell whether the request was applied; the phase decides that. With `events`, not "
        + "deliverable if the response is not a stream.",
      example: #"{"fault": "reset"}"#)
  ) { reader throws(ValidationError) in Reset(events: try reader.optional(Key.events)) }

  /// The number of events of a stream that are sent; nil for the status line alone.
  package let events: Int?

  package var kind: Effect.Kind { Self.kind }
  package var action: FaultAction { .ending(events.map { .reset(afterEvents: $0) } ?? .reset) }
  package var parameters: [JSONValue.Member] {
    events.map { [JSONValue.Member("events", .int($0))] } ?? []
  }
}

extension TransportFault {
  package static let reset = TransportFault(Reset.kind, first: .statusLine, last: .reset)

  /// Resets a stream after `count` events.
  package static func reset(afterEvents count: Int) -> TransportFault {
    TransportFault(Reset.kind, first: .events(count), last: .reset)
  }
}

extension Key where Value == Int {
  /// The number of events of a stream after which a fault occurs.
  static let events = integer("events", in: 1...1_000_000, "The number of events of a stream that are sent first.")
}
