/// The weather of a place, beginning today.
public struct WeatherReport: Sendable, Hashable, Codable {
  /// Today first.
  public var days: [Day]
  /// The local time of the report.
  public var time: SentDate
  /// The time of sunrise.
  public var sunrise: SentDate
  /// The time of sunset.
  public var sunset: SentDate
  /// The name of the place.
  public var title: String
  /// Latitude and longitude in degrees, separated by a comma, as sent.
  public var coordinates: String
  /// A name of the tz database: `Asia/Hong_Kong`.
  public var timezone: String

  /// The current temperature in degrees Celsius: that of the first day.
  public var temperature: Double? { days.first?.temperature }

  /// The forecast of a day.
  public struct Day: Sendable, Hashable, Codable, Identifiable {
    public var id: Int
    /// The weather in words, such as `Heavy Rain`.
    public var state: String
    /// Degrees Celsius, like the next two.
    public var temperature: Double
    /// The lowest temperature, in degrees Celsius.
    public var minimum: Double
    /// The highest temperature, in degrees Celsius.
    public var maximum: Double
    /// Percent.
    public var humidity: Int
    /// Miles per hour.
    public var windSpeed: Double
    /// Millibars.
    public var airPressure: Double
    /// A day without a time: `2019-11-29`.
    public var day: String

    private enum CodingKeys: String, CodingKey {
      case id, humidity
      case state = "weather_state_name"
      case temperature = "the_temp"
      case minimum = "min_temp"
      case maximum = "max_temp"
      case windSpeed = "wind_speed"
      case airPressure = "air_pressure"
      case day = "applicable_date"
    }
  }

  private enum CodingKeys: String, CodingKey {
    case time, title, timezone
    case days = "consolidated_weather"
    case sunrise = "sun_rise"
    case sunset = "sun_set"
    case coordinates = "latt_long"
  }
}

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

/// A place of the weather service.
public struct WeatherPlace: Sendable, Hashable, Codable, Identifiable {
  /// The id of the place, as in `/api/location/2165352/`.
  public var id: Int
  /// The name of the place.
  public var title: String
  /// City, Region, Country and the like, as sent.
  public var kind: String
  /// Latitude and longitude in degrees, separated by a comma, as sent.
  public var coordinates: String
  /// The distance in metres from the requested coordinates; nil in a search by name.
  public var distance: Int?

  private enum CodingKeys: String, CodingKey {
    case id = "woeid"
    case title, distance
    case kind = "location_type"
    case coordinates = "latt_long"
  }
}
