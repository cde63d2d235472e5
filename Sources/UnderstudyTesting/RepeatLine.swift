import Primitives
import Testing

/// The shell line that runs one test again under the same conditions, and stores what the test attaches.
struct RepeatLine: CustomStringConvertible {
  let seed: UInt64
  /// The regular expression of `swift test --filter`.
  let filter: String
  /// The name of the only cell to explore; nil for all, and for a test that explores nothing.
  var cell: String?

  var description: String {
    let chosen = cell.map { "\(Self.cellVariable)=\(ShellText.line([$0])) " } ?? ""
    // `swift test` drops attachments unless it is given an existing directory.
    return "mkdir -p \(Self.attachments) && \(chosen)UNDERSTUDY_SEED=\(seed) "
      + ShellText.line(["swift", "test", "--filter", filter, "--attachments-path", Self.attachments])
  }

  /// The variable that names the only cell to explore.
  static let cellVariable = "UNDERSTUDY_EXPLORE_CELL"

  private static let attachments = ".build/attachments"

  /// Returns a regular expression that matches only this test.
  static func filter(of test: Test) -> String {
    "^" + literal("\(test.id.moduleName).\(test.id.nameComponents.joined(separator: "/"))")
  }

  /// Returns a regular expression that matches a test of any suite by its function.
  ///
  /// - Parameters:
  ///   - function: The function as `#function` has it: `testBooksOnce()`.
  ///   - fileID: The test's file, as `#fileID` has it.
  static func filter(ofFunction function: String, in fileID: String) -> String {
    // XCTest's `Module.Class/test`, or Swift Testing's `Module.Suite/test()` without the labels of parameters.
    let name = function.prefix(upTo: function.lastIndex(of: "(") ?? function.endIndex)
    let module = fileID.prefix { $0 != "/" }
    return "^\(module)\\..*\(literal(String(name)))(\\(|$)"
  }

  /// Returns a regular expression that matches the text itself.
  static func literal(_ text: String) -> String {
    text.map { #"\^$.|?*+()[]{}"#.contains($0) ? "\\\($0)" : "\($0)" }.joined()
  }
}
