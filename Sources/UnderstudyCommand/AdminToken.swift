/// The bearer token of the control API, when none was thought up beforehand.
enum AdminToken {
  /// The word that asks for one, in the place of a token.
  static let random = "random"

  /// 128 bits that nobody can guess, as 32 hexadecimal digits.
  static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<16).map { _ in
      let byte = UInt8.random(in: .min ... .max, using: &generator)
      return (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}
