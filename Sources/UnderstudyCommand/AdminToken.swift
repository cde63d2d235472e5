/// Generates the control API's bearer token, if the user did not choose one.
enum AdminToken {
  /// The value of `--admin-token` that requests a generated token.
  static let random = "random"

  /// Returns 128 random bits as 32 hexadecimal digits.
  static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<16).map { _ in
      let byte = UInt8.random(in: .min ... .max, using: &generator)
      return (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}
