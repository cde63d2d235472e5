import Contract

/// One fact that a server must satisfy, and the code that verifies it.
struct Check: Sendable {
  /// A name in kebab-case. It never changes, so that reports of different versions can be compared.
  let id: String
  /// The API under test, or `http` or `control`.
  let group: String
  let sentence: String
  /// The sources of the fact, separated by semicolons: sections of RFCs, operations of `openapi.yaml` (or its `info`),
  /// and headings of the README or of an article.
  let source: String
  let needs: Requirement
  let run: @Sendable (Session) throws(EarlyEnd) -> Void

  init(
    _ id: String, in group: String, _ sentence: String, from source: String, needs: Requirement = .nothing,
    run: @escaping @Sendable (Session) throws(EarlyEnd) -> Void
  ) {
    self.id = id
    self.group = group
    self.sentence = sentence
    self.source = source
    self.needs = needs
    self.run = run
  }

  /// Returns a heading of the article about the real services' behaviour, as a source.
  static func article(_ heading: String) -> String { page + heading }

  private static let page = "Conformance.docc/WhatTheServicesSend.md, "

  /// The source of facts where the real services showed no behaviour.
  static let silent = article("Where the services were silent")

  /// The real service if the article about it is the only source; a fact that has another one, too, is this contract's.
  var origin: CheckDescription.Origin {
    let sources = source.split(separator: ";").map { $0.drop { $0 == " " } }
    return sources.allSatisfy { $0.hasPrefix(Self.page) && $0 != Self.silent } ? .service : .ours
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
    let own = ["devices": devices, "activities": activities, "house": house, "users": users, "booking": booking]
    let apis = API.all.flatMap { walk($0, $0.name) + shared($0) + [undeclared($0)] + (own[$0.name] ?? []) }
    return apis + httpConnections + httpRequests + httpFraming + control
  }()
}
