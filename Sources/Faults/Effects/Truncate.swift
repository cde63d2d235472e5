package import JSON

/// The connection is closed with FIN in the middle of the announced body.
package struct Truncate: FateEffect {
  static let kind = Effect.Kind(
    fault: "truncate", parameters: [at.member], needs: .body,
    Effect.Kind.Page(
      "The connection is closed in good order in the middle of the body that was announced.",
      wire: "The head with the whole `Content-Length`, the part `at` of the body, and FIN.",
      limit: "Not deliverable where there is no body. At least one byte is withheld: `1/1` is all but the last.",
      example: #"{"fault": "truncate", "at": "1/2"}"#)
  ) { reader throws(Violation) in Truncate(at: try reader.value(at)) }
  private static let at = Key.ratio("at", "The part of the body that is sent.", fallback: .half)

  /// The part of the body that is sent.
  package let at: Ratio

  package init(at: Ratio = .half) { self.at = at }

  package var kind: Effect.Kind { Self.kind }
  package var fate: Fate { .ending(.truncate(at: at)) }
  package var parameters: [JSON.Member] { [JSON.Member("at", .string(at.text))] }
}

extension Ending {
  package static func truncate(at: Ratio) -> Ending { Ending(Truncate.kind, first: .body(at), last: .close) }
}
