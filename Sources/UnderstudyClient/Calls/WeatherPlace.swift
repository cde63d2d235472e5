/// A place that the weather service knows.
public struct WeatherPlace: Sendable, Hashable, Codable, Identifiable {
  /// The place's number, as in `/api/location/2165352/`.
  public var id: Int
  public var title: String
  /// City, Region, Country and the like, as sent.
  public var kind: String
  /// Latitude and longitude in degrees with a comma between, as sent.
  public var coordinates: String
  /// Metres from the coordinates that were asked for; nil in a search by name.
  public var distance: Int?

  private enum CodingKeys: String, CodingKey {
    case id = "woeid"
    case title, distance
    case kind = "location_type"
    case coordinates = "latt_long"
  }
}
