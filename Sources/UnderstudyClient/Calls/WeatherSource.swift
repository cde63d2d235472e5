/// A place to ask for the weather.
public enum WeatherSource: String, Sendable, Hashable, CaseIterable {
  /// The weather in Hong Kong.
  case metaWeather = "getLocationWeather"
  /// A cold day, for trying what follows from it: 20 °C.
  case cold = "getWeatherCold"
  /// A hot day under the name that the original service used: 30 °C.
  case warm = "getWeatherWarm"
  /// A hot day: 30 °C.
  case hot = "getWeatherHot"
}
