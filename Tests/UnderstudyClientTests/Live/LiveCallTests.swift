import Foundation
import JSON
import LiveTesting
import Testing
import UnderstudyTesting

@testable import UnderstudyClient

@Suite("Against the real server", .temporaryFiles)
struct LiveCallTests {
  @Test("devices are listed, read and written")
  func devices() async throws {
    let client = try await LiveSandbox().client(timeout: Patience.limit)
    let devices = try await client.devices.list()
    #expect(devices.map(\.id) == ["WWM-0001-12", "CWM-0012-62", "HEA-8127-29", "HEA-5513-39"])
    #expect(devices.first?.type == .warmWater && devices.first?.installationDate == nil)
    let date = SentDate(Date(timeIntervalSince1970: 1_688_570_014))
    try await client.devices.update("WWM-0001-12", with: DeviceChange(installationDate: .installed(date)))
    #expect(try await client.devices.get("WWM-0001-12").installationDate == date)
    await #expect {
      try await client.devices.update("WWM-0001-12", with: DeviceChange(meterPointDescription: ""))
    } throws: { error in
      guard case RequestError.rejected(let reason) = error else { return false }
      return reason.status == 400 && reason.pointers == ["/meterPointDescription"] && !reason.detail.isEmpty
    }
    await #expect {
      try await client.devices.update("none", with: DeviceChange(installationDate: .removed))
    } throws: { error in
      guard case RequestError.rejected(let reason) = error else { return false }
      return reason.status == 404 && reason.type == "urn:understudy:problem:unknown-device"
    }
  }

  @Test("calls are archived, unarchived and reset")
  func activities() async throws {
    let feed = try ActivityFeed(
      await LiveSandbox().client(timeout: Patience.limit), directory: TemporaryFiles.newDirectory())
    #expect(try await feed.refresh().items.count == 6)
    try await feed.setArchived(true, for: 7_834)
    try await feed.setArchived(true, for: 7_830)
    #expect(await feed.state.archive.map(\.id) == [7_834, 7_830])
    try await feed.setArchived(false, for: 7_834)
    #expect(try await feed.refresh().archive.map(\.id) == [7_830])
    #expect(try await feed.detail(7_830).value.to == nil)
    try await feed.reset()
    #expect(await feed.state.archive.isEmpty)
  }

  @Test("a picture that a fault cuts is not cached, and is requested again")
  func picture() async throws {
    let sandbox = try await LiveSandbox()
    try await sandbox.control(
      "PUT", "scenario",
      [
        "name": "cut",
        "rules": [
          ["match": ["path": "/image/*"], "when": ["first": 1], "effect": ["fault": "truncate", "at": "1/2"]]
        ],
      ])
    let board = RoomBoard(
      sandbox.client(timeout: Patience.limit, attempts: 1), directory: TemporaryFiles.newDirectory())
    let room = try #require(try await board.client.booking.rooms().value.first)
    await #expect(throws: RequestError.self) { try await board.picture(of: room) }
    let picture = try await board.picture(of: room)
    #expect(picture == (try await board.client.booking.image(of: room.name)))
    #expect(try await board.picture(of: room) == picture)
    let entries = try await sandbox.control("GET", "journal")["entries"]?.array ?? []
    #expect(entries.count { $0["path"]?.string?.hasPrefix("/image") == true } == 3)
  }

  @Test("fixtures are switched by the weather")
  func house() async throws {
    let sandbox = try await LiveSandbox()
    try await sandbox.control("PATCH", "state", ["house": ["temperature": 31]])
    let client = sandbox.client(timeout: Patience.limit)
    let house = HouseController(client, directory: TemporaryFiles.newDirectory())
    #expect(try await house.refresh().rooms.map(\.name) == ["Bedroom", "Living Room", "Kitchen"])
    #expect(try await house.followWeatherOnce() == .turnOn)
    await house.turn(Fixture("TV", in: "Living Room"), on: true)
    await house.waitUntilSwitched()
    #expect(await house.state.failures.isEmpty)
    let rooms = try await sandbox.control("GET", "state")["house"]?["rooms"]
    #expect(rooms?["Bedroom"]?["AC"] == true && rooms?["Living Room"]?["TV"] == true)
    #expect(try await client.house.coldWeather().value.temperature == 20)
    #expect(try await client.house.warmWeather().value.temperature == 30)
    #expect(try await client.house.hotWeather().value.temperature == 30)
    #expect(try await client.house.places(named: "hong").map(\.id) == [2_165_352])
    #expect(try await client.house.places(named: "london").isEmpty)
    #expect(try await client.house.places(nearLatitude: 22.27, longitude: 114.17).first?.distance == 1_679)
  }

  @Test("users are queried and written")
  func users() async throws {
    let client = try await LiveSandbox().client(timeout: Patience.limit)
    #expect(try await client.fetchUsers(ownerID: "3").map(\.id) == [10, 9, 8, 7, 6, 5, 4, 2, 1])
    var query = UserQuery()
    query.filters = [.init("username", equals: "Bret"), .init("username", equals: "Antonette")]
    query.sort = [.init("id", descending: true)]
    query.limit = 1
    let page = try await client.users.list(query)
    #expect(page.users.map(\.username) == ["Antonette"] && page.totalCount == 2)
    #expect(try await client.users.get(1).address.geo.lat == "-37.3159")
    #expect(try await client.users.create(UserDraft(name: "Ada")).id == 11)
    #expect(try await client.users.replace(2, with: UserDraft(name: "Ada")).fields.username == nil)
    #expect(try await client.users.update(2, with: UserDraft(name: "Ada")).fields.username == "Antonette")
    try await client.users.delete(2)
    let added = try await client.users.create(UserDraft(name: "Ada"))
    let changed = try await client.users.update(added.id, with: UserDraft(phone: "1"))
    #expect(changed.id == added.id && changed.fields == UserDraft(phone: "1"))
    try await client.users.delete(added.id)
    await #expect(throws: RequestError.rejected(Rejection(status: 404, isJSON: true))) {
      try await client.users.replace(added.id, with: UserDraft(name: "Ada"))
    }
    await #expect(throws: RequestError.rejected(Rejection(status: 404, isJSON: true))) {
      try await client.users.get(99)
    }
    #expect(try await client.users.list().users.count == 10)
  }

  @Test("rooms are listed and booked, and their pictures are loaded")
  func booking() async throws {
    let client = try await LiveSandbox().client(timeout: Patience.limit)
    let board = RoomBoard(client, directory: TemporaryFiles.newDirectory())
    let rooms = try await board.refresh().rooms.map(\.room)
    #expect(rooms.first?.name == "Helmold" && rooms.last?.name == "Alexis")
    #expect(try await client.booking.rooms().source == .revalidated)
    #expect(try await client.booking.rooms(maximumAge: .seconds(60)).source == .cache)
    #expect(try await board.book("Mostafa", for: "ada").state == .booked)
    #expect(try await client.booking.rooms().value.first { $0.name == "Mostafa" }?.spots == 3)
    let picture = try await client.booking.image(of: "Ljerka")
    let room = try #require(rooms.first { $0.name == "Ljerka" })
    #expect(picture.count > 500)
    #expect(try await board.picture(of: room) == picture)
    await #expect(throws: BookingError.full) { _ = try await board.book("Alexis", for: "ada") }
    #expect(rooms.first?.thumbnail.path.hasSuffix("/image/Helmold") == true)
  }

  @Test("a request to a closed port or an unknown host is reported as not sent")
  func notSent() async throws {
    let shut = try BoundListener(isOpen: false)
    for address in ["http://127.0.0.1:\(shut.port)", "http://no-such-host.invalid"] {
      var configuration = BackendClient.Configuration(Endpoints(try url(address)))
      configuration.policy.maximumAttempts = 1
      let client = BackendClient(configuration)
      await #expect("\(address)") {
        try await client.booking.book("Ljerka", key: "k")
      } throws: { error in
        guard case RequestError.notSent(.unreachable) = error else { return false }
        return true
      }
    }
    withExtendedLifetime(shut) {}
  }

  @Test(
    "after a transport fault a write's outcome is unknown and a read is unanswered",
    arguments: [
      "reset", "reset-bare", "empty", "truncate", "bad-chunk", "garbage", "corrupt", "captive-portal", "hang",
    ])
  func faults(_ fault: String) async throws {
    let sandbox = try await LiveSandbox()
    try await sandbox.control(
      "PUT", "scenario",
      ["name": "x", "rules": [["effect": ["fault": .string(fault)]]]])
    // Only a hang has to wait for the timeout; other faults end the request at once.
    let client = sandbox.client(timeout: fault == "hang" ? .milliseconds(500) : Patience.limit, attempts: 1)
    await #expect {
      _ = try await client.booking.rooms()
    } throws: { error in
      guard case RequestError.unanswered = error else { return false }
      return true
    }
    await #expect {
      try await client.booking.book("Ljerka", key: "k")
    } throws: { error in
      guard case RequestError.unknown = error else { return false }
      return true
    }
  }

  @Test("cancelling a call ends it at once")
  func cancelling() async throws {
    let sandbox = try await LiveSandbox()
    try await sandbox.control("PUT", "scenario", ["name": "x", "rules": [["effect": ["fault": "hang"]]]])
    let client = sandbox.client(timeout: Patience.limit, attempts: 1)
    let task = Task { try await client.devices.list() }
    _ = try await sandbox.backend.next(.get, "/devices", until: .received, within: Patience.limit)
    task.cancel()
    // A call that waited for its timeout would throw another error.
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
