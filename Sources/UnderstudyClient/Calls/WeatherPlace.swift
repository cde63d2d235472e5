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
