import Contract
import JSON
import Primitives

/// Hong Kong's weather at a minute, in the form of MetaWeather. The values are pseudo-random, and the same for every
/// client on the same day.
struct WeatherReport: Sendable {
  /// The first day's `the_temp` in degrees Celsius, as given: `20` or `20.5`.
  let temperature: JSONValue
  /// Minutes since 1970.
  let minute: Int64

  init(temperature: JSONValue, at now: Instant) {
    self.temperature = temperature
    minute = now.seconds.flooredQuotient(by: 60)
  }

  var json: JSONValue {
    let now = Instant(seconds: minute * 60)
    let today = (now + HongKong.offset).seconds.flooredQuotient(by: 86_400)
    let days = (0..<6).map { offset in
      WeatherDay(today + offset, first: temperature, isFirst: offset == 0).json(created: Self.lastRun(before: now))
    }
    let sun = HongKong.sun(on: today)
    let report: JSONValue = [
      "consolidated_weather": .array(days),
      "time": .string(Timestamp.microseconds(now, offset: HongKong.offset)),
      "sun_rise": .string(Timestamp.microseconds(sun.rise, offset: HongKong.offset)),
      "sun_set": .string(Timestamp.microseconds(sun.set, offset: HongKong.offset)),
      "timezone_name": "LMT",
      "parent": [
        "title": "China", "location_type": "Country", "woeid": 23_424_781, "latt_long": "36.894451,104.166019",
      ],
      "sources": Self.sources,
    ]
    let members = (report.object?.members ?? []) + WeatherPlace.hongKong.members
    return .object(JSONValue.Object(members + [JSONValue.Member("timezone", "Asia/Hong_Kong")]))
  }

  /// Returns the time of the last forecast; they are made every three hours.
  private static func lastRun(before now: Instant) -> Instant {
    let hours = now.seconds.flooredQuotient(by: 3 * 3_600)
    return Instant(seconds: hours * 3 * 3_600)
  }

  private static let sources: JSONValue = [
    source("BBC", "bbc", "http://www.bbc.co.uk/weather/", 360),
    source("Forecast.io", "forecast-io", "http://forecast.io/", 480),
    source("HAMweather", "hamweather", "http://www.hamweather.com/", 360),
    source("Met Office", "met-office", "http://www.metoffice.gov.uk/", 180),
    source("OpenWeatherMap", "openweathermap", "http://openweathermap.org/", 360),
    source("Weather Underground", "wunderground", "https://www.wunderground.com/", 720),
    source("World Weather Online", "world-weather-online", "http://www.worldweatheronline.com/", 360),
  ]

  private static func source(_ title: String, _ slug: String, _ url: String, _ rate: Int) -> JSONValue {
    ["title": .string(title), "slug": .string(slug), "url": .string(url), "crawl_rate": .int(rate)]
  }
}

private enum HongKong {
  static let offset = Duration.seconds(8 * 3_600)

  /// Sunrise and sunset in the middle of each month, in minutes after midnight.
  private static let sunrises = [423, 414, 391, 363, 344, 339, 348, 359, 368, 376, 392, 412]
  private static let sunsets = [1_079, 1_098, 1_111, 1_121, 1_134, 1_147, 1_150, 1_135, 1_107, 1_079, 1_061, 1_061]

  /// Returns the times of sunrise and sunset.
  ///
  /// - Parameter day: Days since 1970-01-01.
  static func sun(on day: Int64) -> (rise: Instant, set: Instant) {
    let midnight = Instant(seconds: day * 86_400 - offset.components.seconds)
    let month = CivilTime(midnight, offset: offset).month - 1
    var noise = DayNoise(day)
    let rise = Duration.seconds(sunrises[month] * 60) + .microseconds(noise.next(below: 60_000_000))
    let set = Duration.seconds(sunsets[month] * 60) + .microseconds(noise.next(below: 60_000_000))
    return (midnight + rise, midnight + set)
  }
}

/// One day of a forecast. It depends on the day and on the first day's temperature only.
private struct WeatherDay {
  private let day: Int64
  private let temperature: Double
  /// The lowest temperature, in tenths of a degree.
  private let low: Int
  private let high: Int
  private var noise: DayNoise

  /// Creates a day of the forecast.
  ///
  /// - Parameters:
  ///   - day: Days since 1970-01-01.
  ///   - first: The temperature of the forecast's first day.
  init(_ day: Int64, first: JSONValue, isFirst: Bool) {
    self.day = day
    noise = DayNoise(day)
    let first = first.double ?? 20
    let firstTenths = Int(first * 10)
    let drift = noise.next(below: 51) - 25
    let tenths = isFirst ? firstTenths : firstTenths + drift
    temperature = isFirst ? first : Double(tenths) / 10
    low = tenths - 11 - noise.next(below: 20)
    high = tenths + 11 + noise.next(below: 20)
  }

  func json(created: Instant) -> JSONValue {
    var noise = noise
    let sky = Self.skies[noise.next(below: Self.skies.count)]
    let direction = noise.next(below: 3_600)
    let made = created + .microseconds(noise.next(below: 180_000_000) - 180_000_000)
    return [
      "id": .int(Self.id(of: day)),
      "weather_state_name": .string(sky.name),
      "weather_state_abbr": .string(sky.abbreviation),
      "wind_direction_compass": .string(Self.compass[(direction * 2 + 225) / 450 % 16]),
      "created": .string(Timestamp.microseconds(made)),
      "applicable_date": .string(Timestamp.date(Instant(seconds: day * 86_400))),
      "min_temp": .tenths(low),
      "max_temp": .tenths(high),
      "the_temp": .number(JSONValue.Number(temperature)),
      "wind_speed": .tenths(20 + noise.next(below: 160)),
      "wind_direction": .tenths(direction),
      "air_pressure": .tenths(10_050 + noise.next(below: 200)),
      "humidity": .int(60 + noise.next(below: 35)),
      "visibility": .tenths(60 + noise.next(below: 80)),
      "predictability": .int(sky.predictability),
    ]
  }

  /// Returns a number between 2^52 and 2^53: larger than 32 bits, exact in a double, and different for every day.
  private static func id(of day: Int64) -> Int {
    let spread = UInt64(bitPattern: day) &* 0x9E37_79B9_7F4A_7C15
    return Int(1 << 52 | spread & (1 << 52 - 1))
  }

  private static let skies: [(name: String, abbreviation: String, predictability: Int)] = [
    ("Clear", "c", 68), ("Light Cloud", "lc", 70), ("Heavy Cloud", "hc", 71), ("Showers", "s", 73),
    ("Light Rain", "lr", 75), ("Heavy Rain", "hr", 77),
  ]

  private static let compass = [
    "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
  ]
}

/// Pseudo-random numbers that depend on the day: SplitMix64, seeded with the day's number.
private struct DayNoise {
  private var numbers: SplitMix64

  init(_ day: Int64) { numbers = SplitMix64(seed: UInt64(bitPattern: day)) }

  mutating func next(below bound: Int) -> Int { Int(numbers.next() % UInt64(bound)) }
}

extension JSONValue {
  fileprivate static func tenths(_ count: Int) -> JSONValue { .number(Number(Double(count) / 10)) }
}

extension Int64 {
  fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
