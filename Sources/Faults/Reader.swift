import JSON

/// Reads the members of one object, and says exactly what was expected where something else stands.
struct Reader {
  let object: JSON.Object
  let pointer: JSONPointer

  init(_ json: JSON, at pointer: JSONPointer, _ expectation: String) throws(Violation) {
    guard let object = json.object else {
      throw Violation(pointer, "expected \(expectation), found \(json.kind)")
    }
    self.object = object
    self.pointer = pointer
  }

  /// Refuses the first member whose name is none of `keys`: a misspelt key must not pass for a rule that never bites.
  ///
  /// - Parameter ignored: Keys that may be there and mean nothing.
  func allow(_ keys: [String], ignoring ignored: [String] = []) throws(Violation) {
    for member in object.members where !keys.contains(member.name) && !ignored.contains(member.name) {
      throw Violation(pointer / member.name, "unknown key; expected one of \(keys.joined(separator: ", "))")
    }
  }

  func nested(_ name: String, _ expectation: String) throws(Violation) -> Reader {
    guard let value = object[name] else { throw Violation(pointer / name, "expected \(expectation), found nothing") }
    return try Reader(value, at: pointer / name, expectation)
  }

  func mismatch(_ name: String, _ expectation: String) -> Violation {
    Violation(pointer / name, "expected \(expectation), found \(Self.found(object[name]))")
  }

  /// A member that may be missing, but not be of another kind.
  func optional<Value>(_ name: String, _ expectation: String, _ read: (JSON) -> Value?) throws(Violation) -> Value? {
    guard let value = object[name] else { return nil }
    guard let read = read(value) else { throw mismatch(name, expectation) }
    return read
  }

  func required<Value>(_ name: String, _ expectation: String, _ read: (JSON) -> Value?) throws(Violation) -> Value {
    guard let value = try optional(name, expectation, read) else { throw mismatch(name, expectation) }
    return value
  }

  func flag(_ name: String) throws(Violation) -> Bool? { try optional(name, "a boolean", \.bool) }

  func ratio(_ name: String) throws(Violation) -> Ratio? {
    try optional(name, Ratio.expectation) { $0.string.flatMap { Ratio($0) } }
  }

  /// Names and descriptions end up in header fields, journals and terminals: so they are short, and hold no controls.
  func text(_ name: String, atMost count: Int) throws(Violation) -> String? {
    try optional(name, "a text of 1 to \(count) characters and no control characters") { value in
      guard let text = value.string, (1...count).contains(text.count) else { return nil }
      return text.unicodeScalars.contains { $0.value < 0x20 || 0x7F...0x9F ~= $0.value } ? nil : text
    }
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(Violation) -> Int? {
    try optional(name, "an integer from \(range.lowerBound) to \(range.upperBound)") { value in
      value.int.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  func duration(_ name: String, in range: ClosedRange<Duration>) throws(Violation) -> Duration? {
    try optional(name, Self.expectation(range)) { Self.duration($0, in: range) }
  }

  func requiredInteger(_ name: String, in range: ClosedRange<Int>) throws(Violation) -> Int {
    guard let value = try integer(name, in: range) else {
      throw mismatch(name, "an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  func requiredDuration(_ name: String, in range: ClosedRange<Duration>) throws(Violation) -> Duration {
    try required(name, Self.expectation(range)) { Self.duration($0, in: range) }
  }

  static func duration(_ json: JSON, in range: ClosedRange<Duration>) -> Duration? {
    guard let duration = json.string.flatMap({ DurationText($0)?.duration }) else { return nil }
    return range.contains(duration) ? duration : nil
  }

  static func expectation(_ range: ClosedRange<Duration>) -> String {
    let bounds = "\(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
    return "a duration with its unit from \(bounds), as in \"250ms\""
  }

  /// What stands there instead: short values are quoted, so that a slip shows, long ones named by their kind.
  static func found(_ json: JSON?) -> String {
    guard let json else { return "nothing" }
    switch json {
    case .array, .object: return json.kind
    default: return json.text.count > 42 ? json.kind : json.text
    }
  }
}

extension JSON {
  static func duration(_ duration: Duration) -> JSON { .string(DurationText.text(duration)) }
}

extension Duration {
  /// The longest delay, hold or window of a scenario; what is longer is a slip of the unit.
  static let longestDelay = Duration.seconds(3_600)
  static let longestSchedule = Duration.seconds(8_760 * 3_600)

  /// Whole microseconds: what is drawn and what is planned is counted in these.
  var wholeMicroseconds: Int64 { nanoseconds / 1_000 }

  /// Whole seconds, rounded up: a client that waits that long has waited long enough.
  package var roundedUpSeconds: Int64 {
    let (seconds, attoseconds) = components
    return attoseconds > 0 ? seconds + 1 : seconds
  }
}
