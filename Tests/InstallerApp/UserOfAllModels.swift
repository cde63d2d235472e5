import Foundation
import UnderstudyClient

/// Uses all five models concurrently and endlessly, and prints each action before and after it.
struct UserOfAllModels {
  let client: BackendClient
  let directory: URL

  /// - Parameter first: The number of the first round. Every record and every booking carries its round's number.
  func work(from first: Int) async throws -> Never {
    let devices = DeviceBoard(client, directory: directory)
    let rooms = RoomBoard(client, directory: directory)
    let feed = ActivityFeed(client, directory: directory)
    let house = HouseController(client, directory: directory)
    let chooser = UserChooser(client, directory: directory)
    let damagedFiles =
      await devices.damagedFiles + rooms.damagedFiles
      + [feed.damagedFile, house.damagedFile, chooser.damagedFile].compactMap(\.self)
    InstallerApp.say(damagedFiles.first.map { "damaged \($0.path)" } ?? "opened")
    Task { await devices.follow() }
    Task { while true { _ = try? await feed.refresh() } }
    Task { while true { _ = try? await house.refresh() } }
    var round = first
    while true {
      InstallerApp.say("recording \(round)")
      try await devices.record(Date(timeIntervalSince1970: Double(round)), for: "WWM-0001-12")
      InstallerApp.say("recorded \(round)")
      if (try? await rooms.book(BookingIntention(room: "Ljerka", user: "ada", id: "K-\(round)"))) != nil {
        InstallerApp.say("booked \(round)")
      }
      _ = try? await feed.setArchived(round % 2 == 0, for: 7_834)
      await house.turn(Fixture("TV", in: "Living Room"), on: round % 2 == 0)
      _ = try? await chooser.choose(ownerID: "\(round % 10 + 1)")
      round += 1
    }
  }
}
