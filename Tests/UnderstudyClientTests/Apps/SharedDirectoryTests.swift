import Foundation
import LiveTesting
import Testing
import Understudy
import UnderstudyInMemory

@testable import UnderstudyClient

@Suite("Several models on one directory", .live, .temporaryFiles)
struct SharedDirectoryTests {
  private static let monday = DeviceOutboxTests.monday
  private static let tuesday = monday.addingTimeInterval(86_400)
  private static func call(_ isArchived: Bool) -> String {
    """
    {"id":1,"created_at":"2018-04-19T09:38:41.000Z","direction":"inbound","from":"Pierre","to":"Xavier","via":"Via",
     "duration":"120","is_archived":\(isArchived),"call_type":"missed"}
    """
  }
  private static let rooms = #"{"rooms":[{"name":"Ljerka","spots":43,"thumbnail":"http://x/image"}]}"#

  @Test("no acknowledged record is lost, however many boards record at the same time")
  func records() async throws {
    let directory = TemporaryFiles.newDirectory()
    let client = try BackendClient.scripted(ScriptedTransport(.offline))
    await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let board = DeviceBoard(client, directory: directory)
          for record in 0..<10 { try await board.record(Self.monday, for: "D\(number)-\(record)") }
        }
      }
    }
    #expect(await DeviceBoard(client, directory: directory).state.pendingCount == 80)
  }

  @Test("a record that could not be read at first is sent with the next sync")
  func readLater() async throws {
    let (store, server) = (MemoryFileStore(), DeviceServer(["A"]))
    let client = try BackendClient.scripted(ScriptedTransport(.offline))
    try await DeviceBoard(client, .memory(store)).record(Self.monday, for: "A")
    let board = DeviceBoard(try .scripted(server), .memory(MemoryFileStore(files: store.files, failingReads: 2)))
    let state = await board.state
    #expect(state.pendingCount == 0 && state.storageError != nil)
    #expect(await board.syncNow().isEmpty)
    #expect(await server.dates["A"] != .some(nil))
  }

  @Test("of a directory that was deleted, nothing is left in memory for new models")
  func deletedDirectory() async throws {
    let store = MemoryFileStore()
    let client = try BackendClient.scripted(ScriptedTransport(.offline))
    let board = DeviceBoard(client, .memory(store))
    try await board.record(Self.monday, for: "A")
    for path in store.files.keys { try store.remove(path) }
    #expect(await DeviceBoard(client, .memory(store)).state.pendingCount == 0)
    #expect(await succeeds { await board.state.pendingCount == 0 })
  }

  @Test("one intention that two windows carry out at the same time is one booking")
  func oneIntention() async throws {
    let (store, gate) = (MemoryFileStore(), Gate())
    // Both windows see the free spot before either books it.
    let transport = ScriptedTransport { request, number in
      if number == 2 { await gate.open() }
      await gate.pass()
      return .response(200, request.method == "GET" ? Self.rooms : #"{"success":true}"#)
    }
    let boards = try (1...2).map { _ in RoomBoard(try .scripted(transport), .memory(store)) }
    let intention = BookingIntention(room: "Ljerka", id: "one")
    let taps = boards.map { board in Task { try await board.book(intention) } }
    for tap in taps { #expect(try await tap.value.state == .booked) }
    #expect(await boards[0].bookings().map(\.id) == ["one"])
  }

  @Test("models find each other by the path without links, also before the directory exists")
  func links() async throws {
    let directory = TemporaryFiles.newDirectory()
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let link = TemporaryFiles.newDirectory()
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory)
    let client = try BackendClient.scripted(ScriptedTransport(.offline))
    let boards = [link, directory].map { DeviceBoard(client, directory: $0.appendingPathComponent("new/models")) }
    for (id, board) in zip(["A", "B"], boards) { try await board.record(Self.monday, for: id) }
    for board in boards { #expect(await succeeds { await board.state.pendingCount == 2 }) }
  }

  @Test("a second window shows what the first one records, chooses and refreshes")
  func secondWindow() async throws {
    let store = MemoryFileStore()
    let client = try BackendClient.scripted(ScriptedTransport(.offline))
    let (first, second) = (DeviceBoard(client, .memory(store)), DeviceBoard(client, .memory(store)))
    let updates = await second.updates()
    try await first.record(Self.monday, for: "A")
    #expect(try await withinPatience { await updates.contains { $0.pendingCount == 1 } })
    let (chooser, other) = (UserChooser(client, .memory(store)), UserChooser(client, .memory(store)))
    let choices = await other.updates()
    _ = try? await chooser.choose(ownerID: "3")
    #expect(try await withinPatience { await choices.contains { $0.ownerID == "3" } })
    let board = RoomBoard(try .scripted(ScriptedTransport(.response(200, Self.rooms))), .memory(store))
    let otherBoard = RoomBoard(client, .memory(store))
    let rooms = await otherBoard.updates()
    _ = try await board.refresh()
    #expect(try await withinPatience { await rooms.contains { $0.rooms.map(\.id) == ["Ljerka"] } })
    let feed = ActivityFeed(try .scripted(ScriptedTransport(.response(200, "[\(Self.call(true))]"))), .memory(store))
    let otherFeed = ActivityFeed(client, .memory(store))
    let activities = await otherFeed.updates()
    _ = try await feed.refresh()
    #expect(try await withinPatience { await activities.contains { $0.archive.map(\.id) == [1] } })
  }

  @Test("a window whose states are not listened to shows the change of another one")
  func withoutListener() async throws {
    let store = MemoryFileStore()
    let client = try BackendClient.scripted(ScriptedTransport(.offline))
    let (first, second) = (DeviceBoard(client, .memory(store)), DeviceBoard(client, .memory(store)))
    #expect(await second.state.pendingCount == 0)
    try await first.record(Self.monday, for: "A")
    #expect(await succeeds { await second.state.pendingCount == 1 })
    let (chooser, other) = (UserChooser(client, .memory(store)), UserChooser(client, .memory(store)))
    #expect(await other.state.ownerID == nil)
    _ = try? await chooser.choose(ownerID: "3")
    #expect(await succeeds { await other.state.ownerID == "3" })
  }

  @Test("a followed board sends what another one has recorded")
  func recordedElsewhere() async throws {
    let (store, server, clock) = (MemoryFileStore(), DeviceServer(["A"]), VirtualClock(advancesBySleeping: false))
    let followed = DeviceBoard(try .scripted(server) { $0.clock = ClientClock(clock) }, .memory(store))
    let following = Task { await followed.follow() }
    await clock.waitForSleepers()
    try await DeviceBoard(.scripted(server), .memory(store)).record(Self.monday, for: "A")
    #expect(await succeeds { await server.dates["A"] != .some(nil) })
    following.cancel()
    await following.value
  }

  @Test("a change that another window confirmed survives an older list")
  func olderList() async throws {
    let (old, new) = ("[\(Self.call(false))]", "[\(Self.call(true))]")
    let (store, gate, arrived) = (MemoryFileStore(), Gate(), Gate())
    let slow = ScriptedTransport { _, number in
      if number == 2 {
        await arrived.open()
        await gate.pass()
      }
      return .response(200, number <= 2 ? old : new)
    }
    let first = ActivityFeed(try .scripted(slow), .memory(store))
    let second = ActivityFeed(try .scripted(ScriptedTransport(.response(200, Self.call(true)))), .memory(store))
    try await first.refresh()
    let refresh = Task { try await first.refresh() }
    await arrived.pass()
    try await second.setArchived(true, for: 1)
    await gate.open()
    #expect(try await refresh.value.archive.map(\.id) == [1])
    #expect(await ActivityFeed(try .scripted(slow), .memory(store)).state.archive.map(\.id) == [1])
  }

  /// Answers the first request when the gate opens, with the older of two texts.
  private static func slow(_ older: String, _ newer: String, _ arrived: Gate, _ gate: Gate) -> ScriptedTransport {
    ScriptedTransport { _, number in
      if number == 1 {
        await arrived.open()
        await gate.pass()
      }
      return .response(200, number == 1 ? older : newer)
    }
  }

  @Test("the list of rooms that another window requested later survives an older one")
  func olderRooms() async throws {
    let newer = Self.rooms.replacing("43", with: "42")
    let (store, gate, arrived) = (MemoryFileStore(), Gate(), Gate())
    let first = RoomBoard(try .scripted(Self.slow(Self.rooms, newer, arrived, gate)), .memory(store))
    let second = RoomBoard(try .scripted(ScriptedTransport(.response(200, newer))), .memory(store))
    let refresh = Task { try await first.refresh() }
    await arrived.pass()
    try await second.refresh()
    await gate.open()
    #expect(try await refresh.value.rooms.map(\.room.spots) == [42])
    #expect(await RoomBoard(try .scripted(ScriptedTransport(.offline)), .memory(store)).state.rooms[0].room.spots == 42)
  }

  @Test("the list of devices that another window requested later survives an older one")
  func olderDevices() async throws {
    func devices(_ date: String) -> String {
      #"[{"id":"A","type":"heating","meterPointDescription":"Hall","installationDate":\#(date)}]"#
    }
    let (older, newer) = (devices("null"), devices(#""2023-07-05T15:13:34Z""#))
    let (store, gate, arrived) = (MemoryFileStore(), Gate(), Gate())
    let first = DeviceBoard(try .scripted(Self.slow(older, newer, arrived, gate)), .memory(store))
    let second = DeviceBoard(try .scripted(ScriptedTransport(.response(200, newer))), .memory(store))
    let refresh = Task { try await first.refresh() }
    await arrived.pass()
    try await second.refresh()
    await gate.open()
    #expect(try await refresh.value.devices.map(\.isInstalled) == [true])
    let third = DeviceBoard(try .scripted(ScriptedTransport(.offline)), .memory(store))
    #expect(await third.state.devices.map(\.isInstalled) == [true])
  }

  @Test(
    "a change that another board has delivered or lost to a refusal is reported as such", arguments: [false, true])
  func deliveredElsewhere(isRefused: Bool) async throws {
    let (store, gate, arrived) = (MemoryFileStore(), Gate(), Gate())
    let server = DeviceServer(["A"]) { _, _ in isRefused ? .status(400) : .none }
    func outbox(_ transport: any Transport) throws -> DeviceOutbox {
      DeviceOutbox(try .scripted(transport), path: "/d/outbox", parallelism: 1, store: store)
    }
    let first = try outbox(ScriptedTransport(to: server, after: gate, arrived: arrived))
    let second = try outbox(server)
    try await first.record(Self.monday, for: "A")
    let events = await first.sync()
    await arrived.pass()
    #expect(await second.syncToTheEnd().isEmpty)
    await gate.open()
    var outcomes: [SyncOutcome] = []
    for await event in events { if case .finished(_, let outcome, _, _) = event { outcomes.append(outcome) } }
    #expect(outcomes == [isRefused ? .rejected(Rejection(status: 400, isJSON: true)) : .confirmed])
  }

  @Test("a choice survives the list that another model requested before it")
  func choice() async throws {
    let (store, gate, arrived) = (MemoryFileStore(), Gate(), Gate())
    let client = try BackendClient.scripted(
      ScriptedTransport { _, _ in
        await arrived.open()
        await gate.pass()
        return UserChooserTests.three
      })
    let (first, second) = (UserChooser(client, .memory(store)), UserChooser(client, .memory(store)))
    let refresh = Task { try await first.refresh() }
    await arrived.pass()
    let choice = Task { try await second.choose(ownerID: "2") }
    #expect(await succeeds { await second.state.ownerID != nil })
    await gate.open()
    _ = try await (refresh.value, choice.value)
    #expect(await UserChooser(client, .memory(store)).state.owner?.id == 2)
  }

  @Test("a tap in each of two windows is one booking")
  func oneBooking() async throws {
    let store = MemoryFileStore()
    let transport = ScriptedTransport { request, _ in
      request.method == "GET" ? .response(200, Self.rooms) : .response(200, #"{"success":true}"#)
    }
    let client = try BackendClient.scripted(transport)
    let boards = (0..<4).map { _ in RoomBoard(client, .memory(store)) }
    let booked = try await withThrowingTaskGroup(of: RoomBooking.self) { group in
      for board in boards { group.addTask { try await board.book("Ljerka") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(booked.map(\.id)).count == 1)
    let keys = await transport.requests.compactMap { $0.headers["Idempotency-Key"] }
    #expect(Set(keys).count == 1)
    #expect(try await boards[0].book("Ljerka").isExisting)
  }

  @Test("a change that another board has replaced is not sent")
  func superseded() async throws {
    let (store, server, gate, arrived) = (MemoryFileStore(), DeviceServer(["A"]), Gate(), Gate())
    let transport = ScriptedTransport(to: server, after: gate, arrived: arrived)
    let first = DeviceBoard(try .scripted(transport), .memory(store))
    let second = DeviceBoard(try .scripted(server), .memory(store))
    try await first.record(Self.monday, for: "A")
    let sync = Task { await first.syncNow() }
    await arrived.pass()
    try await second.record(Self.tuesday, for: "A")
    #expect(await second.syncNow().isEmpty)
    await gate.open()
    #expect(await sync.value.isEmpty)
    #expect(await server.writes.count == 1)
    #expect(await server.dates == ["A": SentDate(Self.tuesday).text])
  }

  @Test("two controllers request the weather once a minute together")
  func weather() async throws {
    let (store, clock) = (MemoryFileStore(), TestClock())
    let transport = ScriptedTransport(.response(200, WeatherText.report(30)))
    let controllers = try (0..<2).map { _ in HouseController(try .scripted(transport, clock), .memory(store)) }
    try await controllers[0].followWeatherOnce()
    await #expect(throws: RequestError.self) { try await controllers[1].followWeatherOnce() }
    #expect(await transport.requests.count == 1)
  }

  @Test("controllers that ask at the same time, each with its own client, request the weather once")
  func weatherAtOnce() async throws {
    let (store, clock) = (MemoryFileStore(), TestClock())
    let transport = ScriptedTransport(.response(200, WeatherText.report(30)))
    await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          let controller = HouseController(try .scripted(transport, clock), .memory(store))
          _ = try? await controller.followWeatherOnce()
        }
      }
    }
    #expect(await transport.requests.count == 1)
  }
}
