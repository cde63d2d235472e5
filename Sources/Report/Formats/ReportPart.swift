import Contract
import JSON
import Primitives

/// One run in a file, or one card downloaded from a server.
package struct ReportPart: Sendable {
  /// The outcome of a command.
  struct Command: Sendable {
    let seed: UInt64
    let exitCode: Int32
    /// A sentence; nil if the command ended with 0.
    let failure: String?
    /// The time from its start to its end; nil in a file that does not say.
    let duration: Duration?
    let requirements: [RunRequirement]

    /// The reasons why the run failed besides the checks of its cards.
    var failures: [String] { requirements.failures(after: failure) }
  }

  /// A card as far as a file contains it, and its original text: delays and attempts are only passed on.
  struct Card: Sendable {
    let card: ReportCard
    let json: JSONValue
  }

  /// The path of the file, followed by the path that an earlier merge had read.
  let source: String
  /// Nil for a card downloaded from a server.
  let command: Command?
  let cards: [Card]

  var name: String { command.map { "\(source), seed \($0.seed)" } ?? source }

  /// Reads the content of a file of cards.
  ///
  /// - Parameter path: The path of the file.
  package static func read(_ content: [UInt8], of path: String) throws(ReportFileError) -> [ReportPart] {
    let json: JSONValue
    do throws(JSONFileError) {
      json = try JSONValue(file: content)
    } catch {
      throw ReportFileError(description: "\(path):\(error)")
    }
    return try parts(json, of: path)
  }

  /// Returns the parts of a file's content.
  private static func parts(_ json: JSONValue, of path: String) throws(ReportFileError) -> [ReportPart] {
    do throws(ValidationError) {
      return try parts(json, at: .root, of: path)
    } catch {
      let location = error.pointer.description.isEmpty ? "" : " \(error.pointer)"
      throw ReportFileError(description: "\(path)\(location): expected \(error.detail)")
    }
  }

  static func parts(_ json: JSONValue, at pointer: JSONPointer, of path: String) throws(ValidationError) -> [ReportPart]
  {
    if json["runs"] != nil {
      let runs = try json.array("runs", at: pointer)
      var parts: [ReportPart] = []
      for (index, run) in runs.enumerated() { parts += try Self.parts(run, at: pointer / "runs" / index, of: path) }
      return parts
    }
    let source = json["source"]?.string.map { "\(path): \($0)" } ?? path
    if json["cards"] != nil {
      var cards: [Card] = []
      for (index, card) in try json.array("cards", at: pointer).enumerated() {
        cards.append(Card(card: try ReportCard(card, at: pointer / "cards" / index), json: card))
      }
      return [ReportPart(source: source, command: try Command(ofRun: json, at: pointer), cards: cards)]
    }
    guard json["checks"] != nil else {
      throw ValidationError(pointer, "a report card, or a report of run, as JSON: an object with checks, cards or runs")
    }
    let card = Card(card: try ReportCard(json, at: pointer), json: json)
    return [ReportPart(source: source, command: nil, cards: [card])]
  }

  var json: JSONValue {
    var members: [JSONValue.Member] = [JSONValue.Member("source", .string(source))]
    if let command {
      members.append(JSONValue.Member("seed", .int(Int(command.seed))))
      members.append(
        JSONValue.Member(
          "command",
          [
            "exitCode": .int(Int(command.exitCode)), "failure": command.failure.map { .string($0) } ?? .null,
            "duration": command.duration.map { .string(DurationText.text($0)) } ?? .null,
          ]))
      members.append(JSONValue.Member("requirements", .array(command.requirements.map(\.json))))
    }
    members.append(JSONValue.Member("cards", .array(cards.map(\.json))))
    return .object(JSONValue.Object(members))
  }

  /// Returns the suites of the command and of the sandboxes that clients used.
  ///
  /// - Parameter namesSource: False for cards of one server: its sandboxes have distinct names, and the address of a test
  ///   server differs with each run, so that no CI server could compare the results of two runs.
  func suites(failsOnWarnings: Bool, namesSource: Bool) -> [JUnit.Suite] {
    let source = namesSource ? source : nil
    let suites = cards.filter { $0.card.exchanges > 0 }.map { card in
      JUnit.Suite.card(card.card, of: source, ofRunWithSeed: command?.seed, failsOnWarnings: failsOnWarnings)
    }
    guard let command else { return suites }
    return [
      .command(
        name: JUnit.Suite.name(source: source, scenario: cards.last?.card.scenario, seed: command.seed),
        seed: command.seed, exitCode: command.exitCode, failure: command.failure,
        duration: command.duration, requirements: command.requirements)
    ] + suites
  }
}

/// The error of a file without a report card: its path, the position, and the expectation.
package struct ReportFileError: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

extension ReportPart.Command {
  /// Reads the command of a run; nil if there is none.
  fileprivate init?(ofRun json: JSONValue, at pointer: JSONPointer) throws(ValidationError) {
    guard let command = json["command"] else { return nil }
    guard let code = Int32(exactly: try command.count("exitCode", at: pointer / "command")) else {
      throw ValidationError(pointer / "command" / "exitCode", "an exit code")
    }
    self.init(
      seed: UInt64(try json.count("seed", at: pointer)), exitCode: code, failure: command["failure"]?.string,
      duration: command["duration"]?.string.flatMap { DurationText($0)?.duration },
      requirements: try RunRequirement.list(ofRun: json, at: pointer))
  }
}

extension ReportCard {
  /// Reads the JSON of a card, without delays and attempts.
  fileprivate init(_ json: JSONValue, at pointer: JSONPointer) throws(ValidationError) {
    var lines: [Line] = []
    for (index, check) in try json.array("checks", at: pointer).enumerated() {
      lines.append(try Line(check, at: pointer / "checks" / index))
    }
    guard let isPartial = json["partial"]?.bool else { throw ValidationError(pointer / "partial", "true or false") }
    self.init(
      sandbox: try json.text("sandbox", at: pointer), scenario: try json.text("scenario", at: pointer),
      seed: UInt64(try json.count("seed", at: pointer)), exchanges: try json.count("exchanges", at: pointer),
      replays: try json.count("replays", at: pointer), isJournalPartial: isPartial, lines: lines, delays: Delays(),
      timeline: [], strikes: json["faults"]?.int, asked: json["upstream"]?["requests"]?.int ?? 0,
      unanswered: json["upstream"]?["unanswered"]?.int ?? 0, entries: Self.entries(json["entries"]?.array ?? []))
  }
}

extension ReportCard {
  /// The entries of a file by their ids; what has none is left out.
  private static func entries(_ list: [JSONValue]) -> [Int: JSONValue] {
    var entries: [Int: JSONValue] = [:]
    for entry in list { if let id = entry["id"]?.int { entries[id] = entry } }
    return entries
  }
}

extension ReportCard.Line {
  fileprivate init(_ json: JSONValue, at pointer: JSONPointer) throws(ValidationError) {
    guard let verdict = Verdict(rawValue: try json.text("verdict", at: pointer)) else {
      let choices = Verdict.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError(pointer / "verdict", "one of \(choices)")
    }
    var evidence: [Int] = []
    for (index, id) in try json.array("evidence", at: pointer).enumerated() {
      guard let id = id.int else { throw ValidationError(pointer / "evidence" / index, "the id of a journal entry") }
      evidence.append(id)
    }
    self.init(
      id: try json.text("id", at: pointer),
      finding: Finding(verdict, try json.text("sentence", at: pointer), Evidence(ids: evidence)))
  }
}

extension JSONValue {
  func array(_ name: String, at pointer: JSONPointer) throws(ValidationError) -> [JSONValue] {
    guard let array = self[name]?.array else { throw ValidationError(pointer / name, "an array") }
    return array
  }

  func text(_ name: String, at pointer: JSONPointer) throws(ValidationError) -> String {
    guard let text = self[name]?.string else { throw ValidationError(pointer / name, "a string") }
    return text
  }

  fileprivate func count(_ name: String, at pointer: JSONPointer) throws(ValidationError) -> Int {
    guard let count = self[name]?.int, count >= 0 else { throw ValidationError(pointer / name, "a number from 0 on") }
    return count
  }
}
