import Contract
import JSON

/// A place of MetaWeather's search.
struct WeatherPlace: Sendable {
  let title: String
  let kind: String
  /// The id of the place in Yahoo's «where on earth» directory.
  let woeid: Int
  let coordinates: Coordinates
  /// The length of a degree of longitude at its latitude, in metres.
  let metresPerDegreeEast: Double

  static let hongKong = WeatherPlace(
    title: "Hong Kong", kind: "City", woeid: 2_165_352,
    coordinates: Coordinates(latitude: 22.280861, longitude: 114.158669), metresPerDegreeEast: 102_893)

  /// The places with weather.
  private static let all = [hongKong]

  var members: [JSONValue.Member] {
    [
      JSONValue.Member("title", .string(title)), JSONValue.Member("location_type", .string(kind)),
      JSONValue.Member("woeid", .int(woeid)), JSONValue.Member("latt_long", .string(coordinates.text)),
    ]
  }

  /// Returns the places whose title contains `query`, or those near `lattlong`, the nearest first.
  static func search(_ query: Query) throws(Problem) -> JSONValue {
    if let name = query["query"] {
      let part = name.lowercased()
      let found = all.filter { part.isEmpty || $0.title.lowercased().contains(part) }
      return .array(found.map { .object(JSONValue.Object($0.members)) })
    }
    guard let text = query["lattlong"] else {
      throw .parameter("query", "expected a part of a place's name, or lattlong with coordinates as in 22.27,114.17")
    }
    guard let here = Coordinates(text) else {
      throw .parameter(
        "lattlong", "expected degrees of latitude (-90 to 90) and longitude (-180 to 180), as in 22.27,114.17")
    }
    let found = all.compactMap { place in place.distance(to: here).map { (place, distance: $0) } }
    return .array(
      found.sorted { $0.distance < $1.distance }.map { place, distance in
        .object(JSONValue.Object([JSONValue.Member("distance", .int(distance))] + place.members))
      })
  }
}

extension WeatherPlace {
  /// The difference in degrees up to which a search finds a place.
  private static let tolerance = 1.0
  private static let metresPerDegreeNorth = 111_195.0

  /// Returns the distance to a point within the tolerance in whole metres; nil if the point is farther away.
  ///
  /// Within a degree the Earth is flat enough: the error is below 1 %.
  fileprivate func distance(to point: Coordinates) -> Int? {
    let north = point.latitude - coordinates.latitude
    let east = point.longitude - coordinates.longitude
    guard max(north.magnitude, east.magnitude) <= Self.tolerance else { return nil }
    let (x, y) = (east * metresPerDegreeEast, north * Self.metresPerDegreeNorth)
    return Int((x * x + y * y).squareRoot().rounded())
  }
}

/// Coordinates on the globe, in degrees.
struct Coordinates: Sendable {
  let latitude: Double
  let longitude: Double

  var text: String { "\(latitude),\(longitude)" }

  init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Parses `22.27,114.17`; nil if these are not valid coordinates.
  init?(_ text: String) {
    let degrees = text.split(separator: ",", omittingEmptySubsequences: false).map { part -> Double? in
      let digits = part.drop { $0 == " " }.prefix { $0 != " " }
      let isDecimal = digits.utf8.allSatisfy { "+-.0123456789".utf8.contains($0) }
      let isWhole = part.drop { $0 == " " }.dropFirst(digits.count).allSatisfy { $0 == " " }
      return isDecimal && isWhole ? Double(digits) : nil
    }
    guard degrees.count == 2, let latitude = degrees[0], let longitude = degrees[1],
      (-90...90).contains(latitude), (-180...180).contains(longitude)
    else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }
}
