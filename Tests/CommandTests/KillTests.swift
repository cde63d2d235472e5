import Foundation
import LiveTesting
import Testing

@Suite("A server killed by SIGKILL", .live, .drawn)
struct KillTests {
  /// The number of rounds, which `UNDERSTUDY_KILL_ROUNDS` can set.
  private static let rounds =
    ProcessInfo.processInfo.environment["UNDERSTUDY_KILL_ROUNDS"].flatMap { Int($0) }
    ?? (WholeProof.isDemanded ? 20 : 8)

  private static let devices = ["WWM-0001-12", "CWM-0012-62", "HEA-8127-29", "HEA-5513-39"]

  @Test("has every acknowledged write after its next start, and only writes that were requested")
  func campaign() throws {
    let scratch = try ScratchDirectory()
    var campaign = Campaign(directory: scratch.path + "/state")
    let began = Date()
    for round in 0..<Self.rounds { try campaign.run(round) }
    let seconds = Date().timeIntervalSince(began)
    #expect(campaign.acknowledged >= Self.rounds, "each round waits for a write to be acknowledged")
    #expect(campaign.kept == campaign.acknowledged)
    if Self.rounds > 20 {
      print(
        "\(Self.rounds) rounds: \(campaign.acknowledged) writes acknowledged, \(campaign.kept) kept,",
        "\(campaign.underWay) under way when the kill came and \(campaign.underWayKept) of them done;",
        "\(Int(seconds)) s")
    }
  }

  /// One of the concurrent clients, and what it knows when the server has been killed.
  private final class Writer: @unchecked Sendable {
    let index: Int
    let round: Int
    /// The values written to its device, and the number of acknowledged ones: all, or all except the last.
    var values: [String] = []
    var acknowledgedValues = 0
    /// The keys of its bookings, and the number of acknowledged ones.
    var keys: [String] = []
    var acknowledgedKeys = 0
    /// The sandboxes that it made, and the number of acknowledged ones.
    var sandboxes: [String] = []
    var acknowledgedSandboxes = 0

    init(_ index: Int, round: Int) {
      self.index = index
      self.round = round
    }

    var acknowledged: Int { acknowledgedValues + acknowledgedKeys + acknowledgedSandboxes }
    var asked: Int { values.count + keys.count + sandboxes.count }

    /// An unexpected response, if there was one.
    private(set) var surprise: String?

    /// Writes until the server is gone.
    func run(_ port: Int, _ acknowledge: () -> Void) {
      guard let caller = Caller(port: port) else { return }
      while write(by: caller) { acknowledge() }
    }

    private func write(by caller: Caller) -> Bool {
      let name = "r\(round)-w\(index)-\(asked)"
      switch asked % 7 {
      case 2, 5:
        keys.append(name)
        guard succeeded(caller.ask("POST", "/book", key: name, "{\"name\":\"Hall\"}")) else { return false }
        acknowledgedKeys += 1
      case 6:
        sandboxes.append(name)
        let body = "{\"name\":\"\(name)\",\"data\":{\"house\":{\"temperature\":\(round % 50)}}}"
        guard succeeded(caller.ask("POST", "/_mock/sandboxes", body)) else { return false }
        acknowledgedSandboxes += 1
      default:
        // In a long campaign some values are long, so that an image has several pages.
        let isLong = KillTests.rounds > 100 && asked % 10 == 0
        let value = name + String(repeating: "x", count: isLong ? 60_000 : 10)
        values.append(value)
        let body = "{\"meterPointDescription\":\"\(value)\"}"
        guard succeeded(caller.ask("PATCH", "/devices/\(KillTests.devices[index])", body)) else { return false }
        acknowledgedValues += 1
      }
      return true
    }

    private func succeeded(_ response: Caller.Response?) -> Bool {
      guard let response else { return false }
      if !(200..<300).contains(response.status) { surprise = "\(response.status) \(response.body)" }
      return surprise == nil
    }
  }

  private struct Campaign {
    let directory: String
    var acknowledged = 0
    var kept = 0
    var underWay = 0
    var underWayKept = 0
    private var booked = 0
    private var made: [String] = []
    private var random = FuzzRandom(ofRun: 0)

    private static let spots = 1_000_000

    init(directory: String) { self.directory = directory }

    mutating func run(_ round: Int) throws {
      var (program, port) = try start()
      let caller = try #require(Caller(port: port))
      if round == 0 {
        let hall = "{\"booking\":{\"rooms\":[{\"name\":\"Hall\",\"spots\":\(Self.spots)}]}}"
        try #require(caller.ask("PATCH", "/_mock/state", hall)?.status == 200)
      }
      for name in made { try #require(caller.ask("DELETE", "/_mock/sandboxes/\(name)")?.status == 204) }
      let writers = KillTests.devices.indices.map { Writer($0, round: round) }
      try write(writers, port, program)
      (program, port) = try start()
      try check(writers, port)
      program.kill()
    }

    private func start() throws -> (Program, port: Int) {
      let program = try Program("--port", "0", "--state", directory)
      let line = try program.line()
      return (program, try #require(line.split(separator: ":").last.flatMap { Int($0) }))
    }

    /// Lets all clients write concurrently, and kills the server after a random number of acknowledged writes.
    private mutating func write(_ writers: [Writer], _ port: Int, _ program: Program) throws {
      let acknowledgements = DispatchSemaphore(value: 0)
      let ends = DispatchGroup()
      for writer in writers {
        ends.enter()
        Thread.detachNewThread {
          writer.run(port) { acknowledgements.signal() }
          ends.leave()
        }
      }
      for _ in 0..<Int.random(in: 1...25, using: &random) {
        let isAnswered = acknowledgements.wait(timeout: .now() + Double(Patience.seconds)) == .success
        try #require(isAnswered, "no reply within \(Patience.seconds) s; \(writers.compactMap(\.surprise))")
      }
      // The kill comes at a random time during the next writes.
      usleep(UInt32.random(in: 0...3_000, using: &random))
      program.kill()
      try #require(ends.wait(timeout: .now() + Double(Patience.seconds)) == .success)
    }

    private mutating func check(_ writers: [Writer], _ port: Int) throws {
      let caller = try #require(Caller(port: port))
      let devices = try #require(caller.ask("GET", "/devices")).body
      let sandboxes = try #require(caller.ask("GET", "/_mock/sandboxes")).body
      let before = made
      made = []
      for writer in writers {
        acknowledged += writer.acknowledged
        underWay += writer.asked - writer.acknowledged
        kept += writer.acknowledgedKeys
        checkValue(writer, devices)
        for (index, name) in writer.sandboxes.enumerated() {
          let isThere = sandboxes.contains("\"name\":\"\(name)\"")
          #expect(isThere || index >= writer.acknowledgedSandboxes, "\(name) was acknowledged")
          if isThere { made.append(name) }
          if index < writer.acknowledgedSandboxes { kept += isThere ? 1 : 0 } else if isThere { underWayKept += 1 }
          if isThere {
            let state = caller.ask("GET", "/@\(name)/@house/state")?.body ?? ""
            #expect(state.hasPrefix("{\"temperature\":\(writer.round % 50),"))
          }
        }
      }
      for name in before { #expect(!sandboxes.contains("\"name\":\"\(name)\""), "\(name) was deleted") }
      try checkBookings(writers, caller)
    }

    private mutating func checkValue(_ writer: Writer, _ devices: String) {
      guard !writer.values.isEmpty else { return }
      let index = writer.values.lastIndex { devices.contains("\"meterPointDescription\":\"\($0)\"") }
      guard let index else {
        #expect(writer.acknowledgedValues == 0, "no value of \(KillTests.devices[writer.index]) is there")
        return
      }
      #expect(index + 1 >= writer.acknowledgedValues, "a later value of \(writer.index) was acknowledged")
      // A value that was overwritten by a stored one counts as stored.
      if index + 1 >= writer.acknowledgedValues { kept += writer.acknowledgedValues }
      if index >= writer.acknowledgedValues { underWayKept += 1 }
    }

    /// Sends every key again: bookings that were applied are not applied again, and the others are applied now.
    private mutating func checkBookings(_ writers: [Writer], _ caller: Caller) throws {
      let acknowledged = writers.reduce(0) { $0 + $1.acknowledgedKeys }
      let asked = writers.reduce(0) { $0 + $1.keys.count }
      let taken = try taken(caller)
      #expect((booked + acknowledged...booked + asked).contains(taken), "\(taken) spots are taken")
      underWayKept += taken - booked - acknowledged
      for key in writers.flatMap(\.keys) {
        #expect(caller.ask("POST", "/book", key: key, "{\"name\":\"Hall\"}")?.status == 200)
      }
      booked += asked
      #expect(try self.taken(caller) == booked, "a retry finds its stored reply")
    }

    private func taken(_ caller: Caller) throws -> Int {
      let rooms = try #require(caller.ask("GET", "/rooms.json")).body
      let count = rooms.components(separatedBy: "\"spots\":").last?.prefix { $0.isNumber }
      return Self.spots - (try #require(count.flatMap { Int($0) }))
    }
  }
}
