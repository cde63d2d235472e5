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
  /// The request did not come, or its response could not have the fault.
  case unmet
  /// The cell was not run, because of the limit or because the exploration was stopped.
  case unrun

  /// Its form in a column of the table.
  package var symbol: String {
    switch self {
    case .survived: "ok"
    case .failed: "X"
    case .command: "exit"
    case .warned: "!"
    case .hung: "hung"
    case .unmet: "unmet"
    case .unrun: "-"
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
    case .failed, .hung: self != .never
    case .command: self == .command || self == .warn
    case .warned: self == .warn
    case .survived, .unmet, .unrun: false
    }
  }
}
