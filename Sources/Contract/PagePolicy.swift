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
