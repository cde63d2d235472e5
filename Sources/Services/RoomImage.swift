import Pictures
import Platform

/// A cache of the rooms' pictures, because drawing one takes as long as thousands of requests.
package enum RoomImage {
  private struct Subject: Hashable {
    let name: String
    let isPortrait: Bool
  }

  /// The maximum number of cached pictures. Names come from users, so there may be any number of them.
  private static let capacity = 256
  private static let cache = Locked<[Subject: Representation]>([:])

  /// Returns true if the picture is in the cache.
  package static func isDrawn(name: String, isPortrait: Bool) -> Bool {
    cache.withLock { $0[Subject(name: name, isPortrait: isPortrait)] != nil }
  }

  package static func png(name: String, isPortrait: Bool) -> Representation {
    let subject = Subject(name: name, isPortrait: isPortrait)
    if let cached = cache.withLock({ $0[subject] }) { return cached }
    let picture = RoomPicture(name: name, orientation: isPortrait ? .portrait : .landscape)
    let image = Representation(picture.png(), .png)
    cache.withLock { pictures in
      if pictures.count >= capacity { pictures.removeAll() }
      pictures[subject] = image
    }
    return image
  }
}
