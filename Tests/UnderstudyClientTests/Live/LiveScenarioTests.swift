import Foundation
import JSON
import LiveTesting
import Testing
import UnderstudyTesting

@testable import UnderstudyClient

@Suite("Under every scenario", .temporaryFiles)
struct LiveScenarioTests {
  static let scenarios = [
    "calm", "original", "basement", "elevator", "train", "hotel-wifi", "edge", "3g", "lost-ack", "overload",
    "rate-limited", "weather-limit", "cold-start", "rush-hour", "schema-drift", "mayhem",
  ]

  struct Case: Sendable, CustomTestStringConvertible {
    let scenario: String
    let seed: Int
    var testDescription: String { "\(scenario), seed \(seed)" }

    /// Longer than planned delays, and short enough that some responses come too late.
    var timeout: Duration {
      switch scenario {
      case "original": .milliseconds(2_700)
      case "edge", "overload": .milliseconds(1_500)
      default: .milliseconds(700)
      }
    }
  }

  /// Slow scenarios have fewer seeds and fewer requests.
  static let slow = ["original", "edge", "overload"]
  /// The sample: no faults, lost requests, lost responses, refused requests, and damaged responses.
  static let cases =
    WholeProof.isDemanded
    ? scenarios.flatMap { scenario in
      (slow.contains(scenario) ? [1] : [1, 2, 3]).map { Case(scenario: scenario, seed: $0) }
    }
    : ["calm", "basement", "lost-ack", "rate-limited", "schema-drift"].map { Case(scenario: $0, seed: 1) }
  static let monday = Date(timeIntervalSince1970: 1_688_000_000)

  @Test("server and client agree after the last sync, and no update is lost", arguments: cases)
  func outbox(_ example: Case) async throws {
    let ids = (1...(Self.slow.contains(example.scenario) ? 3 : 6)).map { "D-\($0)" }
    let sandbox = try await LiveSandbox(example.scenario, seed: example.seed, devices: ids)
    let outbox = try DeviceOutbox(
      sandbox.client(timeout: example.timeout), file: TemporaryFiles.newFile(), parallelism: 6)
    var expected: [String: Date] = [:]
    for (number, id) in ids.enumerated() {
      expected[id] = Self.monday + Double(number)
      try await outbox.record(expected[id], for: id)
    }
    var isFirst = true
    // On a slow machine responses time out, and more rounds are needed.
    let isSynchronized = try await succeeds {
      for await event in await outbox.sync() {
        // The user changes their mind about two devices while the first sync runs.
        guard isFirst, case .sending(let id) = event, ["D-2", "D-3"].contains(id) else { continue }
        expected[id] = Self.monday + 86_400
        try await outbox.record(expected[id], for: id)
      }
      isFirst = false
      await sandbox.advance(by: .seconds(7))
      return await outbox.pending.isEmpty
    }
    #expect(isSynchronized)
    #expect(await outbox.rejected.isEmpty)
    try await sandbox.waitForLateWrites()
    let devices = try await sandbox.control("GET", "state")["devices"]?.array ?? []
    #expect(devices.count == ids.count)
    for device in devices {
      let id = device["id"]?.string ?? ""
      let date = device["installationDate"]?.string.flatMap { SentDate(text: $0).date }
      #expect(date == expected[id], "\(id)")
    }
  }

  @Test("no booking is lost or made twice", arguments: cases)
  func booking(_ example: Case) async throws {
    let sandbox = try await LiveSandbox(example.scenario, seed: example.seed)
    let board = RoomBoard(
      sandbox.client(timeout: example.timeout, attempts: 3), directory: TemporaryFiles.newDirectory())
    let users = Self.slow.contains(example.scenario) ? ["ada", "eve"] : ["ada", "bob", "ada", "eve"]
    for user in users { try await book(for: user, board, sandbox) }
    #expect(await board.bookings(of: "ada").map(\.state) == users.filter { $0 == "ada" }.map { _ in .booked })
    #expect(await board.bookings(of: "eve").map(\.state) == [.booked])
    try await sandbox.waitForLateWrites()
    #expect(try await sandbox.writes().filter(\.isApplied).count == users.count)
    guard !["rush-hour", "mayhem"].contains(example.scenario) else { return }
    let rooms = try await sandbox.control("GET", "state")["booking"]?["rooms"]?.array ?? []
    #expect(rooms.first { $0["name"] == "Helmold" }?["spots"]?.int == 86 - users.count)
  }

  private func book(for user: String, _ board: RoomBoard, _ sandbox: LiveSandbox) async throws {
    let intention = BookingIntention(room: "Helmold", user: user)
    let isBooked = try await succeeds {
      do {
        _ = try await board.bookByTwoTaps(intention)
        return true
      } catch BookingError.request {
        await sandbox.advance(by: .seconds(7))
        return false
      }
    }
    #expect(isBooked)
  }
}
