import Contract
import JSON

/// A place of MetaWeather's search.
struct WeatherPlace: Sendable {
  let title: String
  let kind: String
  /// The id of the place in Yahoo's «where on earth» directory.
  let woeid: Int
  let coordinates: Coordinates

  static let hongKong = WeatherPlace(
    title: "Hong Kong", kind: "City", woeid: 2_165_352,
    coordinates: Coordinates(latitude: 22.280861, longitude: 114.158669))

  /// The places with weather.
  private static let all = [hongKong]

  var members: [JSONValue.Member] {
    [
      JSONValue.Member("title", .string(title)), JSONValue.Member("location_type", .string(kind)),
      JSONValue.Member("woeid", .int(woeid)), JSONValue.Member("latt_long", .string(coordinates.text)),
    ]
  }

  /// Returns the places whose title contains `query`, or all places sorted by their distance from `lattlong`.
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
    let found = all.map { ($0, distance: $0.coordinates.distance(to: here)) }.sorted { $0.distance < $1.distance }
    return .array(
      found.map { place, distance in
        .object(JSONValue.Object([JSONValue.Member("distance", .int(distance))] + place.members))
      })
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

  /// Returns the distance along the surface in whole metres, on a sphere of the Earth's mean radius.
  func distance(to other: Coordinates) -> Int {
    let (start, end) = (direction, other.direction)
    let (x, y, z) = (start.x - end.x, start.y - end.y, start.z - end.z)
    var chord = min(2, (x * x + y * y + z * z).squareRoot())
    // Repeated halving makes the chord equal to the arc. This needs no arc sine, and so no libm.
    for _ in 0..<30 { chord /= (2 + (4 - chord * chord).squareRoot()).squareRoot() }
    return Int(chord * Double(1 << 30) * 6_371_008.8 + 0.5)
  }

  private var direction: (x: Double, y: Double, z: Double) {
    let (phi, lambda) = (latitude * .pi / 180, longitude * .pi / 180)
    let radius = Self.sine(.pi / 2 - phi.magnitude)
    return (radius * Self.sine(.pi / 2 - lambda.magnitude), radius * Self.sine(lambda), Self.sine(phi))
  }

  /// Returns the sine of an angle.
  ///
  /// - Parameter angle: From -π to π.
  private static func sine(_ angle: Double) -> Double {
    let half = angle < 0 ? -Double.pi : Double.pi
    let near = angle.magnitude <= Double.pi / 2 ? angle : half - angle
    var (term, sum) = (near, near)
    for n in 1...12 {
      let divisor = 2 * n * (2 * n + 1)
      term *= -near * near / Double(divisor)
      sum += term
    }
    return sum
  }
}
