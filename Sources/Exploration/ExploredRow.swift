package import Faults

/// A request of the calm runs that every further run is expected to send, too: a row of the table.
package struct ExploredRow: Sendable, Equatable {
  /// The name of the API; empty for a path that no API has, and for a request to the backend.
  package let api: String
  /// The sandbox; nil for any, if the command gives its sandboxes new names in each run.
  package let sandbox: String?
  package let method: String
  /// The path, or its pattern if the command makes the path anew in each run.
  package let path: String
  /// The name that a file of semantics gives the operation; nil if it gives none.
  package let operation: String?
  /// The ordinal among the requests that `counting` counts together.
  package let n: Int
  /// The requests that are counted: those with the path, or all that the pattern matches.
  package let counting: Trigger.Counting
  package let isWrite: Bool
  /// True if another request of its stream was under way at the same time: which of them is the nth, may differ.
  package let overlaps: Bool
  /// True if its response had content.
  package let hasContent: Bool
  /// The method, and the path with the labels that it needs to be unique among the rows: `POST /book`.
  package internal(set) var target: String

  /// Its name: `POST /book#1`.
  package var name: String { "\(target)#\(n)" }

  /// Its name in the table: `POST /book #1`.
  package var title: String { "\(target) #\(n)\(overlaps ? " ~" : "")" }
}

extension ExploredRow {
  /// The target without an API: the default sandbox has no label.
  var plainTarget: String {
    let label = sandbox.map { $0 == "default" ? "" : "/@\($0)" } ?? "/@*"
    return "\(method) \(label)\(path)" + (operation.map { " (\($0))" } ?? "")
  }

  /// The target with the label of its API.
  var targetWithAPI: String {
    let words = plainTarget.split(separator: " ", maxSplits: 1).map(String.init)
    return "\(words[0]) /@\(api)\(words[1])"
  }
}
