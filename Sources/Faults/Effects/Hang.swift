package import JSON

/// No byte is sent, until the peer closes the connection or the hold has passed.
package struct Hang: FaultActionEffect {
  static let kind = Effect.Kind(
    fault: "hang", parameters: Hold.members, needs: .nothing,
    Effect.Kind.Page(
      "No byte comes, until the client gives up or the time has passed.",
      wire: "Nothing; then the response, RST or FIN as `then` says. Without `for` it ends when the client does.",
      limit: "A server that stops does not wait for it. What goes on in the end is delivered whole, only late.",
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
    "for", in: .milliseconds(1) ... .longestDelay, "How long nothing is sent. The default is until the client gives up."
  )
  private static let then = Key<Then>.choice(
    "then", of: Then.allCases.filter { $0 != .resume },
    "How the connection ends after `for`. By default the response continues.")

  /// `then` without `for` is refused, because nothing would ever follow.
  init(_ reader: Reader) throws(ValidationError) {
    let duration = try reader.optional(Self.duration)
    let then = try reader.optional(Self.then)
    guard duration != nil || then == nil else {
      throw ValidationError(reader.pointer / "then", "expected \"for\" beside it: without it nothing follows")
    }
    self.init(for: duration, then: then ?? .resume)
  }

  var json: [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    if let duration { members.append(JSONValue.Member("for", .duration(duration))) }
    if then != .resume { members.append(JSONValue.Member("then", .string(then.rawValue))) }
    return members
  }

  var words: String {
    guard let duration else { return "" }
    let end = then == .resume ? "" : ", then \(then.rawValue)"
    return " for \(DurationText.text(duration))" + end
  }
}
