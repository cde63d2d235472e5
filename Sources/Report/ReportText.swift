import Contract
import Primitives

/// The wording of numbers, durations and requests in sentences.
package enum ReportText {
  /// Returns `1 request`, `2 requests`.
  package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }

  /// Returns `was` for one, and `were` for any other number.
  static func were(_ number: Int) -> String { number == 1 ? "was" : "were" }

  /// Returns `1 write was`, `2 writes were`.
  static func were(_ number: Int, _ one: String) -> String { "\(count(number, one)) \(were(number))" }

  /// Returns a duration for people: three digits, in milliseconds or seconds, or whole minutes or hours from ten of them on.
  package static func duration(_ duration: Duration) -> String {
    let microseconds = max(0, Int(duration.nanoseconds / 1_000))
    let seconds = microseconds / 1_000_000
    if seconds >= 36_000, seconds % 3_600 == 0 { return "\(seconds / 3_600) h" }
    if seconds >= 600, seconds % 60 == 0 { return "\(seconds / 60) min" }
    if microseconds < 1_000_000 { return "\(decimal(microseconds, 1_000)) ms" }
    return "\(decimal(microseconds, 1_000_000)) s"
  }

  /// A request for people: its method, its target, the name of its operation if it has one, and its client.
  static func request(_ seen: Observation) -> String {
    let target = String(decoding: seen.target.prefix(120), as: UTF8.self)
    let text = String(decoding: seen.clientText.prefix(80), as: UTF8.self)
    let client =
      if seen.isNamed {
        text.isEmpty ? "" : " by \(text)"
      } else {
        " by the client at \(seen.peer)" + (text.isEmpty ? "" : " (\(text))")
      }
    let name = seen.operation?.name.map { " (\($0))" } ?? ""
    return "\(seen.method) \(target)\(name)\(client)"
  }

  /// Returns the part of a request that identifies a write, for advice: `an Idempotency-Key`, `the key /params/id`.
  static func key(_ part: String) -> String {
    let name = keyName(part)
    return "\(name == standardKey ? "an" : "the") \(name)"
  }

  /// Returns the part of a request that identifies a write, as a noun: `Idempotency-Key`, `key /params/id`.
  ///
  /// - Parameter part: The part as it is declared; nil if none is.
  static func keyName(_ part: String?) -> String {
    guard let part, part.lowercased() != standardKey.lowercased() else { return standardKey }
    return "key \(part)"
  }

  /// The field that identifies a write where nothing else is declared.
  static let standardKey = "Idempotency-Key"

  /// The advice where two people may have been taken for one.
  static let clientNameAdvice =
    " If these are several clients, let each send its own name in the field Understudy-Client; if they are one, run with "
    + "--clients one."

  private static func decimal(_ value: Int, _ unit: Int) -> String {
    let tenths = (value * 10 + unit / 2) / unit
    return tenths >= 1_000 || tenths % 10 == 0 ? "\((tenths + 5) / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
