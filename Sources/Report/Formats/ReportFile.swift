import Contract
import JSON
import Primitives

/// The file of `--report` and `--junit`: the cards of one run, of a sweep, of several such files, or of a running server.
/// A file of JSON can be read again and merged with others.
package struct ReportFile: Sendable {
  /// The origin of the runs: text and page show the cards of a command whole, and others in one overview.
  package enum Origin: Sendable {
    case command, files, server
  }

  let origin: Origin
  let runs: [ReportRun]
  private let failsOnWarnings: Bool

  package init(_ runs: [ReportRun], of origin: Origin, failsOnWarnings: Bool = false) {
    self.origin = origin
    self.runs = runs
    self.failsOnWarnings = failsOnWarnings
  }

  package var exchanges: Int { runs.flatMap(\.cards).reduce(0) { $0 + $1.card.exchanges } }

  package var worst: Verdict { lines.filter(\.isOfClient).map(\.verdict).max() ?? .notExercised }

  /// True if no fault took effect in any run, as far as the cards say.
  package var isIdle: Bool { entries.allSatisfy { $0.card.strikes == 0 } }

  /// The exit code of the first command that failed.
  package var commandFailure: Int32? { runs.lazy.compactMap(\.command?.exitCode).first { $0 != 0 } }

  /// The reasons why runs failed though their commands succeeded, as sentences.
  package var unmetRequirements: [String] { runs.flatMap { $0.command?.requirements ?? [] }.compactMap(\.failure) }

  /// - Parameters:
  ///   - requirements: Those on the report itself, which JUnit shows as cases.
  ///   - style: The style of the format `text`.
  package func text(
    _ form: ReportCard.Format, _ requirements: [RunRequirement] = [], style: TextStyle = TextStyle()
  ) -> String {
    switch form {
    case .json: String(decoding: json.bytes(.indented), as: UTF8.self) + "\n"
    case .text: text(style)
    case .html: ReportPage(sections: sections, overview: lines, text: text(TextStyle())).html
    case .junit: JUnit(suites: suites(requirements)).xml
    }
  }

  /// A card, and its run.
  struct RunCard: Sendable {
    let run: ReportRun
    let card: ReportCard

    /// The sandbox, the file and the seed.
    var name: String { "sandbox \(card.sandbox) of \(run.source ?? "the run"), seed \(card.seed)" }
  }

  /// The cards of sandboxes with exchanges; all cards if there are none.
  private var entries: [RunCard] {
    let all = runs.flatMap { run in run.cards.map { RunCard(run: run, card: $0.card) } }
    let busy = all.filter { $0.card.exchanges > 0 }
    return busy.isEmpty ? all : busy
  }

  /// One line per check: its worst verdict, the number of cards with it, and the first of them.
  var lines: [ReportCard.Check] {
    let entries = entries
    var ids: [String] = []
    var found: [String: [(entry: RunCard, line: ReportCard.Check)]] = [:]
    for entry in entries {
      for line in entry.card.checks {
        if found[line.id] == nil { ids.append(line.id) }
        found[line.id, default: []].append((entry, line))
      }
    }
    return ids.compactMap { id in
      let all = found[id] ?? []
      guard let worst = all.map(\.line.verdict).max(), let first = all.first(where: { $0.line.verdict == worst })
      else { return nil }
      guard worst > .notExercised, entries.count > 1 else { return first.line }
      let number = all.count { $0.line.verdict == worst }
      let sentence =
        "\(number) of \(ReportText.count(entries.count, "card")): \(worst.rawValue). The first is \(first.entry.name): "
        + first.line.finding.sentence
      return ReportCard.Check(
        id: id, finding: Finding(worst, sentence, Evidence(ids: first.line.finding.evidence)))
    }
  }

  /// True if the journal of any card has evicted entries.
  private var isPartial: Bool { entries.contains { $0.card.isJournalPartial } }

  private var json: JSONValue {
    let entries = entries
    return [
      "verdict": .string(worst.rawValue),
      "exchanges": .int(entries.reduce(0) { $0 + $1.card.exchanges }),
      "replays": .int(entries.reduce(0) { $0 + $1.card.replays }),
      "partial": .bool(isPartial),
      "checks": .array(lines.map(\.json)),
      "runs": .array(runs.map(\.json)),
    ]
  }
}

// MARK: - JUnit

extension ReportFile {
  private func suites(_ requirements: [RunRequirement]) -> [JUnit.Suite] {
    var list = runs.flatMap { run in suites(of: run) }
    if !requirements.isEmpty {
      list.insert(JUnit.Suite(name: "understudy.report", cases: requirements.map(\.junit)), at: 0)
    }
    // A CI server takes a file without a suite for a fault of the job.
    return list.isEmpty ? entries.prefix(1).map { .card($0.card, of: $0.run.source) } : list
  }

  /// Returns the suites of a run's command and of the sandboxes that clients used.
  private func suites(of run: ReportRun) -> [JUnit.Suite] {
    // Sandboxes of one server have distinct names, and the address of a test server differs with each run: with it in the
    // names, no CI server could compare the results of two runs.
    let source = origin == .files ? run.source : nil
    let cards = run.cards.filter { $0.card.exchanges > 0 }.map { card in
      JUnit.Suite.card(
        card.card, of: source, ofRunWithSeed: run.command?.seed, failsOnWarnings: failsOnWarnings)
    }
    guard let command = run.command else { return cards }
    let name = JUnit.Suite.name(source: source, scenario: run.cards.last?.card.scenario, seed: command.seed)
    return [.command(command, name: name)] + cards
  }
}

// MARK: - Text and page

extension ReportFile {
  private func text(_ style: TextStyle) -> String {
    switch origin {
    case .command: runs.map { $0.text(style) }.joined(separator: "\n")
    case .files, .server: overview(style)
    }
  }

  private func overview(_ style: TextStyle) -> String {
    let (entries, lines) = (entries, lines)
    let exchanges = entries.reduce(0) { $0 + $1.card.exchanges }
    let files = ReportText.count(Set(runs.map(\.source)).count, "file")
    let heading =
      [ReportText.count(entries.count, "card")] + (origin == .server ? scenario(of: entries) : [files])
      + [ReportText.count(exchanges, "exchange")]
    let title = style.wrapped(ReportCard.plain("Report card: \(heading.joined(separator: ", "))"))
    var text = title + "\n\n" + lines.text(style) + "\n" + style.wrapped(lines.tally) + "\n"
    let (asked, unanswered) = entries.reduce((0, 0)) { ($0.0 + $1.card.asked, $0.1 + $1.card.unanswered) }
    if let sentence = ReportCard.sentence(on: unanswered, of: asked) { text += style.wrapped(sentence) + "\n" }
    if isPartial { text += style.wrapped(ReportCard.partialSentence) + "\n" }
    let failures = runs.flatMap(\.failureLines)
    if !failures.isEmpty { text += "\nFailed:\n" }
    for failure in failures.prefix(Self.maximumFailures) { text += "  \(failure)\n" }
    if failures.count > Self.maximumFailures { text += "  and \(failures.count - Self.maximumFailures) more lines\n" }
    return text + (isIdle && exchanges > 0 ? Self.idleSentence + "\n" : "")
  }

  /// The maximum number of lines about failed runs.
  private static let maximumFailures = 50

  private static let idleSentence = "No fault took effect in any of these runs."

  /// Returns the scenario and the seed of the cards, if all have the same.
  private func scenario(of entries: [RunCard]) -> [String] {
    guard let first = entries.first?.card, entries.allSatisfy({ $0.card.scenario == first.scenario }) else { return [] }
    let isOneSeed = entries.allSatisfy { $0.card.seed == first.seed }
    return ["scenario \(first.scenario)"] + (isOneSeed ? ["seed \(first.seed)"] : [])
  }

  /// The cards with exchanges, and those of runs that failed without a request.
  private var sections: [ReportPage.Section] {
    let busy = entries.map { ReportPage.Section($0) }
    let silent = runs.filter { run in
      run.command?.failures.isEmpty == false && run.cards.allSatisfy { $0.card.exchanges == 0 }
    }
    guard entries.contains(where: { $0.card.exchanges > 0 }) else { return busy }
    return busy
      + silent.flatMap { run in run.cards.prefix(1).map { ReportPage.Section(RunCard(run: run, card: $0.card)) } }
  }
}

extension ReportRun {
  /// Returns the outcome of the command, what was run, and its cards.
  fileprivate func text(_ style: TextStyle) -> String {
    guard let command else { return cardsWithExchanges.map { $0.text(style) }.joined(separator: "\n") }
    let reasons =
      command.failures.isEmpty ? "the command ended with 0" : command.failures.joined(separator: "; ")
    // The lines can be pasted into a shell, so they are not wrapped.
    let facts = command.facts.map { "\($0.name): \(ReportCard.plain($0.value))\n" }.joined()
    return "seed \(command.seed): \(reasons)\n" + facts + "\n"
      + cardsWithExchanges.map { $0.text(style) }.joined(separator: "\n")
  }

  /// The reasons why the run failed, and the line that repeats it; empty for a run that did not fail. They have paths and
  /// commands to copy, so they are not wrapped.
  fileprivate var failureLines: [String] {
    let reasons = (command?.failures ?? []).map { "\(name): \($0)" }
    let checks = cards.map(\.card).filter { $0.exchanges > 0 }.compactMap { card in
      let failed = card.checks.filter { $0.verdict == .fail }.map(\.id)
      return failed.isEmpty
        ? nil : "\(ReportFile.RunCard(run: self, card: card).name): \(failed.joined(separator: ", "))"
    }
    let failures = reasons + checks
    let repetition = failures.isEmpty ? nil : command?.repetition.map { "repeat: \($0)" }
    return (failures + [repetition].compactMap(\.self)).map(ReportCard.plain)
  }
}

extension ReportPage.Section {
  fileprivate init(_ entry: ReportFile.RunCard) {
    self.init(
      card: entry.card, failure: entry.run.command?.failures.first, source: entry.run.source,
      facts: entry.run.command?.facts ?? [], hasAttempts: entry.run.source == nil)
  }
}
