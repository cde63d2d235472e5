import JSON

extension Schema {
  /// The weather of a location as MetaWeather wrote it. No member is ever missing or null, because strict decoders
  /// would fail.
  static let weatherReport = Schema.object(
    [
      Property("consolidated_weather", .array(of: weatherDay, count: 6...6)),
      Property("time", .string(format: .dateTime).described("The minute of the report, in local time.")),
      Property("sun_rise", .string(format: .dateTime)),
      Property("sun_set", .string(format: .dateTime)),
      Property("timezone_name", .string(minimumLength: 1)),
      Property("parent", .object(place)),
      Property("sources", .array(of: weatherSource)),
    ] + place + [Property("timezone", .string(minimumLength: 1))]
  ).named("WeatherReport")

  private static let place: [Property] = [
    Property("title", .string(minimumLength: 1)),
    Property("location_type", .string(minimumLength: 1)),
    Property("woeid", .integer().described("The place's number in Yahoo's «where on earth» directory.")),
    Property("latt_long", .string(minimumLength: 3)),
  ]

  /// The locations that a search finds; a search by coordinates adds `distance`.
  static let foundPlaces = Schema.array(
    of: .object(
      [Property.optional("distance", .integer(0...200_000).described("Metres."))] + place
    ).named("WeatherPlace"))

  private static let weatherSource = Schema.object([
    Property("title", .string(minimumLength: 1)),
    Property("slug", .string(minimumLength: 1)),
    Property("url", .string(format: .uri)),
    Property("crawl_rate", .integer().described("Seconds between two visits to the source.")),
  ]).named("WeatherSource")

  /// The real service's doubles have a fraction on every day (`20.0`): some decoders read `20` as an integer and fail.
  private static let weatherDay = Schema.object([
    Property("id", .integer(2_147_483_648...9_007_199_254_740_991).described("Larger than 32 bits.")),
    Property("weather_state_name", .string(minimumLength: 1)),
    Property("weather_state_abbr", .string(choices: ["sn", "sl", "h", "t", "hr", "lr", "s", "hc", "lc", "c"])),
    Property(
      "wind_direction_compass",
      .string(choices: [
        "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
      ])),
    Property("created", .string(format: .dateTime)),
    Property("applicable_date", .string(format: .date)),
    Property("min_temp", .double().described("Degrees Celsius, like `max_temp` and `the_temp`.")),
    Property("max_temp", .double()),
    Property("the_temp", .double()),
    Property("wind_speed", .double(0...250).described("Miles per hour.")),
    Property("wind_direction", .double(0...360)),
    Property("air_pressure", .double(800...1_100).described("Millibars.")),
    Property("humidity", .integer(0...100)),
    Property("visibility", .double(0...100).described("Miles.")),
    Property("predictability", .integer(0...100)),
  ]).named("WeatherDay")
}
