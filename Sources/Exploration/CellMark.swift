import Report

/// The result of one cell.
package enum CellMark: String, Sendable, CaseIterable {
  /// The command succeeded, and its report card has no mistake that the calm card has not.
  case survived
  /// The report card has a mistake that the calm card has not.
  case failed
  /// The command ended with another code than 0: perhaps it reports the failure honestly.
  case command
  /// The report card has a warning that the calm card has not.
  case warned
  /// The command did not end in time.
  case hung
  /// A signal ended the command: no honest answer to a failure.
  case crashed
  /// The request did not come, or its response could not have the fault.
  case unmet
  /// The cell was not run, because of the limit or because the exploration was stopped.
  case unrun

  /// Its form in a column of the table: that of a verdict where it says the same.
  package var symbol: String {
    switch self {
    case .survived: Verdict.pass.mark
    case .failed: Verdict.fail.mark
    case .command: "exit"
    case .warned: Verdict.warn.mark
    case .hung: "hung"
    case .crashed: "crash"
    case .unmet: "unmet"
    case .unrun: Verdict.notExercised.mark
    }
  }

  /// The color of the symbol in a terminal.
  var color: String {
    switch self {
    case .survived: Verdict.pass.color
    case .failed, .hung, .crashed: Verdict.fail.color
    case .warned: Verdict.warn.color
    case .command: "\u{1B}[36m"
    case .unmet, .unrun: Verdict.notExercised.color
    }
  }

  /// The meaning of the symbol, for the line below the table.
  var meaning: String {
    switch self {
    case .survived: "the command coped"
    case .failed: "a mistake"
    case .command: "the command ended with another code than 0"
    case .warned: "a warning"
    case .hung: "the command did not end in time"
    case .crashed: "a signal ended the command"
    case .unmet: "the request did not come again, or could not fail so"
    case .unrun: "not run"
    }
  }
}

/// The marks that fail an exploration.
package enum CellStrictness: String, Sendable, CaseIterable {
  case fail, command, warn, never

  package func isFailing(_ mark: CellMark) -> Bool {
    switch mark {
    case .failed, .hung, .crashed: self != .never
    case .command: self == .command || self == .warn
    case .warned: self == .warn
    case .survived, .unmet, .unrun: false
    }
  }
}
