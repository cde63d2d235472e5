import Contract
import JSON
import Primitives

/// The cards of several instances as one: those of a sharded suite, of a matrix, or of the pods of a job.
package struct MergedReport: Sendable {
  let parts: [ReportPart]
  private let failsOnWarnings: Bool
  /// True for the cards of one running server.
  private let isOfServer: Bool

  /// A card, and its part.
  struct Entry: Sendable {
    let part: ReportPart
    let card: ReportCard
  }

  package init(_ parts: [ReportPart], failsOnWarnings: Bool = false, isOfServer: Bool = false) {
    self.parts = parts
    self.failsOnWarnings = failsOnWarnings
    self.isOfServer = isOfServer
  }

  package var exchanges: Int { parts.flatMap(\.cards).reduce(0) { $0 + $1.card.exchanges } }

  package var worst: Verdict { lines.filter(\.isOfClient).map(\.verdict).max() ?? .notExercised }

  /// True if no fault took effect in any run, as far as the cards say.
  package var isIdle: Bool { entries.allSatisfy { $0.card.strikes == 0 } }

  /// The exit code of the first command that failed.
  package var commandFailure: Int32? { parts.lazy.compactMap(\.command?.exitCode).first { $0 != 0 } }

  /// The reasons why runs failed though their commands succeeded, as sentences.
  package var unmetRequirements: [String] { parts.flatMap { $0.command?.requirements ?? [] }.compactMap(\.failure) }

  /// - Parameters:
  ///   - requirements: Those on the report itself, which JUnit shows as cases.
  ///   - style: The style of the format `text`.
  package func text(
    _ form: ReportFormat, _ requirements: [RunRequirement] = [], style: TextStyle = TextStyle()
  ) -> String {
    switch form {
    case .json: String(decoding: json.bytes(.indented), as: UTF8.self) + "\n"
    case .text: text(style)
    case .html: ReportPage(sections: sections, overview: lines, text: text(TextStyle())).html
    case .junit: JUnit(suites: suites(requirements)).xml
    }
  }

  private func suites(_ requirements: [RunRequirement]) -> [JUnit.Suite] {
    let own = requirements.isEmpty ? [] : [JUnit.Suite(name: "understudy.report", cases: requirements.map(\.junit))]
    let suites = own + parts.flatMap { $0.suites(failsOnWarnings: failsOnWarnings, namesSource: !isOfServer) }
    // A CI server takes a file without a suite for a fault of the job.
    return suites.isEmpty ? entries.prefix(1).map { .card($0.card, of: $0.part.source) } : suites
  }

  /// The cards of sandboxes with exchanges; all cards if there are none.
  private var entries: [Entry] {
    let all = parts.flatMap { part in part.cards.map { Entry(part: part, card: $0.card) } }
    let busy = all.filter { $0.card.exchanges > 0 }
    return busy.isEmpty ? all : busy
  }

  /// One line per check: its worst verdict, the number of cards with it, and the first of them.
  var lines: [ReportCard.Line] {
    let entries = entries
    var ids: [String] = []
    var found: [String: [(entry: Entry, line: ReportCard.Line)]] = [:]
    for entry in entries {
      for line in entry.card.lines {
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
      return ReportCard.Line(
        id: id, finding: Finding(worst, sentence, Evidence(ids: first.line.finding.evidence)))
    }
  }

  private func text(_ style: TextStyle) -> String {
    let (entries, lines) = (entries, lines)
    let exchanges = entries.reduce(0) { $0 + $1.card.exchanges }
    let files = ReportText.count(Set(parts.map(\.source)).count, "file")
    let heading =
      [ReportText.count(entries.count, "card")] + (isOfServer ? scenario(of: entries) : [files])
      + [ReportText.count(exchanges, "exchange")]
    let title = style.wrapped(ReportCard.plain("Report card: \(heading.joined(separator: ", "))"))
    var text = title + "\n\n" + lines.text(style) + "\n" + style.wrapped(lines.tally) + "\n"
    let (asked, unanswered) = entries.reduce((0, 0)) { ($0.0 + $1.card.asked, $0.1 + $1.card.unanswered) }
    if let sentence = ReportCard.sentence(on: unanswered, of: asked) { text += style.wrapped(sentence) + "\n" }
    if isPartial { text += style.wrapped(ReportCard.partialSentence) + "\n" }
    let failures =
      parts.flatMap { part in (part.command?.failures ?? []).map { "\(part.name): \($0)" } }
      + entries.compactMap { entry in
        let failed = entry.card.lines.filter { $0.verdict == .fail }.map(\.id)
        return failed.isEmpty ? nil : "\(entry.name): \(failed.joined(separator: ", "))"
      }
    if !failures.isEmpty { text += "\nFailed:\n" }
    for failure in failures.prefix(Self.maximumFailures) {
      text += "  \(style.wrapped(ReportCard.plain(failure), at: 2))\n"
    }
    if failures.count > Self.maximumFailures { text += "  and \(failures.count - Self.maximumFailures) more\n" }
    return text
  }

  /// Returns the scenario and the seed of the cards, if all have the same.
  private func scenario(of entries: [Entry]) -> [String] {
    guard let first = entries.first?.card, entries.allSatisfy({ $0.card.scenario == first.scenario }) else { return [] }
    let isOneSeed = entries.allSatisfy { $0.card.seed == first.seed }
    return ["scenario \(first.scenario)"] + (isOneSeed ? ["seed \(first.seed)"] : [])
  }

  private static let maximumFailures = 50

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
      "runs": .array(parts.map(\.json)),
    ]
  }

  /// The cards with exchanges, and those of runs that failed without a request.
  private var sections: [ReportPage.Section] {
    let busy = entries.map { ReportPage.Section($0) }
    let silent = parts.filter { part in
      part.command?.failures.isEmpty == false && part.cards.allSatisfy { $0.card.exchanges == 0 }
    }
    guard entries.contains(where: { $0.card.exchanges > 0 }) else { return busy }
    return busy
      + silent.flatMap { part in
        part.cards.prefix(1).map { ReportPage.Section(MergedReport.Entry(part: part, card: $0.card)) }
      }
  }
}

extension ReportPage.Section {
  fileprivate init(_ entry: MergedReport.Entry) {
    self.init(
      card: entry.card, failure: entry.part.command?.failures.first, source: entry.part.source, hasAttempts: false)
  }
}

extension MergedReport.Entry {
  /// The sandbox, the file and the seed.
  var name: String { "sandbox \(card.sandbox) of \(part.source), seed \(card.seed)" }
}
