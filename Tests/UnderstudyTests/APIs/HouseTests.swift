import Contract
import JSON
import LiveTesting
import Primitives
import Testing

@testable import Services
@testable import Understudy

@Suite struct HouseTests {
  var house: Acting<House>

  init() throws { house = try Acting(House.self) }

  @Test mutating func theStateNamesEveryFixtureInOrder() throws {
    #expect(
      try house.ask("getHouseState").text == """
        {"temperature":20,"rooms":{"Bedroom":{"Light1":false,"Light2":false,"AC":false},\
        "Living Room":{"Light":false,"TV":false},"Kitchen":{"Light":false,"Music":false,"Slowcooker":false}}}
        """)
  }

  @Test mutating func onlyTheFirstOfTwoEqualSwitchesChangesAFixture() throws {
    #expect(try house.ask("turnFixtureOn", ["kitchen", "music"]).changed)
    #expect(try !house.ask("turnFixtureOn", ["kitchen", "music"]).changed)
    #expect(try house.ask("turnFixtureOff", ["Kitchen", "Music"]).changed)
  }

  @Test(
    "an unknown room or fixture is not found",
    arguments: [["attic", "tv"], ["bedroom", "tv"], ["living_room", "tv"], ["livingroom", "tv"], ["", ""]])
  func anUnknownRoomOrFixtureIsNotFound(names: [String]) throws {
    var house = house
    let response = try house.ask("turnFixtureOn", names)
    #expect(response.status == 404)
    #expect(!response.changed)
    let isRoomKnown = names[0] == "bedroom"
    #expect(response.problem?.kind == (isRoomKnown ? "unknown-fixture" : "unknown-room"))
  }

  @Test func namesThatClientsCannotDistinguishAreRefused() throws {
    for rooms: JSONValue in [
      ["Living Room": [:], "living-room": [:]], ["": [:]], ["Hall": ["TV": true, "tv": false]],
    ] {
      #expect(throws: ValidationError.self) {
        try Document(["temperature": 1, "rooms": rooms], of: House.self)
      }
    }
  }
}

@Suite struct WeatherTests {
  var house: Acting<House>

  init() throws { house = try Acting(House.self) }

  @Test("a double is written with a fraction", arguments: ["20", "31", "-7", "0", "20.5", "1e1", "19.999", "-0.04"])
  func aDoubleIsWrittenWithAFraction(temperature: String) throws {
    let data = try JSONValue(parsing: Array("{\"temperature\":\(temperature)}".utf8))
    for start in stride(from: 0, to: 400, by: WholeProof.rounds(29, of: 7)) {
      var house = try Acting<House>(
        data: house.state.data.merging(data), at: Acting<House>.start + .seconds(start * 86_400))
      for operation in ["getLocationWeather", "getWeatherCold", "getWeatherHot", "getWeatherWarm"] {
        for (name, value) in try house.days(operation).flatMap({ $0.object?.members ?? [] }).map({ ($0.name, $0.value) }
        ) {
          guard case .number(let number) = value else { continue }
          #expect(
            number.text.contains(".") == !["id", "humidity", "predictability"].contains(name), "\(name) \(number)")
        }
      }
    }
  }

  @Test mutating func timesAreOfTheDayAndTheMinuteInHongKong() throws {
    let report = try house.ask("getLocationWeather").json()
    #expect(report["time"] == "2023-06-22T23:13:00.000000+08:00")
    for name in ["sun_rise", "sun_set"] { #expect(report[name]?.string?.hasPrefix("2023-06-22T") == true) }
  }

  @Test mutating func daysFollowOneAnotherFromTodayInHongKong() throws {
    house.now = Instant(seconds: 1_703_952_000)  // 2023-12-30T16:00:00Z, midnight in Hong Kong
    #expect(
      try house.days().map { $0["applicable_date"] } == [
        "2023-12-31", "2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04", "2024-01-05",
      ])
  }

  @Test mutating func idsAreBeyond32BitsAndBelongToTheirDay() throws {
    let today = try house.days().compactMap { $0["id"]?.int }
    #expect(Set(today).count == 6)
    #expect(today.allSatisfy { $0 > Int(Int32.max) && $0 < 1 << 53 })
    house.now = house.now + .seconds(86_400)
    #expect(try house.days().compactMap { $0["id"]?.int }.prefix(5) == today.dropFirst())
    house.now = house.now + .seconds(-86_400)
    #expect(try house.days("getWeatherHot").compactMap { $0["id"]?.int } == today)
  }

  @Test("every day lies between its extremes", arguments: [-89.95, -20, -0.05, 0, 19.99, 20, 31, 59.9])
  func everyDayLiesBetweenItsExtremes(degrees: Double) throws {
    let temperature = JSONValue(floatLiteral: degrees)
    var house = try Acting<House>(data: house.state.data.merging(["temperature": temperature]))
    for day in 0..<20 {
      house.now = Acting<House>.start + .seconds(day * 86_400)
      let report = try house.ask("getLocationWeather").json()
      let schema = API.house.operations.first { $0.id == "getLocationWeather" }?.documentation.responses[0].content[0]
        .schema
      #expect(try #require(schema).violations(in: report) == [])
      for day in report["consolidated_weather"]?.array ?? [] {
        let (low, mean, high) = (day["min_temp"]?.double, day["the_temp"]?.double, day["max_temp"]?.double)
        #expect(try #require(low) <= #require(mean))
        #expect(try #require(mean) <= #require(high))
        let created = try #require(day["created"]?.string.flatMap { DateTimeText($0) })
        #expect(created.fractionDigits == 6)
        #expect(created.instant <= house.now)
        #expect(day["created"]?.string?.hasSuffix("Z") == true)
      }
    }
  }

  @Test mutating func aReportIsTheSameForAMinute() throws {
    house.now = Instant(seconds: 1_687_446_780)
    let first = try house.ask("getLocationWeather").representation?.tag
    house.now = Instant(seconds: 1_687_446_839)
    #expect(try house.ask("getLocationWeather").representation?.tag == first)
    house.now = Instant(seconds: 1_687_446_840)
    #expect(try house.ask("getLocationWeather").representation?.tag != first)
  }
}

extension Acting<House> {
  fileprivate mutating func days(_ operation: String = "getLocationWeather") throws -> [JSONValue] {
    try #require(try ask(operation).json()["consolidated_weather"]?.array)
  }
}
