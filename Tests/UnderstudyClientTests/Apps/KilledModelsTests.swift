import Foundation
import JSON
import LiveTesting
import Testing

@testable import UnderstudyClient

/// `UNDERSTUDY_KILLS` is the number of times that the process is killed.
@Suite("A process with all models that is killed at random points", .live, .drawn, .temporaryFiles)
struct KilledModelsTests {
  static let rounds =
    ProcessInfo.processInfo.environment["UNDERSTUDY_KILLS"].flatMap { Int($0) } ?? (WholeProof.isDemanded ? 25 : 4)
  private static let spots = 1_000_000

  @Test("leaves every file intact, and neither loses nor duplicates a record or a booking")
  func kills() async throws {
    let sandbox = try await LiveSandbox("lost-ack")
    try await sandbox.control(
      "PATCH", "state", ["booking": ["rooms": [["name": "Ljerka", "spots": .int(Self.spots)]]]])
    let directory = TemporaryFiles.newDirectory()
    var random = FuzzRandom(ofRun: 0)
    var next = 1_688_000_000
    var (recorded, booked) = (0, Set<String>())
    for round in 1...Self.rounds {
      let output = try await live(directory, sandbox, from: next, &random)
      #expect(output.hasPrefix("opened\n"), "round \(round): \(output.prefix(200))")
      for line in output.split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.count == 2, let number = Int(words[1]) else { continue }
        next = max(next, number + 1)
        if words[0] == "recorded" { recorded = number }
        if words[0] == "booked" { booked.insert("K-\(number)") }
      }
      try await check(directory, sandbox, recorded, booked, next)
    }
    try await sandbox.waitForLateWrites()
    let rooms = RoomBoard(sandbox.client(), directory: directory)
    let state = try await sandbox.control("GET", "state")
    let taken = Self.spots - (state["booking"]?["rooms"]?.array?.first?["spots"]?.int ?? 0)
    #expect(await rooms.bookings(of: "ada").count == taken)
    #expect(recorded > 0 && !booked.isEmpty)
    print("Killed \(Self.rounds) times: \(next - 1_688_000_000) records, \(taken) bookings, none lost or doubled.")
  }

  /// Opens all models, like the next process, and checks what was done.
  private func check(
    _ directory: URL, _ sandbox: LiveSandbox, _ recorded: Int, _ booked: Set<String>, _ next: Int
  ) async throws {
    let client = sandbox.client()
    let rooms = RoomBoard(client, directory: directory)
    for booking in await rooms.bookings(of: "ada") where booking.state == .unknown {
      for _ in 0..<10 where (try? await rooms.resolve(booking)) == nil {}
    }
    let bookings = await rooms.bookings(of: "ada")
    #expect(bookings.allSatisfy { $0.state == .booked })
    #expect(booked.isSubset(of: bookings.map(\.id)))
    let devices = DeviceBoard(client, directory: directory)
    for _ in 0..<10 where await !devices.syncNow().isEmpty {}
    let shown = try await devices.refresh().devices.first { $0.id == "WWM-0001-12" }
    let date = shown?.installationDate?.date.map { Int($0.timeIntervalSince1970) } ?? 0
    #expect(recorded == 0 || (recorded..<next).contains(date))
    let feed = ActivityFeed(client, directory: directory)
    let house = HouseController(client, directory: directory)
    let chooser = UserChooser(client, directory: directory)
    let damaged =
      await devices.damagedFiles + rooms.damagedFiles
      + [feed.damagedFile, house.damagedFile, chooser.damagedFile].compactMap(\.self)
    #expect(damaged.isEmpty)
  }

  /// Starts a process that uses all models, and kills it.
  ///
  /// - Returns: Its output.
  private func live(
    _ directory: URL, _ sandbox: LiveSandbox, from first: Int, _ random: inout FuzzRandom
  ) async throws -> String {
    let child = try ChildProcess(
      KilledProcessTests.program(), ["models", directory.path, sandbox.url.absoluteString, "\(first)"])
    // Waits for the first booking, so that on a busy machine the process is not killed before it has started.
    var output = ""
    while !output.contains("booked") { output += try child.line() + "\n" }
    try await Task.sleep(for: .microseconds(Int.random(in: 0...60_000, using: &random)))
    return output + (try child.killed())
  }
}
