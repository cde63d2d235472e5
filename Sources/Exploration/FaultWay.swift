package import Faults
import JSON
import Primitives

/// A way in which a request can fail: an effect, and the side of the state change on which it strikes.
///
/// Its text has the words of scenarios: `status=503`, `status=429;retryAfter=1s`, `reset@after`, `hang;for=30s`.
package struct FaultWay: Sendable, Equatable {
  package let text: String
  package let effect: Effect
  package let phase: Phase
  let requests: Requests

  /// The requests that can fail in this way.
  enum Requests: Sendable {
    case all, reads, writes
  }

  private init(_ text: String, _ effect: Effect, _ phase: Phase, for requests: Requests) {
    self.text = text
    self.effect = effect
    self.phase = phase
    self.requests = requests
  }

  /// The error in the text of a way: a clause that follows the text and a colon.
  package struct Defect: Error, Equatable {
    package let detail: String
  }

  /// Parses the text of a way.
  package init(_ text: String) throws(Defect) {
    let sides = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let phase = sides.count == 1 ? .before : Phase(rawValue: sides[1]) else {
      throw Defect(detail: "expected @before or @after behind the effect")
    }
    let effect = try Self.effect(sides[0])
    let kind = effect.kind
    if phase == .after, let reason = kind.onlyBeforeReason { throw Defect(detail: "expected no @after: \(reason)") }
    self.init(phase == .after ? text : sides[0], effect, phase, for: phase == .after ? .writes : .all)
  }

  /// Parses `name`, `name=value` and further members behind semicolons.
  private static func effect(_ text: String) throws(Defect) -> Effect {
    guard !text.isEmpty else { throw Defect(detail: "expected a way to fail, as in reset or status=503") }
    let parts = text.split(separator: ";", omittingEmptySubsequences: false).map { part in
      part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    }
    let name = parts[0][0]
    guard let kind = Effect.Kind.named(name) else {
      let known = Effect.Kind.allCases.filter { !$0.isOfSandbox && $0.dependence == nil }.map(\.name)
      let expectation = "expected one of \(known.joined(separator: ", "))"
      throw Defect(detail: "there is no such effect; " + expectation + Spelling.suggestion(for: name, among: known))
    }
    guard !kind.isOfSandbox, kind.dependence == nil else {
      throw Defect(detail: "\(kind.name) concerns more than one request; a scenario can have it")
    }
    guard let wrong = parts.dropFirst().first(where: { $0.count != 2 }) else {
      return try effect(kind, value: parts[0].dropFirst().first, parts.dropFirst().map { ($0[0], $0[1]) })
    }
    throw Defect(detail: "expected name=value between semicolons, found \(JSONValue.string(wrong[0]).text)")
  }

  private static func effect(
    _ kind: Effect.Kind, value: String?, _ parameters: [(name: String, value: String)]
  ) throws(Defect) -> Effect {
    let members = parameters.map { JSONValue.Member($0.name, json($0.value)) }
    var effect: [JSONValue.Member]
    if kind.isFault {
      guard value == nil else { throw Defect(detail: "\(kind.name) has no value") }
      effect = [JSONValue.Member(kind.word, .string(kind.name))] + members
    } else if let value {
      effect = [JSONValue.Member(kind.word, json(value))] + members
    } else {
      // The value of a pace is an object.
      effect = [JSONValue.Member(kind.word, .object(JSONValue.Object(members)))]
    }
    do throws(ValidationError) {
      return try Effect(json: .object(JSONValue.Object(effect)))
    } catch {
      let place = error.pointer.description.dropFirst()
      throw Defect(detail: (place.isEmpty ? "" : "\(place): ") + error.detail)
    }
  }

  private static func json(_ text: String) -> JSONValue {
    if let number = Int(text) { return .int(number) }
    return ["true", "false"].contains(text) ? .bool(text == "true") : .string(text)
  }
}

extension FaultWay {
  /// The ways in which every request fails unless others are given: the commonest failures of backends and networks.
  package static let standard: [FaultWay] =
    ["status=503", "status=429;retryAfter=1s", "reset", "empty"].map { way($0, for: .all) }
    + [way("truncate", for: .reads)]
    + ["status=503@after", "reset@after", "truncate@after"].map { way($0, for: .writes) }

  private static func way(_ text: String, for requests: Requests) -> FaultWay {
    do throws(Defect) {
      let way = try FaultWay(text)
      return FaultWay(way.text, way.effect, way.phase, for: requests)
    } catch {
      preconditionFailure("the way \(text) is wrong: \(error.detail)")
    }
  }

  /// Parses a list of ways, separated by commas.
  package static func list(_ text: String) throws(Defect) -> [FaultWay] {
    try list(text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
  }

  /// Parses ways, and leaves repetitions out.
  package static func list(_ texts: [String]) throws(Defect) -> [FaultWay] {
    var ways: [FaultWay] = []
    for text in texts {
      do throws(Defect) {
        ways.append(try FaultWay(text))
      } catch {
        throw Defect(detail: "\(JSONValue.string(text).text): \(error.detail)")
      }
    }
    return ways.distinct(by: \.text)
  }

  /// The requests that a way cannot strike, as a clause.
  package static let strikeConditions = "only a write fails @after, and only content can be damaged"

  /// Returns true if it can strike a request.
  func canStrike(_ row: ExploredRow) -> Bool {
    if effect.kind.needs != .nothing, !row.hasContent { return false }
    return switch requests {
    case .all: true
    case .reads: !row.isWrite
    case .writes: row.isWrite
    }
  }

  /// The way in words: `reset after the change, of each write`.
  package var words: String {
    let side = phase == .after ? " after the change" : ""
    return switch requests {
    case .all: "\(effect.description)\(side), of each request"
    case .reads: "\(effect.description)\(side), of each read"
    case .writes: "\(effect.description)\(side), of each write"
    }
  }

  /// A short form for the head of a column, without phase and parameters: `503`.
  var label: String {
    let text = text.prefix { $0 != "@" && $0 != ";" }
    return String(text.hasPrefix("status=") ? text.dropFirst("status=".count) : text)
  }
}
