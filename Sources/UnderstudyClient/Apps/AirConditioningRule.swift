/// The action of the air conditioning for a temperature outside.
public enum AirConditioningRule: Sendable, Hashable {
  case turnOn
  case turnOff
  /// At exactly the threshold nothing changes.
  case leave

  /// Degrees Celsius.
  public static let threshold = 25.0

  /// Creates the action for a temperature.
  ///
  /// - Parameter temperature: Degrees Celsius outside. A value that is not a number changes nothing.
  public init(temperature: Double) {
    if temperature > Self.threshold {
      self = .turnOn
    } else if temperature < Self.threshold {
      self = .turnOff
    } else {
      self = .leave
    }
  }
}
