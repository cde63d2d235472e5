import Contract
import Faults
import Foundation
import LiveTesting
import Testing

@testable import Understudy

/// Clients whose habits are known, and what the report card says of them.
@Suite("The laboratory of habits")
struct LaboratoryTests {
  /// Vices that no check finds yet.
  private static let awaited: Set<Vice> = []
  /// The seeds to run instead of all, from `UNDERSTUDY_SEEDS=25,75`.
  private static let chosen = ProcessInfo.processInfo.environment["UNDERSTUDY_SEEDS"].map {
    $0.split(separator: ",").compactMap { UInt64($0) }
  }
  /// Checks that accuse some of the habits wrongly, as yet.
  private static let mistaken: Set<String> = []

  @Test("a well-configured library fails no check under any scenario", arguments: Library.wellConfigured)
  func libraries(library: Library) throws {
    let rounds = WholeProof.rounds(1, of: 6)
    for scenario in WholeProof.sample(every: 6, of: Scenarios.builtIn) {
      for seed in Self.chosen ?? (0..<UInt64(rounds)).map({ 1_000 * $0 + 7 }) {
        try expectNoFail(seed: seed) { seed, isTold in
          let trial = try AttemptKind(seed: seed, scenario: scenario, isTold: isTold)
          let client = trial.client(
            .init(name: "app", userAgent: "lab/1", address: "127.0.0.1"), library, timeout: .seconds(10))
          trial.begin(Habit.allCases, errands: 25, client, after: .milliseconds(100))
          return trial
        }
      }
    }
  }

  @Test("no check fails for generated clients of good habits")
  func goodRuns() throws {
    let count = WholeProof.rounds(25, of: 2_000)
    var accused: [String: Int] = [:]
    for seed in Self.chosen ?? Array(0..<UInt64(count)) {
      for id in try expectNoFail(seed: seed, Self.goodRun) { accused[id, default: 0] += 1 }
    }
    print("laboratory: \(Self.chosen?.count ?? count) good runs, false fails: \(accused)")
  }

  @Test("each planted vice is found among good habits", arguments: Vice.allCases.filter { !awaited.contains($0) })
  func vices(vice: Vice) throws {
    let share = WholeProof.rounds(1, of: 2_000 / Vice.allCases.count + 1)
    for seed in Self.chosen ?? Array(0..<UInt64(share)) {
      let trial = try AttemptKind.viciousRun(vice, seed: seed, isTold: false)
      let cards = try #require(trial.run(), "seed \(seed): the run does not come to its end")
      let (check, verdict) = vice.expected
      if cards.verdict(of: check).map({ $0 >= verdict }) == true { continue }
      let told = try AttemptKind.viciousRun(vice, seed: seed, isTold: true)
      _ = told.run()
      let line = cards.flatMap(\.lines).first { $0.id == check }?.finding.sentence ?? "no such check"
      let text = told.description + ["\(check): \(line)"] + told.lines.filter { $0.contains("vicious") }
      Issue.record("seed \(seed), \(vice.rawValue) went unseen:\n\(text.joined(separator: "\n"))")
    }
  }

  /// A run of good habits, drawn by its seed.
  static func goodRun(seed: UInt64, isTold: Bool) throws -> AttemptKind {
    let choice = VirtualTime(seed: seed ^ 0x5EED)
    let trial = try AttemptKind(seed: seed, scenario: choice.pick(Scenarios.builtIn), isTold: isTold)
    trial.addGoodClients(choice)
    trial.addMeddling(choice)
    return trial
  }

  /// Runs a trial and records an issue for each check that failed, with the requests that led to it.
  ///
  /// - Returns: The ids of these checks.
  @discardableResult
  private func expectNoFail(seed: UInt64, _ make: (UInt64, Bool) throws -> AttemptKind) throws -> [String] {
    let trial = try make(seed, false)
    guard let cards = trial.run() else {
      Issue.record("seed \(seed): the run does not come to its end: \(trial.description)")
      return []
    }
    let fails = cards.sentences(.fail).filter { sentence in !Self.mistaken.contains { sentence.hasPrefix($0) } }
    guard !fails.isEmpty else { return [] }
    let told = try make(seed, true)
    _ = told.run()
    let text = told.description + fails + told.lines.suffix(400)
    Issue.record("seed \(seed):\n\(text.joined(separator: "\n"))")
    return fails.map { String($0.prefix { $0 != ":" }) }
  }
}

extension AttemptKind {
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

  /// Adds what a tester does meanwhile: resets, advances of the clock, snapshots, another scenario.
  func addMeddling(_ choice: VirtualTime) {
    guard choice.oneIn(2) else { return }
    for _ in 1...choice.integer(1...3) {
      let delay = choice.milliseconds(1_000...60_000)
      switch choice.integer(0...4) {
      case 0: control("POST", "/_mock/reset", after: delay)
      case 1: control("PATCH", "/_mock/clock", "{\"advance\": \"\(choice.integer(1...300))s\"}", after: delay)
      case 2: control("PUT", "/_mock/snapshots/one", after: delay)
      case 3: control("POST", "/_mock/snapshots/one/restore", after: delay)
      default: control("PUT", "/_mock/scenario", "\"\(choice.pick(Scenarios.builtIn).name)\"", after: delay)
      }
    }
  }
}

extension AttemptKind {
  /// A run under a drawn scenario in which one client has a vice, among others of good habits.
  ///
  /// The vice is played a few times, minutes apart, since an outage may hide one of them.
  static func viciousRun(_ vice: Vice, seed: UInt64, isTold: Bool) throws -> AttemptKind {
    let choice = VirtualTime(seed: seed ^ 0x5EED)
    let trial = try AttemptKind(
      seed: seed, scenario: choice.pick(Scenarios.builtIn.filter(vice.canBeSeen)), isTold: isTold)
    trial.addGoodClients(choice)
    let identity = Client.Identity(name: "vicious", userAgent: "vicious/1", address: "127.0.0.66")
    for turn in 0..<4 {
      let client = trial.client(identity, choice.pick(Library.wellConfigured), timeout: .seconds(20))
      let delay = choice.milliseconds(1_000...70_000) + .seconds(turn * 211)
      trial.begin(vice.rawValue, after: delay) { done in vice.play(client, then: done) }
    }
    return trial
  }
}
