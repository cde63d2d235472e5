/// An unguessable text: the nonce of a page (CSP Level 3, section 2.3.1), or a bearer token.
package enum RandomToken {
  /// Returns 128 random bits as 32 hexadecimal digits.
  package static func make() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
