import Contract
import ControlAPI

/// One fact that a server must satisfy, and the code that verifies it.
struct Check: Sendable {
  /// A name in kebab-case. It never changes, so that reports of different versions can be compared.
  let id: String
  /// The API under test, or `http` or `control`.
  let group: String
  let sentence: String
  let source: Source
  let needs: Requirement
  let steps: [Step]

  init(
    _ id: String, in group: String, _ sentence: String, from source: Source, needs: Requirement = .nothing,
    run: @escaping @Sendable (Session) throws(EarlyEnd) -> Void
  ) {
    self.id = id
    self.group = group
    self.sentence = sentence
    self.source = source
    self.needs = needs
    steps = [.code(run)]
  }

  init(_ row: Row, of api: String) {
    id = "\(api)-\(row.id)"
    group = api
    sentence = row.sentence
    source = row.source
    needs = row.needs
    steps = row.steps
  }

  /// The source of a fact, by which the fact is the real service's or this contract's.
  enum Source: Sendable {
    /// The article about the real services, under the heading of the API itself.
    case service
    /// The article about the real services, under the heading of all of them.
    case everyService
    /// Sections of RFCs, operations of `openapi.yaml` (or its `info`), and headings of the README or of an article,
    /// separated by semicolons.
    case ours(String)

    static func article(_ heading: String) -> String { "Conformance.docc/WhatTheServicesSend.md, " + heading }

    var origin: CheckDescription.Origin {
      switch self {
      case .service, .everyService: .service
      case .ours: .ours
      }
    }

    fileprivate func text(of group: String) -> String {
      switch self {
      case .service: Self.article(group.prefix(1).uppercased() + group.dropFirst())
      case .everyService: Self.article("Every service")
      case .ours(let text): text
      }
    }
  }

  var description: CheckDescription {
    CheckDescription(id: id, group: group, sentence: sentence, source: source.text(of: group), origin: source.origin)
  }

  /// The condition under which a check may use a server.
  enum Requirement: Sendable {
    /// The check only reads, or restores what it changes.
    case nothing
    /// The check changes data that it cannot restore, or relies on the initial state: it needs its own sandbox.
    case sandbox
    /// The check tests the control API, or uses more of it than sandboxes.
    case control
  }
}

/// The result of a check that ends before its last line: it failed, or it cannot be run.
enum EarlyEnd: Error, Sendable, Equatable {
  case failed(expected: String, found: String)
  case skipped(String)
}

/// Ends the check as failed unless `isSo` is true.
///
/// - Parameters:
///   - expected: The expectation, as words that complete «expected …».
///   - found: The actual result.
func require(_ isSo: Bool, _ expected: String, found: @autoclosure () -> String) throws(EarlyEnd) {
  guard isSo else { throw .failed(expected: expected, found: found()) }
}

func require<Value>(
  _ value: Value?, _ expected: String, found: @autoclosure () -> String
) throws(EarlyEnd) -> Value {
  guard let value else { throw .failed(expected: expected, found: found()) }
  return value
}

extension Check {
  /// All checks, in the order of a report.
  static let all: [Check] = {
    let rows: [String: [Row]] = [
      "devices": Row.devices, "activities": Row.activities, "house": Row.house, "users": Row.users,
      "booking": Row.booking,
    ]
    let apis = API.all.flatMap { api in
      walk(api, api.name) + shared(api) + [undeclared(api)] + (rows[api.name] ?? []).map { Check($0, of: api.name) }
    }
    let control = walk(.control, "control") + Row.control.map { Check($0, of: "control") }
    return apis + httpConnections + httpRequests + httpFraming + control
  }()
}
