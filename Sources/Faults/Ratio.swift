import Primitives

/// A fraction of integers, `1/10`, so that no chance depends on a machine's rounding.
public struct Ratio: Sendable, Hashable {
  package let numerator: Int
  package let denominator: Int

  /// The valid texts, as words that complete «expected …».
  package static let expectation = "a ratio from 0/1 to 1/1 of integers of at most nine digits, as in \"1/10\""

  package init?(_ numerator: Int, _ denominator: Int) {
    guard numerator >= 0, numerator <= denominator, denominator > 0, denominator < 1_000_000_000 else { return nil }
    self.numerator = numerator
    self.denominator = denominator
  }

  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let numerator = Self.integer(parts[0]), let denominator = Self.integer(parts[1]) else {
      return nil
    }
    self.init(numerator, denominator)
  }

  package var text: String { "\(numerator)/\(denominator)" }

  /// Creates a fraction, such as a third: `Ratio(1, of: 3)`. One that is no part of a whole is refused with its scenario.
  public init(_ numerator: Int, of denominator: Int) { self.init(unchecked: numerator, denominator) }

  public static let half = Ratio(unchecked: 1, 2)
  static let twoThirds = Ratio(unchecked: 2, 3)

  private init(unchecked numerator: Int, _ denominator: Int) {
    self.numerator = numerator
    self.denominator = denominator
  }

  private static func integer(_ text: Substring) -> Int? {
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy(Byte.isDigit) else { return nil }
    return Int(text)
  }

  /// Returns true if a value is within this fraction of all values.
  ///
  /// The high half of the product distributes the values over the denominator with a bias below one in 2^34; a
  /// remainder would favour small ones.
  package func holds(_ draw: UInt64) -> Bool {
    draw.multipliedFullWidth(by: UInt64(denominator)).high < UInt64(numerator)
  }

  /// Returns the offset at which to cut a body of `total` bytes; nil if it has no byte to lose.
  ///
  /// At least one byte is always withheld: `1/1` means all except the last one, and `0/1` the head alone.
  package func offset(in total: Int) -> Int? {
    guard total > 0 else { return nil }
    let (high, low) = total.multipliedFullWidth(by: numerator)
    return min(denominator.dividingFullWidth((high, low)).quotient, total - 1)
  }
}
