import Contract
import JSON

extension Check {
  static let house = houseRooms + houseWeather

  private static func house(
    _ id: String, _ sentence: String, from source: String = article("House"), needs: Requirement = .nothing,
    run: @escaping @Sendable (Session) throws(EarlyEnd) -> Void
  ) -> Check {
    Check("house-" + id, in: "house", sentence, from: source, needs: needs, run: run)
  }

  private static let rooms =
    "{\"rooms\":{\"Bedroom\":{\"fixtures\":[\"Light1\",\"Light2\",\"AC\"]},\"Living Room\":{\"fixtures\":[\"Light\","
    + "\"TV\"]},\"Kitchen\":{\"fixtures\":[\"Light\",\"Music\",\"Slowcooker\"]}}}"

  private static func isOn(_ session: Session, _ room: String, _ fixture: String) throws(EarlyEnd) -> JSONValue? {
    try session.get(try session.own("house", "/state")).expect(200).json()["rooms"]?[room]?[fixture]
  }

  private static let houseRooms = [
    house("rooms-bytes", "The rooms are an object by display name, in order, with fixtures as strings.") {
      session throws(EarlyEnd) in try session.get("/rooms").expect(200).expect(body: rooms)
    },
    house(
      "switch-bytes", "The response to switching is exactly the four bytes true, as application/json.", needs: .sandbox
    ) {
      session throws(EarlyEnd) in
      for way in ["on", "off"] {
        let answer = try session.get("/living-room/tv/\(way)").expect(200).expect(body: "true")
        try answer.expect("Content-Length", "4")
      }
    },
    house(
      "switch-is-kept", "A fixture that was switched on stays on until it is switched off.",
      from: "README.md, The five APIs",
      needs: .sandbox
    ) { session throws(EarlyEnd) in
      try session.get("/kitchen/light/off").expect(200)
      for (way, flag) in [("on", true), ("on", true), ("off", false), ("on", true)] {
        try session.get("/living-room/tv/\(way)").expect(200)
        try require(try isOn(session, "Living Room", "TV"), equals: .bool(flag), "the TV's state after \(way):")
        try require(try isOn(session, "Kitchen", "Light"), equals: false, "another fixture's state:")
      }
    },
    house("spellings", "Names ignore case, and a space, %20, + and - are equal.", needs: .sandbox) {
      session throws(EarlyEnd) in
      let spellings = [
        "/living-room/tv", "/living%20room/TV", "/Living+Room/Tv", "/LIVING%20ROOM/tv", "/living%2Droom/%54V",
      ]
      for spelling in spellings {
        try session.get(spelling + "/on").expect(200).expect(body: "true")
        try require(try isOn(session, "Living Room", "TV"), equals: true, "the TV's state after \(spelling)/on:")
        try session.get(spelling + "/off").expect(200).expect(body: "true")
      }
    },
    house("unknown-names", "An unknown room gets 404, and so does a fixture that the room does not have.") {
      session throws(EarlyEnd) in
      for path in ["/attic/light/on", "/kitchen/tv/on", "/bedroom/light3/off"] {
        try session.get(path).expect(404)
      }
    },
    house(
      "head-switches-nothing", "HEAD of a switch changes nothing.", from: "openapi.yaml, turnFixtureOn", needs: .sandbox
    ) {
      session throws(EarlyEnd) in
      try session.get("/kitchen/light/off").expect(200)
      try session.ask("HEAD", "/kitchen/light/on").expect(200)
      try require(try isOn(session, "Kitchen", "Light"), equals: false, "the light's state:")
    },
    house("rooms-say-no-state", "Switching changes nothing in the list of rooms.", needs: .sandbox) {
      session throws(EarlyEnd) in
      let before = try session.get("/rooms").expect(200).expect(body: rooms)
      try session.get("/bedroom/ac/on").expect(200)
      try session.get("/rooms").expect(200).expect(body: before.text)
    },
  ]

  private static let reports = ["/weather/cold", "/weather/hot", "/weather/warm", "/api/location/2165352/"]

  private static func days(_ session: Session, _ path: String) throws(EarlyEnd) -> [JSONValue] {
    let answer = try session.get(path).expect(200)
    return try require(try answer.json()["consolidated_weather"]?.array, "consolidated_weather", found: answer.evidence)
  }

  private static func hasDoubles(_ days: [JSONValue], _ path: String) throws(EarlyEnd) {
    let doubles = [
      "min_temp", "max_temp", "the_temp", "wind_speed", "wind_direction", "air_pressure", "visibility",
    ]
    for (index, day) in days.enumerated() {
      for name in doubles + ["id", "humidity", "predictability"] {
        let text = day[name]?.text ?? "nothing"
        try require(
          text.contains(".") == doubles.contains(name),
          "\(name) with\(doubles.contains(name) ? "" : "out") a fraction on day \(index + 1) at \(path)", found: text)
      }
    }
  }

  private static let hongKong: JSONValue = [
    "title": "Hong Kong", "location_type": "City", "woeid": 2_165_352, "latt_long": "22.280861,114.158669",
  ]

  private static let houseWeather = [
    house("weather-temperatures", "cold is 20 degrees, hot and warm are 30.") { session throws(EarlyEnd) in
      for (path, degrees) in [("/weather/cold", 20.0), ("/weather/hot", 30), ("/weather/warm", 30)] {
        let found = try days(session, path).first?["the_temp"]
        try require(found?.double == degrees, "the_temp \(degrees) first at \(path)", found: found?.text ?? "nothing")
      }
    },
    house(
      "weather-doubles",
      "Values that the real service sent as doubles have a fraction on every day, and its integers have none."
    ) {
      session throws(EarlyEnd) in for path in reports { try hasDoubles(try days(session, path), path) }
    },
    house("weather-six-days", "A report has six consecutive days without null values.") {
      session throws(EarlyEnd) in
      for path in reports {
        let days = try days(session, path)
        try require(days.count == 6, "six days at \(path)", found: "\(days.count)")
        let dates = days.compactMap { $0["applicable_date"]?.string }
        let instants = dates.compactMap { DateTimeText($0 + "T00:00:00Z")?.instant.seconds }
        let isRow = instants.count == 6 && zip(instants, instants.dropFirst()).allSatisfy { $1 - $0 == 86_400 }
        try require(isRow, "six days in a row at \(path)", found: dates.joined(separator: ", "))
        let names = days.flatMap { $0.object?.members ?? [] }.filter { $0.value == .null }.map(\.name)
        try require(names.isEmpty, "no null at \(path)", found: names.joined(separator: ", "))
      }
    },
    house(
      "weather-dates", "time, sun_rise and sun_set have a fraction and +08:00; created has Z."
    ) { session throws(EarlyEnd) in
      for path in reports {
        let report = try session.get(path).expect(200).json()
        for name in ["time", "sun_rise", "sun_set"] {
          let text = report[name]?.string ?? ""
          let isFit = DateTimeText(text)?.fractionDigits == 6 && text.hasSuffix("+08:00")
          try require(isFit, "\(name) as 2019-11-29T18:54:57.577122+08:00", found: text)
        }
        for day in report["consolidated_weather"]?.array ?? [] {
          let text = day["created"]?.string ?? ""
          let isFit = DateTimeText(text)?.fractionDigits == 6 && text.hasSuffix("Z")
          try require(isFit, "created as 2019-11-29T18:54:57.577122Z", found: text)
        }
      }
    },
    house("location-without-slash", "Hong Kong's weather is served with and without the trailing slash.") {
      session throws(EarlyEnd) in
      let with = try session.get("/api/location/2165352/").expect(200).json()
      let without = try session.get("/api/location/2165352").expect(200).json()
      for name in ["title", "woeid", "timezone", "timezone_name"] {
        try require(without[name], equals: with[name] ?? .null, name)
      }
      try require(with["woeid"], equals: 2_165_352, "woeid")
      try require(with["timezone_name"], equals: "LMT", "timezone_name")
    },
    house(
      "search-by-name",
      "A search by a part of the name, ignoring case, finds Hong Kong; other names find nothing."
    ) {
      session throws(EarlyEnd) in
      for query in ["hong", "HONG%20KONG", "Hong+Kong", "g%20k"] {
        for path in ["/api/location/search/", "/api/location/search"] {
          let found = try session.get(path + "?query=" + query).expect(200).json()
          try require(found, equals: [hongKong], "what \(query) finds")
        }
      }
      for query in ["london", "hongkong", "%E9%A6%99"] {
        try session.get("/api/location/search/?query=" + query).expect(200).expect(json: [])
      }
    },
    house(
      "search-by-coordinates",
      "A search by coordinates finds Hong Kong if it is near, with its distance in whole metres."
    ) {
      session throws(EarlyEnd) in
      for (place, metres) in [("22.280861,114.158669", 0), ("22.27,114.17", 1_679), ("22.5,113.9", 36_085)] {
        let found = try session.get("/api/location/search/?lattlong=" + place).expect(200).json()
        let distance = found.array?.first?["distance"]
        let isNear = distance?.int.map { ($0 - metres).magnitude <= UInt(metres / 50 + 20) } ?? false
        try require(isNear && distance?.text.contains(".") == false, "about \(metres) metres", found: found.text)
        try require(found.array?.first?["woeid"], equals: 2_165_352, "the woeid")
      }
      try session.get("/api/location/search/?lattlong=51.5,-0.12").expect(200).expect(json: [])
    },
    house(
      "search-refuses", "Invalid coordinates and an empty search get 400.",
      from: "openapi.yaml, searchPlaces"
    ) {
      session throws(EarlyEnd) in
      for query in [
        "", "?", "?q=hong", "?lattlong=", "?lattlong=22.27", "?lattlong=here", "?lattlong=91,0", "?lattlong=0,181",
        "?lattlong=1,2,3", "?lattlong=nan,0",
      ] {
        try session.get("/api/location/search/" + query).expect(400)
      }
    },
    house("location-other", "Any other place gets 404.", from: "openapi.yaml, info") { session throws(EarlyEnd) in
      try session.get("/api/location/44418/").expect(404)
    },
    house(
      "location-follows-temperature", "The location's first day has the temperature of the house's state.",
      from: "openapi.yaml, getLocationWeather", needs: .control
    ) { session throws(EarlyEnd) in
      for (given, wanted) in [("31", "31.0"), ("-0.5", "-0.5"), ("31.5", "31.5")] {
        try session.ask("PATCH", "/_mock/state", body: "{\"house\":{\"temperature\":\(given)}}").expect(200)
        let days = try days(session, "/api/location/2165352/")
        let found = days.first?["the_temp"]?.text ?? "nothing"
        try require(found == wanted, "the_temp \(wanted)", found: found)
        try hasDoubles(days, "/api/location/2165352/")
      }
      let state = try session.get(try session.own("house", "/state")).expect(200).json()["temperature"]
      try require(state?.double == 31.5, "the state's temperature 31.5", found: state?.text ?? "nothing")
      let fixed = try days(session, "/weather/cold").first?["the_temp"]
      try require(fixed?.double == 20, "the_temp 20 at /weather/cold nevertheless", found: fixed?.text ?? "nothing")
    },
  ]
}
