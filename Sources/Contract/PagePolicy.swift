/// The limits on a browser's use of a response (Content Security Policy Level 3; Fetch standard, section 3.6).
///
/// Responses repeat what clients sent, and faults call them `text/html`. On this origin, where the control API trusts
/// scripts, none of them may act as a page.
package enum PagePolicy {
  package static let fieldName = "Content-Security-Policy"
  /// The policy of every response that is not one of the server's own pages: nothing runs, loads or is framed, and the
  /// document has an origin of its own.
  package static let inert = "sandbox; default-src 'none'; frame-ancestors 'none'"
  package static let contentTypeOptions = "nosniff"
}
