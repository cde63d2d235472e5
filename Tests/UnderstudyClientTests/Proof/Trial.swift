import Foundation
import JSON
import LiveTesting
import UnderstudyTesting

@testable import UnderstudyClient

/// A client's day in its own sandbox, and the errors found afterwards.
struct Trial: Sendable {
  let scenario: String
  let seed: Int
  var apps = Set(App.allCases)
  /// The duration of the scenario in real time, unless the day ends earlier. Then the scenario is calm, and the client
  /// finishes.
  let storm: Duration

  struct Outcome: Sendable {
    var complaints: [String] = []
    var warnings: [String] = []
    var exchanges = 0
    var figures = SandboxTime.Figures()
    /// The number of changes that the client considers done and the server does not have.
    var lost = 0
    /// The number of changes that the server applied more often than requested.
    var doubled = 0
    var fails = 0
    /// True if the day ended before the scenario.
    var isWithinStorm = false
  }

  /// The scenario and the seed, and the app if it is one.
  var name: String {
    let app = apps.count == 1 ? apps.first.map { "\($0.rawValue), " } : nil
    return "\(app ?? "")\(scenario), seed \(seed)"
  }

  /// Longer than planned delays, and short enough that a hang does not delay the test.
  private var timeout: Duration { scenario == "cold-start" ? .seconds(6) : .seconds(4) }

  func run() async throws -> Outcome {
    let sandbox = try await LiveSandbox(scenario, seed: seed)
    try await sandbox.control("PATCH", "state", ["house": ["temperature": 31]])
    let day = ClientDay(sandbox, apps, timeout: timeout, random: SharedRandom(ofRun: UInt64(seed)))
    var outcome = Outcome()
    var bookings = 0
    let weather = Task {
      try await Task.sleep(for: storm)
      try await sandbox.control("PUT", "scenario", "calm")
    }
    do {
      bookings = try await day.live()
    } catch {
      outcome.complaints.append("\(error)")
      outcome.lost += 1
    }
    weather.cancel()
    if case .failure = await weather.result { outcome.isWithinStorm = true }
    try await sandbox.waitForLateWrites()
    // A client that has not checked a lost write by then has forgotten it.
    await sandbox.advance(by: .seconds(31))
    outcome.figures = day.time.figures
    try await compare(sandbox, bookings, &outcome)
    try await judge(sandbox, &outcome)
    if outcome.complaints.isEmpty { try await sandbox.delete() }
    return outcome
  }

  /// Compares the server's state with the one that the client expects, and records the differences.
  private func compare(_ sandbox: LiveSandbox, _ bookings: Int, _ outcome: inout Outcome) async throws {
    let state = try await sandbox.control("GET", "state")
    func demand(_ isSo: Bool, _ complaint: String) {
      guard !isSo else { return }
      outcome.complaints.append(complaint)
      outcome.lost += 1
    }
    for app in App.allCases where apps.contains(app) {
      switch app {
      case .devices: compareDevices(state, demand)
      case .activities:
        for activity in state["activities"]?.array ?? [] {
          let (id, isArchived) = (activity["id"]?.int ?? 0, activity["is_archived"]?.bool)
          demand(isArchived == (id == ClientDay.archived), "the call \(id) is wrong")
        }
      case .house:
        for room in state["house"]?["rooms"]?.object?.members ?? [] {
          for fixture in room.value.object?.members ?? [] {
            let isOn = ClientDay.isOn(fixture.name, in: room.name)
            demand(fixture.value.bool == isOn, "\(fixture.name) in \(room.name) is wrong")
          }
        }
      // The service accepts writes to users and keeps none of them.
      case .users: break
      case .rooms: outcome.doubled += try await compareRooms(sandbox, state, bookings, demand)
      }
    }
  }

  private func compareDevices(_ state: JSONValue, _ demand: (Bool, String) -> Void) {
    let devices = state["devices"]?.array ?? []
    demand(devices.compactMap { $0["id"]?.string } == ClientDay.devices, "other devices")
    for id in ClientDay.devices {
      let text = devices.first { $0["id"]?.string == id }?["installationDate"]?.string
      demand(text.flatMap { SentDate(text: $0).date } == ClientDay.dates.last, "\(id) is installed \(text ?? "never")")
    }
  }

  /// Returns the number of bookings that the server applied and the client does not know of.
  private func compareRooms(
    _ sandbox: LiveSandbox, _ state: JSONValue, _ bookings: Int, _ demand: (Bool, String) -> Void
  ) async throws -> Int {
    let asked = ClientDay.users.reduce(0) { $0 + $1.1 }
    demand(bookings == asked, "\(bookings) bookings, \(asked) asked for")
    let taken = try await sandbox.writes().count { $0.path.hasSuffix("/bookRoom.json") && $0.isApplied }
    demand(taken == bookings, "\(bookings) bookings, \(taken) made")
    if !["rush-hour", "mayhem"].contains(scenario) {
      let spots = state["booking"]?["rooms"]?.array?.first { $0["name"]?.string == ClientDay.room }?["spots"]?.int
      demand(spots == 86 - asked, "\(spots ?? -1) spots are left")
    }
    return max(0, taken - bookings)
  }

  private func judge(_ sandbox: LiveSandbox, _ outcome: inout Outcome) async throws {
    let card = try await sandbox.control("GET", "report?format=json")
    outcome.exchanges = card["exchanges"]?.int ?? 0
    for check in card["checks"]?.array ?? [] {
      let (id, verdict) = (check["id"]?.string ?? "", check["verdict"]?.string)
      if verdict == "warn" { outcome.warnings.append(id) }
      guard verdict == "fail" else { continue }
      outcome.fails += 1
      outcome.complaints.append("\(id): \(check["sentence"]?.string ?? "") \(check["evidence"]?.text ?? "")")
    }
    if outcome.exchanges == 0 { outcome.complaints.append("there is no card") }
    if !outcome.complaints.isEmpty, let index = ProcessInfo.processInfo.environment["UNDERSTUDY_PROOF_JOURNALS"] {
      let journal = try await sandbox.control("GET", "journal")
      let file = URL(fileURLWithPath: index).appendingPathComponent("\(name).json")
      try Data(journal.bytes(.indented)).write(to: file)
    }
  }
}
