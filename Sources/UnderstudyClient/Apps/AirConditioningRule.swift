/// What the weather outside means for the air conditioning.
public enum AirConditioningRule: Sendable, Hashable {
  case turnOn
  case turnOff
  /// Exactly at the threshold everything stays as it is.
  case leave

  /// Degrees Celsius.
  public static let threshold = 25.0

  /// - Parameter temperature: Degrees Celsius outside. What is no number changes nothing.
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
