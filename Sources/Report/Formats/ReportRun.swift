import Contract
import JSON
import Primitives

/// The cards of one run of a command, or those of a server, as a file holds them.
package struct ReportRun: Sendable {
  /// A command that ran against its own server.
  package struct Command: Sendable {
    let seed: UInt64
    /// The program and its arguments; empty in a file that does not say.
    let words: [String]
    /// The shell line that repeats the run.
    let repetition: String?
    /// The time at which the command started, in RFC 3339.
    let startedAt: String?
    /// The URL of the backend behind the server; nil for the five APIs.
    let upstream: String?
    let exitCode: Int32
    /// A sentence; nil if the command ended with 0.
    let failure: String?
    /// The time from its start to its end; nil in a file that does not say.
    let duration: Duration?
    /// The requirements on the run besides the checks of its cards.
    let requirements: [RunRequirement]

    package init(
      seed: UInt64, words: [String], repetition: String?, startedAt: String?, upstream: String?, exitCode: Int32,
      failure: String?, duration: Duration?, requirements: [RunRequirement]
    ) {
      self.seed = seed
      self.words = words
      self.repetition = repetition
      self.startedAt = startedAt
      self.upstream = upstream
      self.exitCode = exitCode
      self.failure = failure
      self.duration = duration
      self.requirements = requirements
    }

    /// The reasons why the run failed besides the checks of its cards.
    var failures: [String] { ([failure] + requirements.map(\.failure)).compactMap(\.self) }
  }

  /// A card, and its JSON if it was read: its delays and entries are only passed on.
  struct Card: Sendable {
    let card: ReportCard
    let read: JSONValue?
    var json: JSONValue { read ?? card.jsonWithEntries }
  }

  /// The file or the server from which the run was read, followed by the file that an earlier merge had read; nil for a
  /// run of this process.
  let source: String?
  /// Nil for cards of a server.
  let command: Command?
  let cards: [Card]

  /// Creates the run of a command by this process.
  package init(_ command: Command, _ cards: [FinalCard]) {
    (source, self.command) = (nil, command)
    self.cards = cards.map { Card(card: $0.card, read: nil) }
  }

  private init(source: String, command: Command?, cards: [Card]) {
    (self.source, self.command, self.cards) = (source, command, cards)
  }

  /// The cards of sandboxes with exchanges; if there are none, the last one, which is the default's.
  var cardsWithExchanges: [ReportCard] {
    let busy = cards.map(\.card).filter { $0.exchanges > 0 }
    return busy.isEmpty ? cards.suffix(1).map(\.card) : busy
  }

  /// The file and the seed.
  var name: String { [source, command.map { "seed \($0.seed)" }].compactMap(\.self).joined(separator: ", ") }
}

extension ReportRun {
  var json: JSONValue {
    var members: [JSONValue.Member] = []
    if let source { members.append(JSONValue.Member("source", .string(source))) }
    if let command { members += command.members }
    members.append(JSONValue.Member("cards", .array(cards.map(\.json))))
    return .object(JSONValue.Object(members))
  }

  /// Reads the content of a file: runs, or one card of a server.
  ///
  /// - Parameter source: The path of the file, or the URL of the server.
  package static func read(_ content: [UInt8], of source: String) throws(ReportFileError) -> [ReportRun] {
    let json: JSONValue
    do throws(JSONFileError) {
      json = try JSONValue(file: content)
    } catch {
      throw ReportFileError(description: "\(source):\(error)")
    }
    return try read(json, of: source)
  }

  static func read(_ json: JSONValue, of source: String) throws(ReportFileError) -> [ReportRun] {
    do throws(ValidationError) {
      if json["runs"] == nil {
        guard json["checks"] != nil else {
          throw ValidationError(.root, "a report card, or a file of run or report: an object with checks or runs")
        }
        let card = Card(card: try ReportCard(json, at: .root), read: json)
        return [ReportRun(source: source, command: nil, cards: [card])]
      }
      var runs: [ReportRun] = []
      for (index, run) in try json.array("runs", at: .root).enumerated() {
        runs.append(try ReportRun(run, at: .root / "runs" / index, of: source))
      }
      return runs
    } catch {
      let location = error.pointer.description.isEmpty ? "" : " \(error.pointer)"
      throw ReportFileError(description: "\(source)\(location): expected \(error.detail)")
    }
  }

  private init(_ json: JSONValue, at pointer: JSONPointer, of file: String) throws(ValidationError) {
    var cards: [Card] = []
    for (index, card) in try json.array("cards", at: pointer).enumerated() {
      cards.append(Card(card: try ReportCard(card, at: pointer / "cards" / index), read: card))
    }
    let source = json["source"]?.string.map { "\(file): \($0)" } ?? file
    let command = json["command"] == nil ? nil : try Command(json, at: pointer)
    self.init(source: source, command: command, cards: cards)
  }
}

extension ReportRun.Command {
  /// The members of the run's JSON that are about its command.
  fileprivate var members: [JSONValue.Member] {
    let command: JSONValue = [
      "words": .array(words.map { .string($0) }), "repeat": .string(orNull: repetition),
      "exitCode": .int(Int(exitCode)), "failure": .string(orNull: failure),
      "duration": .string(orNull: duration.map { DurationText.text($0) }),
    ]
    var members = [JSONValue.Member("seed", .int(Int(seed)))]
    if let startedAt { members.append(JSONValue.Member("startedAt", .string(startedAt))) }
    members.append(JSONValue.Member("upstream", .string(orNull: upstream)))
    members.append(JSONValue.Member("command", command))
    members.append(JSONValue.Member("requirements", .array(requirements.map(\.json))))
    return members
  }

  /// Reads the command of a run.
  fileprivate init(_ run: JSONValue, at pointer: JSONPointer) throws(ValidationError) {
    let command = run["command"] ?? .null
    guard let code = Int32(exactly: try command.count("exitCode", at: pointer / "command")) else {
      throw ValidationError(pointer / "command" / "exitCode", "an exit code")
    }
    var requirements: [RunRequirement] = []
    for (index, item) in (run["requirements"]?.array ?? []).enumerated() {
      requirements.append(try RunRequirement(item, at: pointer / "requirements" / index))
    }
    self.init(
      seed: UInt64(try run.count("seed", at: pointer)), words: command["words"]?.array?.compactMap(\.string) ?? [],
      repetition: command["repeat"]?.string, startedAt: run["startedAt"]?.string, upstream: run["upstream"]?.string,
      exitCode: code, failure: command["failure"]?.string,
      duration: command["duration"]?.string.flatMap { DurationText($0)?.duration }, requirements: requirements)
  }

  /// The facts about the run for a reader, each with its name.
  var facts: [(name: String, value: String)] {
    let facts = [
      ("command", words.isEmpty ? nil : ShellText.line(words)), ("started", startedAt), ("backend", upstream),
      ("repeat", repetition),
    ]
    return facts.compactMap { name, value in value.map { (name, $0) } }
  }
}

/// The error of a file without a report card: its path, the position, and the expectation.
package struct ReportFileError: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

extension ReportCard {
  /// Reads the card that a server gave.
  ///
  /// - Parameter server: The URL of the server or of the sandbox, for the error.
  package static func read(_ content: [UInt8], of server: String) throws(ReportFileError) -> ReportCard {
    guard let card = try ReportRun.read(content, of: server).first?.cards.first?.card else {
      throw ReportFileError(description: "\(server): expected a report card")
    }
    return card
  }

  /// Reads the JSON of a card, without delays and attempts.
  fileprivate init(_ json: JSONValue, at pointer: JSONPointer) throws(ValidationError) {
    var checks: [Check] = []
    for (index, check) in try json.array("checks", at: pointer).enumerated() {
      checks.append(try Check(check, at: pointer / "checks" / index))
    }
    guard let isPartial = json["partial"]?.bool else { throw ValidationError(pointer / "partial", "true or false") }
    var entries: [Int: JSONValue] = [:]
    for entry in json["entries"]?.array ?? [] { if let id = entry["id"]?.int { entries[id] = entry } }
    self.init(
      sandbox: try json.text("sandbox", at: pointer), scenario: try json.text("scenario", at: pointer),
      seed: UInt64(try json.count("seed", at: pointer)), exchanges: try json.count("exchanges", at: pointer),
      replays: try json.count("replays", at: pointer), isJournalPartial: isPartial, checks: checks, delays: Delays(),
      timeline: [], strikes: json["faults"]?.int, asked: json["upstream"]?["requests"]?.int ?? 0,
      unanswered: json["upstream"]?["unanswered"]?.int ?? 0, entries: entries)
  }
}

extension ReportCard.Check {
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

extension RunRequirement {
  fileprivate init(_ json: JSONValue, at pointer: JSONPointer) throws(ValidationError) {
    let isMet = json["failure"] == nil || json["failure"] == .null
    self.init(id: try json.text("id", at: pointer), failure: isMet ? nil : try json.text("failure", at: pointer))
  }
}

extension JSONValue {
  fileprivate static func string(orNull text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  fileprivate func array(_ name: String, at pointer: JSONPointer) throws(ValidationError) -> [JSONValue] {
    guard let array = self[name]?.array else { throw ValidationError(pointer / name, "an array") }
    return array
  }

  fileprivate func text(_ name: String, at pointer: JSONPointer) throws(ValidationError) -> String {
    guard let text = self[name]?.string else { throw ValidationError(pointer / name, "a string") }
    return text
  }

  fileprivate func count(_ name: String, at pointer: JSONPointer) throws(ValidationError) -> Int {
    guard let count = self[name]?.int, count >= 0 else { throw ValidationError(pointer / name, "a number from 0 on") }
    return count
  }
}
