/// A source of the weather.
public enum WeatherSource: String, Sendable, Hashable, CaseIterable {
  /// The weather in Hong Kong.
  case metaWeather = "getLocationWeather"
  /// A cold day, for tests and demonstrations: 20 °C.
  case cold = "getWeatherCold"
  /// A hot day, at the path of the original service: 30 °C.
  case warm = "getWeatherWarm"
  /// A hot day: 30 °C.
  case hot = "getWeatherHot"
}
