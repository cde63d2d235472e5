package import JSON

/// The connection is closed with FIN in the middle of the announced body.
package struct Truncate: FaultActionEffect {
  static let kind = Effect.Kind(
    fault: "truncate", parameters: [at.member], needs: .body,
    Effect.Kind.Page(
      "The connection is closed in good order in the middle of the body that was announced.",
      wire: "The head with the whole `Content-Length`, the part `at` of the body, and FIN.",
      limit: "Not deliverable where there is no body. At least one byte is withheld: `1/1` is all but the last.",
      example: #"{"fault": "truncate", "at": "1/2"}"#)
  ) { reader throws(ValidationError) in Truncate(at: try reader.value(at)) }
  private static let at = Key.ratio("at", "The part of the body that is sent.", fallback: .half)

  /// The part of the body that is sent.
  package let at: Ratio

  package init(at: Ratio = .half) { self.at = at }

  package var kind: Effect.Kind { Self.kind }
  package var action: FaultAction { .ending(.truncate(at: at)) }
  package var parameters: [JSONValue.Member] { [JSONValue.Member("at", .string(at.text))] }
}

extension TransportFault {
  package static func truncate(at: Ratio) -> TransportFault {
    TransportFault(Truncate.kind, first: .body(at), last: .close)
  }
}
