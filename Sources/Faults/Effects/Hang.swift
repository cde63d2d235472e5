package import JSON

/// No byte is sent until the peer closes the connection or the hold ends.
package struct Hang: FaultActionEffect {
  static let kind = Effect.Kind(
    fault: "hang", parameters: Hold.members, needs: .nothing,
    Effect.Kind.Page(
      "Nothing is sent until the client gives up or the time has passed.",
      wire: "Nothing; then the response, RST or FIN, depending on `then`. Without `for` it lasts until the client "
        + "disconnects.",
      limit: "A server that stops does not wait for it. A response that continues afterwards is delivered "
        + "completely, only late.",
      example: #"{"fault": "hang", "for": "20s", "then": "reset"}"#)
  ) { reader throws(ValidationError) in Hang(try Hold(reader)) }

  package let hold: Hold

  package init(_ hold: Hold = Hold()) { self.hold = hold }

  package var kind: Effect.Kind { Self.kind }
  package var action: FaultAction { .ending(.hang(hold)) }
  package var parameters: [JSONValue.Member] { hold.json }
}

extension TransportFault {
  package static func hang(_ hold: Hold) -> TransportFault {
    TransportFault(Hang.kind, first: .nothing, hold: hold, last: .end)
  }
}

extension Hold {
  static let members = [duration.member, then.member]
  private static let duration = Key.duration(
    "for", in: .milliseconds(1) ... .maximumDelay,
    "The time for which nothing is sent. By default until the client "
      + "gives up."
  )
  private static let then = Key<Then>.choice(
    "then", of: Then.allCases.filter { $0 != .resume },
    "How the connection ends after `for`. By default the response continues.")

  /// Throws for `then` without `for`, because the hold then never ends.
  init(_ reader: Reader) throws(ValidationError) {
    let duration = try reader.optional(Self.duration)
    let then = try reader.optional(Self.then)
    guard duration != nil || then == nil else {
      throw ValidationError(reader.pointer / "then", "expected \"for\", too: without it nothing follows")
    }
    self.init(for: duration, then: then ?? .resume)
  }

  var json: [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    if let duration { members.append(JSONValue.Member("for", .duration(duration))) }
    if then != .resume { members.append(JSONValue.Member("then", .string(then.rawValue))) }
    return members
  }

  var description: String {
    guard let duration else { return "" }
    let end = then == .resume ? "" : ", then \(then.rawValue)"
    return " for \(DurationText.text(duration))" + end
  }
}
