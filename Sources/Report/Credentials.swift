import Contract

/// Credentials as a request has them in `Authorization` (RFC 9110 11.4).
package enum Credentials {
  /// The parameters that a client computes anew for each request, by AWS Signature Version 4, Digest (RFC 7616), OAuth 1.0
  /// (RFC 5849) and Hawk.
  private static let computed: Set<String> = [
    "signature", "response", "cnonce", "nc", "oauth_signature", "oauth_nonce", "oauth_timestamp", "mac", "ts", "nonce",
  ]

  /// Returns the hash of what credentials say about their owner: equal for the requests of one owner, however often their
  /// signature is computed.
  package static func hash(_ value: ArraySlice<UInt8>) -> UInt64 {
    let text = String(decoding: value, as: UTF8.self)
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, text.contains(",") else { return Observation.hash(value) }
    // The nonce of Digest is the server's: with another one a refused request is another one.
    let isDigest = parts[0].lowercased() == "digest"
    let said = parts[1].split(separator: ",").map { String($0).trimmingBlanks }.filter { parameter in
      let name = parameter.prefix { $0 != "=" && $0 != " " }.lowercased()
      return !computed.contains(name) || isDigest && name == "nonce"
    }
    return Observation.hash(([String(parts[0])] + said).joined(separator: ","))
  }
}
