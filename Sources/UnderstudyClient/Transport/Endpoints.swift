import Contract
public import Foundation

/// Where each API is served. A path in a URL, such as `/@ci-42`, is kept in front of the API's own paths.
public struct Endpoints: Sendable, Hashable {
  public var devices: URL
  public var activities: URL
  public var house: URL
  /// Where `/api/location/…` is: at the real services it has a host of its own.
  public var weather: URL
  public var users: URL
  public var booking: URL

  /// One origin that serves all five, such as a running Understudy or one of its sandboxes.
  public init(_ base: URL) {
    devices = base
    activities = base
    house = base
    weather = base
    users = base
    booking = base
  }

  /// An origin for each.
  public init(devices: URL, activities: URL, house: URL, weather: URL, users: URL, booking: URL) {
    self.devices = devices
    self.activities = activities
    self.house = house
    self.weather = weather
    self.users = users
    self.booking = booking
  }

  /// The real services' hosts, by https. Some of them have been switched off.
  public static let upstream: Endpoints? = {
    func url(_ host: String?) -> URL? { host.flatMap { URL(string: "https://" + $0) } }
    guard let devices = url(API.devices.hosts.first), let activities = url(API.activities.hosts.first),
      let house = url(API.house.hosts.first), let weather = url(API.house.hosts.last),
      let users = url(API.users.hosts.first), let booking = url(API.booking.hosts.first)
    else { return nil }
    return Endpoints(
      devices: devices, activities: activities, house: house, weather: weather, users: users, booking: booking)
  }()
}
