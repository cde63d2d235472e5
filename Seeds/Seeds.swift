/// The files of this folder, as bytes inside the binary.
///
/// Each has the shape that `data` of its API declares. A device's `"installationDate": "now"` stands for the moment at
/// which a state is made of the file.
package enum SeedFiles {
  package static let devices = PackageResources.devices_json
  package static let activities = PackageResources.activities_json
  package static let house = PackageResources.house_json
  package static let users = PackageResources.users_json
  package static let booking = PackageResources.booking_json

  /// The built-in scenarios by their names, in the order in which they are listed.
  package static let scenarios: [(name: String, json: [UInt8])] = [
    ("calm", PackageResources.calm_json),
    ("original", PackageResources.original_json),
    ("basement", PackageResources.basement_json),
    ("elevator", PackageResources.elevator_json),
    ("train", PackageResources.train_json),
    ("hotel-wifi", PackageResources.hotel_wifi_json),
    ("edge", PackageResources.edge_json),
    ("3g", PackageResources._g_json),
    ("lost-ack", PackageResources.lost_ack_json),
    ("overload", PackageResources.overload_json),
    ("rate-limited", PackageResources.rate_limited_json),
    ("weather-limit", PackageResources.weather_limit_json),
    ("cold-start", PackageResources.cold_start_json),
    ("rush-hour", PackageResources.rush_hour_json),
    ("schema-drift", PackageResources.schema_drift_json),
    ("mayhem", PackageResources.mayhem_json),
  ]
}
