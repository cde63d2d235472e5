import Contract
import JSON
import Primitives

/// Writes metrics in Prometheus' text format 0.0.4.
struct Exposition {
  private(set) var text = ""

  enum Kind: String {
    case counter, gauge, histogram
  }

  struct Label {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Begins a family of metrics, whose samples follow.
  mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
  }

  mutating func sample(_ name: String, _ value: Int) { sample(name, [], value) }

  mutating func sample(_ name: String, _ labels: [Label], _ value: Int) { sample(name, labels, String(value)) }

  mutating func sample(_ name: String, _ duration: Duration) { sample(name, [], Self.seconds(duration)) }

  private mutating func sample(_ name: String, _ labels: [Label], _ value: String) {
    let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
    text += name + (pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}") + " \(value)\n"
  }

  /// The bounds of the buckets as powers of two of microseconds, from 16 µs to 67 s. They are also bounds in
  /// `Histogram`, so that every count is exact.
  private static let exponents = 4...26

  mutating func histogram(_ name: String, _ labels: [Label], _ histogram: Histogram) {
    for exponent in Self.exponents {
      let edge = Label("le", Self.seconds(.microseconds(1 << exponent)))
      sample(name + "_bucket", labels + [edge], histogram.count(upToMicroseconds: exponent))
    }
    sample(name + "_bucket", labels + [Label("le", "+Inf")], histogram.count)
    sample(name + "_sum", labels, Self.seconds(histogram.sum))
    sample(name + "_count", labels, histogram.count)
  }

  /// Returns a duration in seconds, with nanosecond precision.
  static func seconds(_ duration: Duration) -> String {
    let (whole, rest) = duration.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard rest > 0 else { return String(whole) }
    let digits = Timestamp.padded(Int(rest), 9)
    return "\(whole)." + digits.prefix(digits.utf8.count - digits.reversed().prefix { $0 == "0" }.count)
  }

  /// Returns a help text or a label's value with escapes; quotes are escaped only in the latter.
  static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
