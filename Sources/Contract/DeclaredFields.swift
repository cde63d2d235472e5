import JSON

/// The declared limits of `Idempotency-Key`.
package enum IdempotencyKey {
  /// The number of keys that a sandbox remembers; the oldest are discarded.
  package static let capacity = 4_096
  /// The field of a response that is the stored one to an earlier request with the key.
  package static let replayField = "Idempotent-Replayed"
}

/// The request fields on which the responses of the APIs depend, as values of `Vary` (RFC 9110 section 12.5.5).
package enum VariedFields {
  /// Any response depends on these. `Origin` is listed even if the request has none: otherwise a cache could give a page
  /// the `*` that was meant for other clients.
  package static let ofEveryResponse = "Understudy-Sandbox, Prefer, Origin"
  /// Links have the scheme, the authority and the prefix of the client, as a proxy reports them.
  package static let ofLinkedResponse =
    ofEveryResponse + ", Forwarded, X-Forwarded-Proto, X-Forwarded-Host, X-Forwarded-Port, X-Forwarded-Prefix"
  /// The field whose presence gives any response links.
  package static let link = "Link"
}

/// The limits on a browser's use of a response (Content Security Policy Level 3; Fetch standard, section 3.6).
///
/// Responses repeat the text of clients, and faults may label them `text/html`. The control API trusts scripts of this
/// origin, so no response may act as a page.
package enum PagePolicy {
  package static let fieldName = "Content-Security-Policy"
  /// The policy of every response except the server's own pages: nothing runs, loads or is framed, and the document has
  /// an origin of its own.
  package static let inert = "sandbox; default-src 'none'; frame-ancestors 'none'"
  package static let contentTypeOptions = "nosniff"
}

extension Parameter {
  /// The id of a stream's last event: in a field, or in the query as polyfills of `EventSource` send it.
  package static let lastEvent = [
    Parameter(
      "Last-Event-ID", in: .header, "The `id` of the last event that the client has received.",
      example: JSONExample("id", "The id of an older event", "cbf29ce484222325")),
    Parameter(
      "lastEventId", in: .query, "The same, for clients that can set no field.",
      example: JSONExample("id", "The id of an older event", "cbf29ce484222325")),
    Parameter(
      "Last-Event-ID", in: .query, "The same under the field's name.",
      example: JSONExample("id", "The id of an older event", "cbf29ce484222325")),
  ]
}
