import Contract
import JSON

extension Row {
  static let house = houseSwitched + houseWeather + housePlaces

  private static let rooms: JSONValue = [
    "rooms": [
      "Bedroom": ["fixtures": ["Light1", "Light2", "AC"]], "Living Room": ["fixtures": ["Light", "TV"]],
      "Kitchen": ["fixtures": ["Light", "Music", "Slowcooker"]],
    ]
  ]

  /// A fixture is on or off, as the house's state tells.
  private static func isOn(_ flag: Bool, _ room: String, _ fixture: String) -> Step {
    .get("@house/state", .value("/rooms/\(room)/\(fixture)", .bool(flag)))
  }

  private static let houseSwitched = [
    Row(
      "rooms-bytes", .service, "The rooms are an object by display name, in order, with fixtures as strings.",
      .get("/rooms", .ordered(rooms))),
    Row(
      "switch-bytes", .service,
      "The response to switching is exactly the four bytes true, as application/json.", needs: .sandbox,
      .each(["on", "off"]) {
        .get("/living-room/tv/\($0)", .bytes("true"), .fieldPart("Content-Type", "application/json"))
      }),
    Row(
      "switch-is-kept", .ours("README.md, The five APIs"),
      "A fixture that was switched on stays on until it is switched off.", needs: .sandbox,
      .get("/kitchen/light/off"),
      .each([("on", true), ("on", true), ("off", false), ("on", true)]) { way, flag in
        .several([
          .get("/living-room/tv/\(way)"), isOn(flag, "Living Room", "TV"), isOn(false, "Kitchen", "Light"),
        ])
      }),
    Row(
      "spellings", .service, "Names ignore case, and a space, %20, + and - are equal.", needs: .sandbox,
      .each([
        "/living-room/tv", "/living%20room/TV", "/Living+Room/Tv", "/LIVING%20ROOM/tv", "/living%2Droom/%54V",
      ]) {
        .several([
          .get($0 + "/on", .bytes("true")), .ours(isOn(true, "Living Room", "TV")), .get($0 + "/off", .bytes("true")),
        ])
      }),
    Row(
      "unknown-names", .service, "An unknown room gets 404, and so does a fixture that the room does not have.",
      .each(["/attic/light/on", "/kitchen/tv/on", "/bedroom/light3/off"]) { .get($0, gets: 404) }),
    Row(
      "head-switches-nothing", .ours("openapi.yaml, turnFixtureOn"), "HEAD of a switch changes nothing.",
      needs: .sandbox,
      .get("/kitchen/light/off"), .send("HEAD", "/kitchen/light/on"), isOn(false, "Kitchen", "Light")),
    Row(
      "rooms-say-no-state", .service, "Switching changes nothing in the list of rooms.", needs: .sandbox,
      .get("/bedroom/ac/on"), .get("/rooms", .ordered(rooms))),
  ]

  /// Requests each weather report. The real service had no `/weather/hot`.
  private static func reports(_ expectation: Expectation) -> Step {
    .several([
      .get("/weather/cold", expectation), .ours(.get("/weather/hot", expectation)),
      .get("/weather/warm", expectation), .get(hongKongWeather, expectation),
    ])
  }

  private static let hongKongWeather = "/api/location/2165352/"

  private static func time(_ zone: String) -> Schema {
    .string(
      format: Schema.Format("a date-time as 2019-11-29T18:54:57.577122\(zone)", pattern: nil) {
        DateTimeText($0)?.fractionDigits == 6 && $0.hasSuffix(zone)
      })
  }

  private static let written = Expectation.all([
    .numbers(
      ["min_temp", "max_temp", "the_temp", "wind_speed", "wind_direction", "air_pressure", "visibility"],
      haveFraction: true),
    .numbers(["id", "humidity", "predictability"], haveFraction: false),
  ])

  private static let sixDays = Expectation.code { answer throws(EarlyEnd) in
    let days = try answer.json()["consolidated_weather"]?.array ?? []
    try require(days.count == 6, "six days", found: "\(days.count) in \(answer.evidence)")
    let dates = days.compactMap { $0["applicable_date"]?.string }
    let instants = dates.compactMap { DateTimeText($0 + "T00:00:00Z")?.instant.seconds }
    let isRow = instants.count == 6 && zip(instants, instants.dropFirst()).allSatisfy { $1 - $0 == 86_400 }
    try require(isRow, "six days in a row", found: "\(dates.joined(separator: ", ")) to \(answer.asked)")
    let names = days.flatMap { $0.object?.members ?? [] }.filter { $0.value == .null }.map(\.name)
    try require(names.isEmpty, "no null", found: "\(names.joined(separator: ", ")) to \(answer.asked)")
  }

  private static let houseWeather = [
    Row(
      "weather-temperatures", .service, "cold is 20 degrees, hot and warm are 30.",
      .get("/weather/cold", .value("/consolidated_weather/0/the_temp", 20)),
      .get("/weather/warm", .value("/consolidated_weather/0/the_temp", 30)),
      .ours(.get("/weather/hot", .value("/consolidated_weather/0/the_temp", 30)))),
    Row(
      "weather-doubles", .service,
      "Values that the real service sent as doubles have a fraction on every day, and its integers have none.",
      reports(written)),
    Row(
      "weather-six-days", .service, "A report has six consecutive days without null values.",
      reports(sixDays)),
    Row(
      "weather-dates", .service, "time, sun_rise and sun_set have a fraction and +08:00; created has Z.",
      reports(
        .all([
          .has("/time", time("+08:00")), .has("/sun_rise", time("+08:00")), .has("/sun_set", time("+08:00")),
          .each("created", time("Z")),
        ]))),
    Row(
      "location-without-slash", .service, "Hong Kong's weather is served with and without the trailing slash.",
      .each(["/api/location/2165352/", "/api/location/2165352"]) {
        .get($0, .value("/woeid", 2_165_352), .value("/timezone_name", "LMT"), .value("/title", "Hong Kong"))
      }),
  ]

  private static let search = "/api/location/search/"
  private static let hongKong: JSONValue = [
    "title": "Hong Kong", "location_type": "City", "woeid": 2_165_352, "latt_long": "22.280861,114.158669",
  ]

  /// Hong Kong is found first, some metres from these coordinates.
  private static func near(_ coordinates: String, _ metres: Int) -> Step {
    let tolerance = metres / 50 + 20
    return .get(
      search + "?lattlong=" + coordinates, .value("/0/woeid", 2_165_352),
      .has("/0/distance", .integer(max(0, metres - tolerance)...metres + tolerance)),
      .numbers(["distance"], haveFraction: false))
  }

  private static let housePlaces = [
    Row(
      "search-by-name", .service,
      "A search by a part of the name, ignoring case, finds Hong Kong; a name that no place has finds nothing.",
      .each(["hong", "HONG%20KONG", "Hong+Kong", "g%20k"]) { query in
        .each([search, String(search.dropLast())]) {
          .several([
            .get("\($0)?query=\(query)", .value("/0/title", "Hong Kong"), .value("/0/woeid", 2_165_352)),
            .ours(.get("\($0)?query=\(query)", .json([hongKong]))),
          ])
        }
      },
      .each(["hongkong", "%E9%A6%99"]) { .get("\(search)?query=\($0)", .json([])) },
      // The real service had other places, too.
      .ours(
        .get("\(search)?query=london", .json([])),
        .get("\(search)?lattlong=22.27,114.17&query=london", .json([])))),
    Row(
      "search-by-coordinates", .service,
      "A search by coordinates finds Hong Kong if it is near, with its distance in whole metres.",
      near("22.280861,114.158669", 0), near("22.27,114.17", 1_679),
      // The real service had nearer and other places, too.
      .ours(near("22.5,113.9", 36_085), .get("\(search)?lattlong=51.5,-0.12", .json([])))),
    Row(
      "search-refuses", .ours("openapi.yaml, searchPlaces"), "Invalid coordinates and an empty search get 400.",
      .each([
        "", "?", "?q=hong", "?lattlong=", "?lattlong=22.27", "?lattlong=here", "?lattlong=91,0", "?lattlong=0,181",
        "?lattlong=0,-180.5", "?lattlong=1,2,3", "?lattlong=nan,0", "?lattlong=inf,1", "?lattlong=0x1p3,1",
        "?lattlong=1%202,3", "?lattlong=,",
      ]) { .get(search + $0, gets: 400) }),
    Row(
      "location-other", .ours("openapi.yaml, info"), "Any other place gets 404.",
      .get("/api/location/44418/", gets: 404)),
    Row(
      "location-follows-temperature", .ours("openapi.yaml, getLocationWeather"),
      "The location's first day has the temperature of the house's state.", needs: .control,
      .each([("31", 31), ("-0.5", -0.5), ("31.5", 31.5)]) { given, wanted in
        .several([
          .send("PATCH", "/_mock/state", "{\"house\":{\"temperature\":\(given)}}"),
          .get(hongKongWeather, .value("/consolidated_weather/0/the_temp", wanted), written),
        ])
      },
      .get("@house/state", .value("/temperature", 31.5)),
      .get("/weather/cold", .value("/consolidated_weather/0/the_temp", 20))),
  ]
}
