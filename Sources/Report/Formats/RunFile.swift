import Contract
import JSON
import Primitives

/// The results of a command that ran against its own server, once or several times, as a file for CI or for people.
package struct RunFile: Sendable {
  /// One run of the command.
  package struct Run: Sendable {
    let seed: UInt64
    let exitCode: Int32
    /// The failure of the command itself, as a sentence; nil if it ended with 0.
    let failure: String?
    /// The requirements on the run besides the checks of its cards.
    let requirements: [RunRequirement]
    let cards: [FinalCard]
    /// The time from the command's start to its end.
    let duration: Duration

    package init(
      seed: UInt64, exitCode: Int32, failure: String?, requirements: [RunRequirement], cards: [FinalCard],
      duration: Duration
    ) {
      self.seed = seed
      self.exitCode = exitCode
      self.failure = failure
      self.requirements = requirements
      self.cards = cards
      self.duration = duration
    }
  }

  let runs: [Run]
  /// True if there can be several runs, even if there was only one.
  let isSweep: Bool
  /// True if a warning fails the run.
  let failsOnWarnings: Bool

  package init(_ runs: [Run], isSweep: Bool, failsOnWarnings: Bool) {
    self.runs = runs
    self.isSweep = isSweep
    self.failsOnWarnings = failsOnWarnings
  }

  package func text(_ form: ReportFormat) -> String {
    switch form {
    case .json: json
    case .text: text
    case .html: ReportPage(sections: runs.flatMap(\.sections), text: text).html
    case .junit: JUnit(suites: runs.flatMap { $0.suites(failsOnWarnings: failsOnWarnings) }).xml
    }
  }

  private var text: String { runs.map { $0.heading + $0.cards.text() }.joined(separator: "\n") }

  private var json: String {
    let json: JSONValue = isSweep ? ["runs": .array(runs.map(\.json))] : runs.first?.json ?? [:]
    return String(decoding: json.bytes(.indented), as: UTF8.self) + "\n"
  }
}

extension RunFile.Run {
  fileprivate var heading: String {
    let reasons = failures.isEmpty ? "the command ended with 0" : failures.joined(separator: "; ")
    return "seed \(seed): \(reasons)\n"
  }

  /// The reasons why the run failed besides the checks of its cards.
  private var failures: [String] { requirements.failures(after: failure) }

  fileprivate var json: JSONValue {
    [
      "seed": .int(Int(seed)),
      "command": [
        "exitCode": .int(Int(exitCode)), "failure": failure.map { .string($0) } ?? .null,
        "duration": .string(DurationText.text(duration)),
      ],
      "requirements": .array(requirements.map(\.json)),
      "cards": .array(cards.map(\.card.jsonWithEntries)),
    ]
  }

  fileprivate var sections: [ReportPage.Section] {
    cards.withRequests.map { ReportPage.Section(card: $0.card, failure: failures.first) }
  }

  fileprivate func suites(failsOnWarnings: Bool) -> [JUnit.Suite] {
    [
      .command(
        name: JUnit.Suite.name(scenario: cards.last?.card.scenario, seed: seed), seed: seed, exitCode: exitCode,
        failure: failure, duration: duration, requirements: requirements)
    ]
      + cards.filter { $0.card.exchanges > 0 }.map {
        .card($0.card, ofRunWithSeed: seed, failsOnWarnings: failsOnWarnings)
      }
  }
}
