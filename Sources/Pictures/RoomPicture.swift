/// The orientation of a picture.
package enum Orientation: Sendable {
  case landscape
  case portrait

  var size: (width: Int, height: Int) {
    switch self {
    case .landscape: (640, 427)
    case .portrait: (427, 640)
    }
  }
}

/// A drawing that replaces the photograph of a meeting room. The same name always gives the same bytes.
package struct RoomPicture: Sendable {
  package let name: String
  package let orientation: Orientation

  package init(name: String, orientation: Orientation = .landscape) {
    self.name = name
    self.orientation = orientation
  }

  /// Returns the drawing as a PNG of 640 by 427 pixels, or 427 by 640 in portrait.
  package func png() -> [UInt8] {
    var room = Room(name: name, orientation: orientation)
    room.draw()
    return PNG.encode(room.canvas, palette: room.palette)
  }
}
