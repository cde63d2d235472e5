/// The files of this folder, as bytes inside the binary.
package enum Seeds {
  package static let devices = PackageResources.devices_json
  package static let activities = PackageResources.activities_json
  package static let house = PackageResources.house_json
  package static let users = PackageResources.users_json
  package static let booking = PackageResources.booking_json
}
