/// The files of this folder, as bytes inside the binary.
///
/// Each has the shape that `data` of its API declares. A device's `"installationDate": "now"` stands for the moment at
/// which a state is made of the file.
package enum Seeds {
  package static let devices = PackageResources.devices_json
  package static let activities = PackageResources.activities_json
  package static let house = PackageResources.house_json
  package static let users = PackageResources.users_json
  package static let booking = PackageResources.booking_json
}
