/// The files of the directory `Seeds` in the package.
///
/// Each JSON file has the shape that `data` of its API declares. A device's `"installationDate": "now"` stands for the
/// moment at which a state is made of the file.
package enum SeedFiles {
  package static let devices = EmbeddedFiles.`devices.json`
  package static let activities = EmbeddedFiles.`activities.json`
  package static let house = EmbeddedFiles.`house.json`
  package static let users = EmbeddedFiles.`users.json`
  package static let booking = EmbeddedFiles.`booking.json`

  /// The pictures of rooms as PNG, each made for the room of this name.
  package static let landscapes: [(room: String, png: [UInt8])] = [
    ("Ljerka", decoded(EmbeddedFiles.`pictures/ljerka.png`)),
    ("Mostafa", decoded(EmbeddedFiles.`pictures/mostafa.png`)),
    ("Helmold", decoded(EmbeddedFiles.`pictures/helmold.png`)),
    ("Septima", decoded(EmbeddedFiles.`pictures/septima.png`)),
    ("Alexis", decoded(EmbeddedFiles.`pictures/alexis.png`)),
    ("Mina", decoded(EmbeddedFiles.`pictures/mina.png`)),
  ]
  package static let portraits: [(room: String, png: [UInt8])] = [
    ("Painter", decoded(EmbeddedFiles.`pictures/painter.png`)),
    ("Yana", decoded(EmbeddedFiles.`pictures/yana.png`)),
  ]

  /// Returns the bytes of a text in base64 (RFC 4648 section 4).
  private static func decoded(_ base64: String) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bytes: [UInt8] = []
    var (bits, bitCount) = (UInt32(0), 0)
    for character in base64.utf8 {
      // Only the padding is not in the alphabet.
      guard let value = alphabet.firstIndex(of: character) else { break }
      (bits, bitCount) = (bits << 6 | UInt32(value), bitCount + 6)
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return bytes
  }

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
