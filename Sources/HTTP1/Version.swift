/// The HTTP version of a request; a minor version above 1 is treated as 1.1 (RFC 9110 2.5).
package enum Version: Sendable, Equatable {
  case http10, http11
}
