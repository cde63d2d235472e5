import JSON
import Primitives

/// Reads the members of one object, and throws exact errors with the expectation and the actual value.
struct Reader {
  let object: JSONValue.Object
  let pointer: JSONPointer

  init(_ json: JSONValue, at pointer: JSONPointer, _ expectation: String) throws(ValidationError) {
    guard let object = json.object else {
      throw ValidationError(pointer, "expected \(expectation), found \(json.kind)")
    }
    self.object = object
    self.pointer = pointer
  }

  /// Throws for the first member whose name is not in `keys`, so that a misspelt key does not create a rule that never
  /// applies.
  ///
  /// - Parameter ignored: Keys that are allowed and ignored.
  func allow(_ keys: [String], ignoring ignored: [String] = []) throws(ValidationError) {
    for member in object.members where !keys.contains(member.name) && !ignored.contains(member.name) {
      throw ValidationError(pointer / member.name, "unknown key; expected one of \(keys.joined(separator: ", "))")
    }
  }

  /// Reads a member that is an object of the declared members.
  func object(_ key: Key<JSONValue.Object>) throws(ValidationError) -> Reader {
    guard let value = object[key.name] else { throw mismatch(key.name, key.expectation) }
    let reader = try Reader(value, at: pointer / key.name, key.expectation)
    if case .object(let members) = key.member.shape { try reader.allow(members.map(\.name)) }
    return reader
  }

  func mismatch(_ name: String, _ expectation: String) -> ValidationError {
    ValidationError(pointer / name, "expected \(expectation), found \(Self.found(object[name]))")
  }

  /// Reads a member that may be missing; throws if its value is invalid.
  func optional<Value>(_ key: Key<Value>) throws(ValidationError) -> Value? {
    guard let value = object[key.name] else { return key.fallback }
    guard let read = key.read(value) else { throw mismatch(key.name, key.expectation) }
    return read
  }

  /// Reads a member that is required or has a default.
  func value<Value>(_ key: Key<Value>) throws(ValidationError) -> Value {
    guard let value = try optional(key) else { throw mismatch(key.name, key.expectation) }
    return value
  }

  static func duration(_ json: JSONValue, in range: ClosedRange<Duration>) -> Duration? {
    guard let duration = json.string.flatMap({ DurationText($0)?.duration }) else { return nil }
    return range.contains(duration) ? duration : nil
  }

  static func expectation(_ range: ClosedRange<Duration>) -> String {
    let bounds = "\(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
    return "a duration with its unit from \(bounds), as in \"250ms\""
  }

  /// Returns the actual value for an error: a short value as it is, a long one as its kind.
  static func found(_ json: JSONValue?) -> String {
    guard let json else { return "nothing" }
    switch json {
    case .array, .object: return json.kind
    default: return json.text.count > 42 ? json.kind : json.text
    }
  }
}

extension Duration {
  /// The maximum delay, hold or window of a scenario; a longer one is probably an error in the unit.
  static let maximumDelay = Duration.seconds(3_600)
  static let longestSchedule = Duration.seconds(8_760 * 3_600)

  /// Whole microseconds, the unit of random and planned times.
  var wholeMicroseconds: Int64 { nanoseconds / 1_000 }

  /// Whole seconds, rounded up, so that a client that waits this long has waited long enough.
  package var roundedUpSeconds: Int64 {
    let (seconds, attoseconds) = components
    return attoseconds > 0 ? seconds + 1 : seconds
  }
}
