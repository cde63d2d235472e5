/// One fact that a server must live up to, and how to find out whether it does.
struct Check: Sendable {
  /// In kebab-case, and the same for ever: reports of different days are compared by it.
  let id: String
  /// The API that it is about, or `http` or `control`.
  let group: String
  let sentence: String
  /// Where the fact is written down, for a reader to open: sections of RFCs, operations of `openapi.yaml` (or its
  /// `info`), and headings of the README or of an article, with semicolons between.
  let source: String
  let needs: Needs
  let run: @Sendable (Bench) throws(Finding) -> Void

  init(
    _ id: String, in group: String, _ sentence: String, from source: String, needs: Needs = .nothing,
    run: @escaping @Sendable (Bench) throws(Finding) -> Void
  ) {
    self.id = id
    self.group = group
    self.sentence = sentence
    self.source = source
    self.needs = needs
    self.run = run
  }

  /// A heading of the article on what the real services fixed.
  static func article(_ heading: String) -> String { "Conformance.docc/WhatTheServicesSend.md, " + heading }

  /// What must be had before a check may touch a server.
  enum Needs: Sendable {
    /// It only reads, or puts back what it changed.
    case nothing
    /// It changes what it cannot put back, or relies on the state of the start: it wants a sandbox of its own.
    case sandbox
    /// It is about the control API, or uses more of it than sandboxes.
    case control
  }
}

/// What ends a check early.
enum Finding: Error, Sendable, Equatable {
  case failed(expected: String, found: String)
  case skipped(String)
}

/// Ends the check as failed unless `isSo`.
///
/// - Parameters:
///   - expected: What should have come, in words that complete «expected …».
///   - found: What came.
func require(_ isSo: Bool, _ expected: String, found: @autoclosure () -> String) throws(Finding) {
  guard isSo else { throw .failed(expected: expected, found: found()) }
}

func require<Value>(
  _ value: Value?, _ expected: String, found: @autoclosure () -> String
) throws(Finding) -> Value {
  guard let value else { throw .failed(expected: expected, found: found()) }
  return value
}
