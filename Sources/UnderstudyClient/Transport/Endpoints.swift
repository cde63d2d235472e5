import Contract
public import Foundation

/// The URLs of the APIs. A path in a URL, such as `/@ci-42`, precedes the API's own paths.
public struct Endpoints: Sendable, Hashable {
  /// The base URL of the devices API.
  public var devices: URL
  /// The base URL of the activities API.
  public var activities: URL
  /// The base URL of the house API.
  public var house: URL
  /// The origin of `/api/location/…`: the real service has a separate host for it.
  public var weather: URL
  /// The base URL of the users API.
  public var users: URL
  /// The base URL of the booking API.
  public var booking: URL

  /// Creates the endpoints of one origin that serves all five APIs, such as a running Understudy or one of its
  /// sandboxes.
  public init(_ base: URL) {
    devices = base
    activities = base
    house = base
    weather = base
    users = base
    booking = base
  }

  /// Creates the endpoints from one origin per API.
  public init(devices: URL, activities: URL, house: URL, weather: URL, users: URL, booking: URL) {
    self.devices = devices
    self.activities = activities
    self.house = house
    self.weather = weather
    self.users = users
    self.booking = booking
  }

  /// The real services' hosts, over https. Some of them have been switched off.
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
