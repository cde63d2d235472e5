/// The files of this folder, as bytes inside the binary.
package enum Seeds {
  package static var devices: [UInt8] { PackageResources.devices_json }
}
