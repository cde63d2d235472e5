import JSON
import Testing

@testable import Services
@testable import Understudy

@Suite("The weather service's search")
struct WeatherPlaceTests {
  private static let hongKong: JSONValue = [
    "title": "Hong Kong", "location_type": "City", "woeid": 2_165_352, "latt_long": "22.280861,114.158669",
  ]

  private static func ask(_ query: String) throws -> Response {
    var house = try Acting(House.self)
    return try house.ask("searchPlaces", query: query)
  }

  @Test("the found place is the one that the report shows")
  func sameInReport() throws {
    var house = try Acting(House.self)
    let report = try house.ask("getLocationWeather").json()
    for member in Self.hongKong.object?.members ?? [] { #expect(report[member.name] == member.value) }
  }

  /// Distances on a sphere of 6,371,008.8 m.
  @Test(
    "coordinates near the place find it, with its distance in metres as the first member",
    arguments: [
      ("22.280861,114.158669", 0), ("22.27,114.17", 1_679), ("22.27,%20114.17", 1_679),
      ("23.280861,114.158669", 111_195), ("22.280861,113.158669", 102_893),
    ])
  func near(text: String, metres: Int) throws {
    let place = try #require(Self.ask("lattlong=\(text)").json().array?.first)
    let distance = try #require(place["distance"]?.int)
    #expect(distance == metres)
    #expect(place.object?.members.map(\.name) == ["distance", "title", "location_type", "woeid", "latt_long"])
  }

  @Test(
    "coordinates more than a degree away find nothing",
    arguments: ["51.5073,-0.1277", "-22.280861,-65.841331", "90,0", "0,0", "22.280861,115.16", "21.28,114.158669"])
  func far(text: String) throws { #expect(try Self.ask("lattlong=\(text)").text == "[]") }
}
