import Primitives
import Testing

/// The shell line that runs one test again under the same conditions, and stores what the test attaches.
struct RepeatLine: CustomStringConvertible {
  let seed: UInt64
  /// The regular expression of `swift test --filter`.
  let filter: String

  var description: String {
    // `swift test` drops attachments unless it is given an existing directory.
    "mkdir -p \(Self.attachments) && UNDERSTUDY_SEED=\(seed) "
      + ShellText.line(["swift", "test", "--filter", filter, "--attachments-path", Self.attachments])
  }

  private static let attachments = ".build/attachments"

  /// Returns a regular expression that matches only this test.
  static func filter(of test: Test) -> String {
    "^" + literal("\(test.id.moduleName).\(test.id.nameComponents.joined(separator: "/"))")
  }

  /// Returns a regular expression that matches the text itself.
  static func literal(_ text: String) -> String {
    text.map { #"\^$.|?*+()[]{}"#.contains($0) ? "\\\($0)" : "\($0)" }.joined()
  }
}
