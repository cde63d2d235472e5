/// A nonce, by which a page allows its own style and script (CSP Level 3, section 2.3.1).
package enum Nonce {
  /// Returns 128 random bits as 32 hexadecimal digits.
  package static func text() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
