import Foundation
import LiveTesting
import Testing
import UnderstudyClient
import UnderstudyTesting

/// Each of the five apps, as a person uses it who taps again when something did not work.
@Suite("An app", .live, .temporaryFiles)
struct ExploredAppsTests {
  enum App: String, CaseIterable, Sendable {
    case devices, calls, house, users, rooms
  }

  @Test("succeeds and does no harm, whichever of its requests fails, and however", arguments: App.allCases)
  func explored(_ app: App) async throws {
    try await exploreFaults { backend in
      let directory = TemporaryFiles.newDirectory()
      let client = Self.client(of: backend)
      switch app {
      case .devices: try await installs(DeviceBoard(client, directory: directory))
      case .calls: try await archives(ActivityFeed(client, directory: directory))
      case .house: try await switches(HouseController(client, directory: directory))
      case .users: try await chooses(UserChooser(client, directory: directory))
      case .rooms: try await books(RoomBoard(client, directory: directory))
      }
    }
  }

  /// A client that waits as an app does. Its runs differ in nothing but the fault.
  private static func client(of backend: Backend) -> BackendClient {
    var configuration = BackendClient.Configuration(Endpoints(backend.url))
    configuration.policy.timeoutPerTry = .seconds(5)
    configuration.random = { 0.5 }
    return BackendClient(configuration)
  }

  /// Does something at most three times, until it succeeds.
  private func tapping<Result>(_ body: () async throws -> Result) async throws -> Result {
    for _ in 1...2 {
      if let result = try? await body() { return result }
    }
    return try await body()
  }

  private func installs(_ board: DeviceBoard) async throws {
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    _ = try await tapping { try await board.refresh() }
    try await board.record(date, for: "WWM-0001-12")
    for _ in 1...3 {
      if await board.syncNow().isEmpty { break }
    }
    let shown = try await tapping { try await board.refresh() }
    #expect(shown.pending.isEmpty && shown.rejected.isEmpty)
    #expect(shown.devices.first { $0.id == "WWM-0001-12" }?.device?.installationDate != nil)
  }

  private func archives(_ feed: ActivityFeed) async throws {
    _ = try await tapping { try await feed.refresh() }
    let archived = try await tapping { try await feed.setArchived(true, for: 7_834) }
    #expect(archived.isArchived)
    let shown = try await tapping { try await feed.refresh() }
    #expect(!shown.inbox.contains { $0.id == 7_834 })
  }

  private func switches(_ house: HouseController) async throws {
    let television = Fixture("TV", in: "Living Room")
    _ = try await tapping { try await house.refresh() }
    for _ in 1...3 {
      await house.turn(television, on: true)
      await house.waitUntilSwitched()
      if await house.state.failures[television] == nil { break }
    }
    // The weather may be requested once a minute: until then a failure is shown, and no tap helps.
    _ = try? await house.followWeatherOnce()
    let shown = try await tapping { try await house.refresh() }
    #expect(shown.content.isShownOn(television))
    #expect((shown.temperature == nil) == (shown.weatherFailure != nil))
  }

  private func chooses(_ chooser: UserChooser) async throws {
    _ = try await tapping { try await chooser.choose(ownerID: "1") }
    let shown = try await tapping { try await chooser.refresh() }
    #expect(shown.ownerID == "1")
  }

  private func books(_ board: RoomBoard) async throws {
    _ = try await tapping { try await board.refresh() }
    let booking = try await tapping { try await board.book("Ljerka") }
    #expect(booking.state == .booked)
    _ = try await tapping { try await board.refresh() }
    #expect(await board.bookings().count == 1)
  }
}
