import Primitives
import Seeds

/// The pictures of the meeting rooms, which are embedded in the binary.
package enum RoomPicture {
  private static let landscapes = SeedFiles.landscapes.map { (room: $0.room, picture: Representation($0.png, .png)) }
  private static let portraits = SeedFiles.portraits.map { (room: $0.room, picture: Representation($0.png, .png)) }

  /// Returns the picture made for the room of this name, otherwise one that the name alone determines.
  package static func picture(of room: String, isPortrait: Bool) -> Representation {
    let pictures = isPortrait ? portraits : landscapes
    let own = pictures.first { $0.room == room }
    return (own ?? pictures[Int(FNV1a.hash(room) % UInt64(pictures.count))]).picture
  }
}
