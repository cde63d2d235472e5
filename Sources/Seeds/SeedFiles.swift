/// The files of the directory `Seeds` in the package.
///
/// Each has the shape that `data` of its API declares. A device's `"installationDate": "now"` stands for the moment at
/// which a state is made of the file.
package enum SeedFiles {
  package static let devices = EmbeddedFiles.`devices.json`
  package static let activities = EmbeddedFiles.`activities.json`
  package static let house = EmbeddedFiles.`house.json`
  package static let users = EmbeddedFiles.`users.json`
  package static let booking = EmbeddedFiles.`booking.json`

  /// The built-in scenarios by their names, in the order in which they are listed.
  package static let scenarios: [(name: String, json: String)] = [
    ("calm", EmbeddedFiles.`scenarios/calm.json`),
    ("original", EmbeddedFiles.`scenarios/original.json`),
    ("basement", EmbeddedFiles.`scenarios/basement.json`),
    ("elevator", EmbeddedFiles.`scenarios/elevator.json`),
    ("train", EmbeddedFiles.`scenarios/train.json`),
    ("hotel-wifi", EmbeddedFiles.`scenarios/hotel-wifi.json`),
    ("edge", EmbeddedFiles.`scenarios/edge.json`),
    ("3g", EmbeddedFiles.`scenarios/3g.json`),
    ("lost-ack", EmbeddedFiles.`scenarios/lost-ack.json`),
    ("overload", EmbeddedFiles.`scenarios/overload.json`),
    ("rate-limited", EmbeddedFiles.`scenarios/rate-limited.json`),
    ("weather-limit", EmbeddedFiles.`scenarios/weather-limit.json`),
    ("cold-start", EmbeddedFiles.`scenarios/cold-start.json`),
    ("rush-hour", EmbeddedFiles.`scenarios/rush-hour.json`),
    ("schema-drift", EmbeddedFiles.`scenarios/schema-drift.json`),
    ("mayhem", EmbeddedFiles.`scenarios/mayhem.json`),
  ]
}
