import Foundation
import JSON
import LiveTesting

@testable import UnderstudyClient

/// An app, with the model that it is built on.
enum App: String, CaseIterable, Sendable {
  case devices, activities, house, users, rooms
}

/// The concurrent use of some or all of the five APIs by one client in one sandbox, like that of its users.
///
/// Each user does one thing after the other with pauses in between. If a call fails, its user checks again later, and
/// gives up after an hour.
struct ClientDay: Sendable {
  /// The installation dates that are recorded for every device, in this order; the last one counts.
  static let dates = (0..<3).map { Date(timeIntervalSince1970: 1_688_000_000 + Double($0) * 86_400) }
  static let devices = ["WWM-0001-12", "CWM-0012-62", "HEA-8127-29", "HEA-5513-39"]
  static let archived = 7_830
  /// The users who book on one device, and the number of their bookings, one after the other.
  static let users = [("ada", 2), ("bob", 1), ("eve", 1)]
  static let room = "Helmold"
  /// The fixtures to switch, in this order.
  static let wishes = [
    ("Light1", "Bedroom", true), ("TV", "Living Room", true), ("Light1", "Bedroom", false),
    ("Light1", "Bedroom", true), ("Light1", "Bedroom", false),
  ]

  /// Returns the final state of a fixture: the last requested one, or for air conditioners that of the weather.
  static func isOn(_ name: String, in room: String) -> Bool {
    name == "AC" || wishes.last { $0.0 == name && $0.1 == room }?.2 == true
  }

  let apps: Set<App>
  let client: BackendClient
  let time: SandboxTime
  private let random: SharedRandom

  struct NoEnd: Error, CustomStringConvertible {
    let description: String
  }

  init(_ sandbox: LiveSandbox, _ apps: Set<App>, timeout: Duration, random: SharedRandom) {
    self.apps = apps
    self.random = random
    time = SandboxTime(sandbox)
    var configuration = BackendClient.Configuration(Endpoints(sandbox.url))
    configuration.policy.timeoutPerTry = timeout
    configuration.clock = time.clock
    configuration.transport = time.transport()
    configuration.random = random.fraction
    client = BackendClient(configuration)
  }

  /// - Returns: The number of bookings that the client considers made.
  func live() async throws -> Int {
    async let installing: Void? = use(.devices, install)
    async let archiving: Void? = use(.activities, archive)
    async let switching: Void? = use(.house, switchFixtures)
    async let asking: Void? = use(.users, askUsers)
    async let booking = use(.rooms, book)
    _ = try await (installing, archiving, switching, asking)
    return try await booking ?? 0
  }

  private func use<Value: Sendable>(_ app: App, _ day: @Sendable () async throws -> Value) async throws -> Value? {
    apps.contains(app) ? try await day() : nil
  }

  /// Repeats an action until it succeeds.
  private func persist(_ what: String, _ isDone: () async throws -> Bool) async throws {
    var last = "not done"
    for _ in 0..<240 {
      do {
        if try await isDone() { return }
      } catch let error as RequestError {
        last = "\(error)"
      }
      await letTimePass()
    }
    throw NoEnd(description: "\(what) never came to an end: \(last)")
  }

  /// The pauses are random: a steady interval would look like polling.
  private func letTimePass() async { await time.sleep(.seconds(random.integer(in: 11...19))) }

  private func install() async throws {
    let board = DeviceBoard(client, directory: TemporaryFiles.newDirectory())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for date in Self.dates {
        for id in Self.devices {
          try await board.record(date, for: id)
          // The next record does not wait for the sync, which may include it.
          group.addTask { await board.syncNow() }
          await letTimePass()
        }
      }
      try await group.waitForAll()
    }
    try await persist("the outbox") { await board.syncNow().isEmpty }
    guard await board.state.rejected.isEmpty else { throw NoEnd(description: "an installation was rejected") }
    try await persist("the devices") {
      let devices = try await board.refresh().devices
      return devices.map(\.id) == Self.devices && devices.allSatisfy { $0.installationDate?.date == Self.dates.last }
    }
  }

  private func archive() async throws {
    let feed = ActivityFeed(client, directory: TemporaryFiles.newDirectory())
    try await persist("the call log") { try await feed.refresh().items.count == 6 }
    for (isArchived, id) in [(true, 7_834), (true, Self.archived), (false, 7_834), (true, 7_834), (false, 7_834)] {
      try await persist("archiving") { try await feed.setArchived(isArchived, for: id).isArchived == isArchived }
      await letTimePass()
    }
    try await persist("the archive") { try await feed.refresh().archive.map(\.id) == [Self.archived] }
  }

  private func switchFixtures() async throws {
    let house = HouseController(client, directory: TemporaryFiles.newDirectory())
    try await persist("the rooms") { try await house.refresh().rooms.count == 3 }
    for (name, room, isOn) in Self.wishes {
      try await turn(Fixture(name, in: room), on: isOn, house)
      await letTimePass()
    }
    for _ in 0..<2 {
      try await persist("the weather") { try await house.followWeatherOnce() == .turnOn }
      await house.waitUntilSwitched()
      let conditioner = Fixture("AC", in: "Bedroom")
      if await house.state.isOn[conditioner] != true {
        await letTimePass()
        try await turn(conditioner, on: true, house)
      }
      await time.sleep(WeatherRequest.interval)
    }
  }

  private func turn(_ fixture: Fixture, on isOn: Bool, _ house: HouseController) async throws {
    try await persist("switching") {
      await house.turn(fixture, on: isOn)
      await house.waitUntilSwitched()
      return await house.state.isOn[fixture] == isOn
    }
  }

  private func askUsers() async throws {
    let chooser = UserChooser(client, directory: TemporaryFiles.newDirectory())
    try await persist("the users") {
      try await chooser.choose(ownerID: "3").users.map(\.id) == [3, 10, 9, 8, 7, 6, 5, 4, 2, 1]
    }
    // Without a pause this exceeds the rate limits of some scenarios.
    for id in Array(1...10) + Array(1...10) {
      try await persist("each user") { try await client.users.get(id).id == id }
    }
    await letTimePass()
    try await persist("a user") { try await client.users.get(1).username == "Bret" }
    try await persist("a new user") { try await client.users.create(UserDraft(name: "Ada")).id == 11 }
    await letTimePass()
    try await persist("a user's change") {
      try await client.users.update(2, with: UserDraft(name: "Ada")).fields.name == "Ada"
    }
    await letTimePass()
    try await persist("a user's end") {
      try await client.users.delete(2)
      return true
    }
  }

  private func book() async throws -> Int {
    let board = RoomBoard(client, directory: TemporaryFiles.newDirectory())
    for (user, count) in Self.users {
      for _ in 0..<count {
        let intention = BookingIntention(room: Self.room, user: user)
        try await persist("a booking") { try await book(intention, board) }
        await letTimePass()
      }
    }
    var booked = 0
    for (user, _) in Self.users { booked += await board.bookings(of: user).count { $0.state == .booked } }
    return booked
  }

  /// Books by two taps, or settles the booking of unknown outcome.
  private func book(_ intention: BookingIntention, _ board: RoomBoard) async throws -> Bool {
    do {
      return try await board.bookByTwoTaps(intention).state == .booked
    } catch BookingError.request(let error) {
      throw error
    }
  }
}
