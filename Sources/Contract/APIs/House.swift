import JSON
import Primitives

extension API {
  /// A smart home: rooms, switchable fixtures, and the weather outside.
  package static let house = API(
    name: "house",
    title: "House",
    about: "The rooms of a house, the fixtures in them that can be switched on and off, and the weather outside.",
    // Apiary gives each visitor of the documentation a host name of its own: `private-anon-…-house4591`.
    hosts: ["private-1e863-house4591.apiary-mock.com", "*-house4591.apiary-mock.com", "www.metaweather.com"],
    operations: [
      listHouseRooms, getHouseState, turnFixtureOn, turnFixtureOff, getWeatherCold, getWeatherHot, getWeatherWarm,
      getLocationWeather, searchPlaces,
    ],
    data: .houseState,
    absences: [
      Absence(
        path: "/api/location/{woeid}",
        advice: "of MetaWeather's places, only Hong Kong has weather here: /api/location/2165352/."),
      Absence(
        path: "/api/location/{woeid}/{year}/{month}/{day}",
        advice: "of MetaWeather's days, only the next six have weather here: /api/location/2165352/."),
    ])

  private static let listHouseRooms = Operation(
    "listHouseRooms", .get, "/rooms",
    caching: .tagged(.strong),
    documentation: .init(
      summary: "The rooms and their fixtures",
      about: "By display name, in the order of the data. The response does not show which fixtures are on.",
      responses: [
        .json(
          "All rooms.", .houseRooms,
          examples: [
            JSONExample(
              "two", "Two rooms",
              [
                "rooms": [
                  "Bedroom": ["fixtures": ["Light1", "Light2", "AC"]], "Living Room": ["fixtures": ["Light", "TV"]],
                ]
              ])
          ],
          fields: [.etag]),
        .notModified(),
        .preconditionFailed(),
      ]))

  private static let getHouseState = Operation(
    "getHouseState", .get, "/state",
    semantics: .changesNothing(isMerged: false), caching: .tagged(.strong), effect: .readsAll,
    documentation: .init(
      summary: "The state of the fixtures and the temperature outside",
      about: "The real service kept no state and does not have this operation. Only the API's own origin serves it.",
      responses: [
        .json(
          "The state.", .houseState,
          examples: [
            JSONExample(
              "evening", "The television is on",
              ["temperature": 20, "rooms": ["Living Room": ["Light": false, "TV": true]]])
          ],
          fields: [.etag]),
        .notModified(),
        .preconditionFailed(),
      ]))

  private static let turnFixtureOn = turn("turnFixtureOn", "/{room}/{fixture}/on", "on")
  private static let turnFixtureOff = turn("turnFixtureOff", "/{room}/{fixture}/off", "off")

  private static func turn(_ id: String, _ path: PathTemplate, _ value: String) -> Operation {
    Operation(
      id, .get, path,
      semantics: .changesState(), caching: .untagged(), effect: .sets(.loosePath, to: value),
      documentation: .init(
        summary: "Switch a fixture \(value)",
        about: """
          This GET changes state, as in the real service; HEAD changes nothing. Names ignore case, and a space, `+` and \
          `-` are equal: `/living-room/tv/on` switches the `TV` of the `Living Room`.
          """,
        parameters: [
          Parameter(
            "room", in: .path, "The name of the room.", schema: .string(minimumLength: 1),
            example: JSONExample("room", "living-room")),
          Parameter(
            "fixture", in: .path, "The name of the fixture.", schema: .string(minimumLength: 1),
            example: JSONExample("fixture", "tv")),
        ],
        responses: [
          .json(
            "The fixture was switched. The body is the four bytes `true`.", .constant(true),
            examples: [JSONExample("done", true)]),
          .problem(
            .unknownFixture("jacuzzi", in: "living-room"), "No room has this name, or the room has no such fixture."),
          .tagUnknown(),
        ]))
  }

  private static let getWeatherCold = weather("getWeatherCold", "/weather/cold", "A cold day: 20 degrees")
  private static let getWeatherHot = weather("getWeatherHot", "/weather/hot", "A hot day: 30 degrees")
  private static let getWeatherWarm = weather(
    "getWeatherWarm", "/weather/warm", "A hot day, at the path that the real service used: 30 degrees")

  private static let getLocationWeather = weather(
    "getLocationWeather", "/api/location/2165352/", "The weather in Hong Kong",
    about: "The first day's `the_temp` is the temperature of the house's state. Request it at most once a minute.")

  private static let searchPlaces = Operation(
    "searchPlaces", .get, "/api/location/search/",
    caching: .tagged(.strong),
    documentation: .init(
      summary: "Search places by name or by coordinates",
      about: """
        One of the two parameters is required; `query` takes precedence. Of the real service's places, only Hong Kong has \
        weather here: another name, and coordinates more than a degree away, find nothing (an empty array).
        """,
      parameters: [
        Parameter(
          "query", in: .query, "A part of the place's title; case is ignored.",
          example: JSONExample("hong", "hong")),
        Parameter(
          "lattlong", in: .query,
          "Latitude and longitude in degrees, separated by a comma; the nearest place comes first.",
          example: JSONExample("harbour", "22.27,114.17")),
      ],
      needsParameter: true,
      responses: [
        .json(
          "The places.", .foundPlaces,
          examples: [
            JSONExample("named", "By name", [.hongKong]),
            JSONExample("near", "By coordinates", [(["distance": 1_679] as JSONValue).merging(.hongKong)]),
          ],
          fields: [.etag]),
        .notModified(),
        .problem(
          .parameter("query", "expected a part of a place's name, or lattlong with coordinates as in 22.27,114.17"),
          "Both parameters are missing, or `lattlong` is not a pair of coordinates."),
        .preconditionFailed(),
      ]))

  private static func weather(
    _ id: String, _ path: PathTemplate, _ summary: String,
    about: String =
      "The first day is fixed, whatever the temperature of the house's state. Request it at most once a minute."
  ) -> Operation {
    Operation(
      id, .get, path,
      caching: .tagged(.strong, pollingInterval: .seconds(60)),
      documentation: .init(
        summary: summary,
        about: about,
        responses: [
          .json(
            "The weather of six days, beginning today.", .weatherReport,
            examples: [JSONExample("november", "Six days of November", .novemberReport)], fields: [.etag]),
          .notModified(),
          .preconditionFailed(),
        ]))
  }
}

extension Schema {
  fileprivate static let houseRooms = Schema.object([
    Property("rooms", .map(of: .object([Property("fixtures", .array(of: .string(minimumLength: 1)))])))
  ]).named("HouseRooms")

  /// The data file, too: this is the complete state of the house.
  static let houseState = Schema.object([
    Property("temperature", .number(-90...60).described("Degrees Celsius outside.")),
    Property(
      "rooms",
      .map(of: .map(of: .boolean.described("True if the fixture is on.")))
        .described("Fixtures by the display name of their room.")),
  ]).named("HouseState")
}

extension JSONValue {
  fileprivate static let hongKong: JSONValue = [
    "title": "Hong Kong", "location_type": "City", "woeid": 2_165_352, "latt_long": "22.280861,114.158669",
  ]

  fileprivate static let novemberReport: JSONValue = [
    "consolidated_weather": .array((0..<6).map(novemberDay)),
    "time": "2019-11-29T18:54:00.000000+08:00",
    "sun_rise": "2019-11-29T06:43:07.118204+08:00",
    "sun_set": "2019-11-29T17:38:41.577122+08:00",
    "timezone_name": "LMT",
    "parent": [
      "title": "China", "location_type": "Country", "woeid": 23_424_781, "latt_long": "36.894451,104.166019",
    ],
    "sources": [
      ["title": "BBC", "slug": "bbc", "url": "http://www.bbc.co.uk/weather/", "crawl_rate": 360]
    ],
    "title": "Hong Kong",
    "location_type": "City",
    "woeid": 2_165_352,
    "latt_long": "22.280861,114.158669",
    "timezone": "Asia/Hong_Kong",
  ]

  private static func novemberDay(_ day: Int) -> JSONValue {
    let date = Instant(seconds: 1_574_985_600) + .seconds(day * 86_400)
    return [
      "id": .int(4_925_117_003_825_152 + day),
      "weather_state_name": "Light Cloud",
      "weather_state_abbr": "lc",
      "wind_direction_compass": "NE",
      "created": "2019-11-29T09:12:43.610221Z",
      "applicable_date": .string(Timestamp.date(date)),
      "min_temp": 17.6,
      "max_temp": 22.3,
      "the_temp": 20.0,
      "wind_speed": 7.4,
      "wind_direction": 47.5,
      "air_pressure": 1019.5,
      "humidity": 68,
      "visibility": 10.2,
      "predictability": 70,
    ]
  }
}
