import Contract
import Faults
import Foundation
import LiveTesting
import Primitives
import Testing

@testable import Report
@testable import Understudy

/// Compares the report card with the known behaviour of simulated clients.
@Suite("The report card of a simulated client", .busy)
struct LaboratoryTests {
  /// The seeds to run instead of all, from `UNDERSTUDY_SEEDS=25,75`.
  private static let chosen = ProcessInfo.processInfo.environment["UNDERSTUDY_SEEDS"].map {
    $0.split(separator: ",").compactMap { UInt64($0) }
  }

  /// The number of runs of good clients, and of clients with mistakes, from `UNDERSTUDY_LABORATORY`; nil for a sample.
  private static let runs = ProcessInfo.processInfo.environment["UNDERSTUDY_LABORATORY"].flatMap { Int($0) }

  @Test("has no failed check for a well-configured library under any scenario", arguments: Library.wellConfigured)
  func libraries(library: Library) throws {
    let rounds = WholeProof.rounds(1, of: 6)
    for scenario in WholeProof.sample(every: 6, of: Scenarios.builtIn) {
      for seed in Self.chosen ?? (0..<UInt64(rounds)).map({ 1_000 * $0 + 7 }) {
        try expectNoAccusation(seed: seed) { seed, recordsLines in
          let run = try LaboratoryRun(seed: seed, scenario: scenario, recordsLines: recordsLines)
          let client = run.client(
            .init(name: "app", userAgent: "lab/1", address: "127.0.0.1"), library, timeout: .seconds(10))
          run.begin(Habit.allCases, errands: 25, client, after: .milliseconds(100))
          return run
        }
      }
    }
  }

  @Test("a library whose waits are not drawn fails the check for that, and no other", arguments: Library.withoutJitter)
  func withoutJitter(library: Library) throws {
    let run = try LaboratoryRun(seed: 1, scenario: .calm)
    let client = run.client(
      .init(name: "app", userAgent: "lab/1", address: "127.0.0.1"), library, timeout: .seconds(10))
    run.begin(library.name, after: .seconds(1)) { done in client.readInVain(times: 6, then: done) }
    let cards = try #require(run.finish())
    let fails = cards.sentences(.fail)
    #expect(fails.count == 1 && fails[0].hasPrefix("backoff-jitter:"), "\(fails)")
  }

  @Test("the page about the checks has each library, and says where its waits can be read", arguments: Library.all)
  func isDocumented(library: Library) throws {
    #expect(try String(contentsOf: Repository.page("ReportCard"), encoding: .utf8).contains(library.row))
  }

  @Test("the page about the checks announces the warnings that good clients may get", arguments: AnnouncedWarning.all)
  func isAnnounced(warning: AnnouncedWarning) throws {
    #expect(warning.isOn(try String(contentsOf: Repository.page("ReportCard"), encoding: .utf8)))
  }

  @Test("a good client that finds its key in use sends the write again under that key", arguments: ["/book", "/users"])
  func keyInUse(path: String) throws {
    let run = try LaboratoryRun(seed: 1, scenario: .calm, recordsLines: true)
    let client = run.client(
      .init(name: "app", userAgent: "lab/1", address: "127.0.0.1"), .wellConfigured[0], timeout: .seconds(30))
    let call = Call(method: "POST", path: path, body: Habit.booking(run.time), key: client.newKey())
    var slow = call
    slow.prefer = "delay=3s"
    run.begin("slow", after: .zero) { done in client.send(slow) { _ in done() } }
    run.begin("beside it", after: .seconds(1)) { done in client.untilKnown(call, then: done) }
    let cards = try #require(run.finish())
    let statuses = run.lines.map { $0.components(separatedBy: "→ ").last?.prefix(3) }
    #expect(statuses.first == "409" && statuses.count == 3 && statuses[1] == statuses[2], "\(run.lines)")
    #expect(cards.sentences(.fail).isEmpty)
  }

  @Test("no check fails for generated clients of good habits, or warns of what the page does not announce")
  func goodRuns() throws {
    let count = Self.runs ?? WholeProof.rounds(25, of: 500)
    var accused: [String: Int] = [:]
    for seed in Self.chosen ?? Array(0..<UInt64(count)) {
      let ids = try expectNoAccusation(seed: seed) { try Self.goodRun(seed: $0, recordsLines: $1) }
      for id in ids { accused[id, default: 0] += 1 }
    }
    print("laboratory: \(Self.chosen?.count ?? count) good runs, false accusations: \(accused)")
  }

  @Test("no check fails for clients that follow a stream, and come back to it with the id of the last whole event")
  func followers() throws {
    for seed in Self.chosen ?? Array(0..<UInt64(WholeProof.rounds(8, of: 320))) {
      try expectNoAccusation(seed: seed) { seed, recordsLines in
        let choice = VirtualTime(seed: seed ^ 0x5EED)
        let run = try LaboratoryRun(seed: seed, scenario: choice.pick(Scenarios.builtIn), recordsLines: recordsLines)
        for number in 1...choice.integer(1...3) {
          let client = run.client(
            .init(name: choice.oneIn(2) ? "app-\(number)" : nil, userAgent: "lab", address: "127.0.0.1"),
            choice.pick(Library.wellConfigured), timeout: .seconds(10))
          run.begin([.followsRooms, .booksWithKeys], errands: 8, client, after: choice.milliseconds(0...3_000))
        }
        run.addMeddling(choice)
        return run
      }
    }
  }

  @Test(
    "no check fails for generated clients of good habits in front of a backend, whose requests are declared or not",
    arguments: [false, true])
  func goodRunsBefore(isDeclared: Bool) throws {
    let count = Self.runs.map { $0 / 10 } ?? WholeProof.rounds(10, of: 200)
    for seed in Self.chosen ?? Array(0..<UInt64(count)) {
      try expectNoAccusation(seed: seed) { seed, recordsLines in
        try Self.goodRun(seed: seed, recordsLines: recordsLines, inFrontOf: isDeclared ? .ofFiveAPIs : Semantics.none)
      }
    }
  }

  @Test("reports each planted mistake among clients that behave well", arguments: PlantedMistake.all)
  func mistakes(mistake: PlantedMistake) throws {
    let share = Self.runs.map { $0 / PlantedMistake.all.count + 1 } ?? WholeProof.rounds(1, of: 4)
    var unseen = 0
    let seeds = Self.chosen ?? Array(0..<UInt64(share))
    for seed in seeds {
      let run = try LaboratoryRun.faultyRun(with: mistake, seed: seed, recordsLines: false)
      let cards = try #require(run.finish(), "seed \(seed): the run does not come to its end")
      if cards.verdict(of: mistake.check).map({ $0 >= mistake.verdict }) == true { continue }
      unseen += 1
      let told = try LaboratoryRun.faultyRun(with: mistake, seed: seed, recordsLines: true)
      _ = told.finish()
      let line = cards.flatMap(\.checks).first { $0.id == mistake.check }?.finding.sentence ?? "no such check"
      let text = told.description + ["\(mistake.check): \(line)"] + told.lines.filter { $0.contains("faulty") }
      Issue.record("seed \(seed), “\(mistake.testDescription)” went unseen:\n\(text.joined(separator: "\n"))")
    }
    print("laboratory: | \(mistake.testDescription) | \(mistake.check) | \(seeds.count - unseen) of \(seeds.count) |")
  }

  /// A run of good habits, drawn by its seed.
  ///
  /// - Parameter semantics: What requests mean to the backend behind the application; nil if it has none.
  static func goodRun(
    seed: UInt64, recordsLines: Bool, inFrontOf semantics: Semantics? = nil
  ) throws -> LaboratoryRun {
    let choice = VirtualTime(seed: seed ^ 0x5EED)
    let run = try LaboratoryRun(
      seed: seed, scenario: choice.pick(Scenarios.builtIn), recordsLines: recordsLines, inFrontOf: semantics)
    run.addGoodClients(choice)
    run.addMeddling(choice)
    if choice.oneIn(4) { run.end = choice.milliseconds(1_000...90_000) }
    return run
  }

  /// Performs a run and records an issue for each check that failed, or warned without an announcement, with the requests
  /// that led to it.
  ///
  /// - Returns: The ids of these checks.
  @discardableResult
  private func expectNoAccusation(seed: UInt64, _ make: (UInt64, Bool) throws -> LaboratoryRun) throws -> [String] {
    let run = try make(seed, false)
    guard let cards = run.finish() else {
      Issue.record("seed \(seed): the run does not come to its end: \(run.description)")
      return []
    }
    let warnings = cards.sentences(.warn)
    let accusations = cards.sentences(.fail) + warnings.filter { !AnnouncedWarning.announces($0) }
    guard !accusations.isEmpty else { return [] }
    let told = try make(seed, true)
    _ = told.finish()
    let text = told.description + accusations + told.lines.suffix(400)
    Issue.record("seed \(seed):\n\(text.joined(separator: "\n"))")
    return accusations.map { String($0.prefix { $0 != ":" }) }
  }
}

extension LaboratoryRun {
  /// Adds one to four clients of good habits, named or not, some of them alike in everything that tells clients apart.
  func addGoodClients(_ choice: VirtualTime) {
    let isNamed = choice.oneIn(2)
    let isAlike = choice.oneIn(3)
    for number in 1...choice.integer(1...4) {
      let identity = Client.Identity(
        name: isNamed ? "app-\(number)" : nil, userAgent: isAlike ? "lab" : "lab/\(number)",
        address: isAlike ? "127.0.0.1" : "127.0.0.\(number)")
      let library = choice.pick(Library.wellConfigured)
      let client = client(identity, library, timeout: .seconds(choice.integer(5...30)))
      let habits = (0..<choice.integer(1...4)).map { _ in choice.pick(Habit.allCases) }
      begin(habits, errands: choice.integer(2...12), client, after: choice.milliseconds(0...3_000))
    }
  }

  /// Adds a tester's control requests: resets, advances of the clock, snapshots, another scenario.
  func addMeddling(_ choice: VirtualTime) {
    guard choice.oneIn(2) else { return }
    for _ in 1...choice.integer(1...3) {
      let delay = choice.milliseconds(1_000...60_000)
      switch choice.integer(0...6) {
      case 0: control("POST", "/_mock/reset", after: delay)
      case 1: control("PATCH", "/_mock/clock", "{\"advance\": \"\(choice.integer(1...300))s\"}", after: delay)
      case 2: control("PUT", "/_mock/snapshots/one", after: delay)
      case 3: control("POST", "/_mock/snapshots/one/restore", after: delay)
      case 4: switchNetwork(to: "offline", forSeconds: choice.integer(2...20), after: delay)
      case 5: switchNetwork(to: "held", forSeconds: choice.integer(1...5), after: delay)
      default: control("PUT", "/_mock/scenario", "\"\(choice.pick(Scenarios.builtIn).name)\"", after: delay)
      }
    }
  }
}

extension LaboratoryRun {
  private func switchNetwork(to state: String, forSeconds seconds: Int, after delay: Duration) {
    control("PATCH", "/_mock/network", "{\"state\": \"\(state)\", \"for\": \"\(seconds)s\"}", after: delay)
  }

  /// A run under a drawn scenario in which one client has a mistake, among others of good habits.
  ///
  /// The mistake is played a few times, minutes apart, since an outage may hide one of them.
  ///
  /// - Parameters:
  ///   - semantics: What requests mean to the backend behind the application; nil if it has none.
  ///   - isNamed: False if the client sends no name.
  static func faultyRun(
    with mistake: PlantedMistake, seed: UInt64, recordsLines: Bool, inFrontOf semantics: Semantics? = nil,
    isNamed: Bool = true
  ) throws -> LaboratoryRun {
    let choice = VirtualTime(seed: seed ^ 0x5EED)
    let scenarios = Scenarios.builtIn.filter { scenario in
      mistake.bearsOutages || !scenario.rules.contains { $0.effect.kind == Offline.kind }
    }
    let run = try LaboratoryRun(
      seed: seed, scenario: choice.pick(scenarios), recordsLines: recordsLines, inFrontOf: semantics)
    run.addGoodClients(choice)
    for turn in 0..<4 {
      let name = isNamed ? mistake.client : nil
      let identity = Client.Identity(name: name, userAgent: "faulty/1", address: "127.0.0.66")
      let client = run.client(identity, choice.pick(Library.wellConfigured), timeout: .seconds(20))
      let delay = choice.milliseconds(1_000...70_000) + .seconds(turn * 211)
      run.begin(mistake.testDescription, after: delay) { done in mistake.play(client, done) }
    }
    return run
  }
}

extension Client {
  /// Asks for a record again and again, minutes apart, while the server is down.
  fileprivate func readInVain(times count: Int, then: @escaping () -> Void) {
    guard count > 0 else { return then() }
    perform(Call(path: "/devices/WWM-0001-12", prefer: "code=503")) { [self] _ in
      time.after(time.milliseconds(100_000...200_000)) { [self] in readInVain(times: count - 1, then: then) }
    }
  }
}
