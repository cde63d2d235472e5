import Foundation
import LiveTesting
import Testing
// Imported as by an app, without internal declarations.
import UnderstudyClient

#if canImport(Observation)
  import Observation

  @MainActor @Observable
  final class InstallerScreen {
    private(set) var state = ModelState(content: DeviceList())
    let board: DeviceBoard

    init(_ client: BackendClient, directory: URL) { board = DeviceBoard(client, directory: directory) }

    /// To be called in a `task` of the view.
    func show() async {
      for await state in await board.updates() { self.state = state }
    }
  }
#endif

@Suite("The five screens of the documentation", .temporaryFiles)
struct ScreenExampleTests {
  private func installer(_ client: BackendClient, _ directory: URL) async throws {
    // Begin of the examples.
    let board = DeviceBoard(client, directory: directory)
    let following = Task { await board.follow() }
    try await board.record(Date(), for: "WWM-0001-12")
    for await state in await board.updates() {
      for device in state.devices { print(device.isInstalled ? "installed" : "-", device.id) }
      if case .resting(let date) = state.sync { print("The server is busy. Next attempt:", date) }
      if let failure = state.failure { print(failure.localizedDescription) }
      print("not synced:", state.pendingCount)
      if state.pending.isEmpty { break }
    }
    following.cancel()
    // End of the example.
    #expect(await board.state.pendingCount == 0)
  }

  private func callLog(_ client: BackendClient, _ directory: URL) async throws {
    let feed = ActivityFeed(client, directory: directory)
    try await feed.refresh()
    for call in await feed.state.inbox.map(\.activity) {
      print(call.isMissed ? "missed" : "", call.counterpart ?? "unknown", call.caption)
    }
    let detail = try await feed.detail(7_834)
    print(detail.value.seconds ?? 0, "seconds, as of", detail.date)
    for item in await feed.archiveAll() {
      print(item.activity.id, item.failure?.localizedDescription ?? "")
    }
    // End of the example.
    #expect(await feed.state.archive.count == 6)
  }

  private func house(_ client: BackendClient, _ directory: URL) async throws {
    let house = HouseController(client, directory: directory, weatherSource: .hot)
    try await house.refresh()
    try await house.followWeatherOnce()
    await house.turn(Fixture("TV", in: "Living Room"), on: true)
    await house.waitUntilSwitched()
    let state = await house.state
    print("outside:", state.temperature ?? .nan)
    for fixture in state.fixtures {
      print(fixture.room, fixture.name, state.content.isShownOn(fixture) ? "on" : "off")
      if let failure = state.failures[fixture] { print(failure.localizedDescription) }
    }
    // End of the example.
    #expect(state.fixtures.filter { state.content.isShownOn($0) }.map(\.name) == ["AC", "TV"])
  }

  private func users(_ client: BackendClient, _ directory: URL) async throws {
    let chooser = UserChooser(client, directory: directory)
    let state = try await chooser.choose(ownerID: "3")
    if let owner = state.owner { print("selected:", owner.id, owner.name) }
    for user in state.others { print(user.id, user.name, user.email, user.address.city, user.company.name) }
    client.fetchUsers(
      ownerID: "3", success: { list in print(list.users.count, "users") },
      failure: { error in print(error.localizedDescription) })
    // End of the example.
    #expect(state.others.map(\.id) == [10, 9, 8, 7, 6, 5, 4, 2, 1])
  }

  private func rooms(_ client: BackendClient, _ directory: URL) async throws {
    let board = RoomBoard(client, directory: directory)
    let state = try await board.refresh()
    for item in state.rooms { print(item.room.name, item.room.spots, item.availability) }
    do {
      let booking = try await board.book("Ljerka")
      print(booking.isExisting ? "You have already booked this room." : "Booked.")
    } catch let error as BookingError {
      print(error.localizedDescription, error.recoverySuggestion ?? "")
    }
    // End of the examples.
    #expect(await board.bookings().map(\.state) == [.booked])
  }

  @Test("run as they are shown")
  func run() async throws {
    let client = BackendClient(try await LiveSandbox().url)
    let directory = TemporaryFiles.newDirectory()
    for screen in [installer, callLog, house, users, rooms] { try await screen(client, directory) }
  }

  @Test("stand in the documentation as they are compiled here")
  func sameText() throws {
    func lines(_ path: String) throws -> [String] {
      try Repository.text(path).components(separatedBy: "\n")
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let own = try lines("Tests/UnderstudyClientTests/Live/ScreenExampleTests.swift").joined(separator: "\n")
    let blocks = try lines("Sources/UnderstudyClient/UnderstudyClient.docc/FiveScreens.md")
      .split(omittingEmptySubsequences: false) { $0.hasPrefix("```") }
      .enumerated().filter { $0.offset % 2 == 1 }.map { $0.element.joined(separator: "\n") }
    #expect(blocks.count == 6)
    for block in blocks { #expect(own.contains(block), "\(block)") }
  }

  @Test("the briefs' page names tests that exist")
  func briefs() throws {
    let tests = Repository.root.appending(path: "Tests/UnderstudyClientTests")
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    let sources = try (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    let page = Repository.root.appending(path: "Sources/UnderstudyClient/UnderstudyClient.docc/FiveBriefs.md")
    let rows = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
      .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| The brief") && !$0.hasPrefix("| The requirement") }
    #expect(rows.count > 30)
    for row in rows {
      let cells = row.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(cells.count == 5 && sources.contains("\"\(cells[3])\""), "\(row)")
    }
  }
}
