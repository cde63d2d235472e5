import Platform
import Primitives

/// The directory of one run: the command's `TMPDIR` and its output. It is removed with everything in it.
struct ScratchDirectory: ~Copyable {
  private let path: String

  init() throws(SystemError) {
    let parent = Environment.value("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    path = "\(parent)/understudy-\(RandomToken.make())"
    for directory in [path, temporaryFiles] {
      guard try File.makeDirectory(directory, isPrivate: true) else {
        throw SystemError(directory, reason: "It exists")
      }
    }
  }

  deinit { File.removeTree(path) }

  var temporaryFiles: String { path + "/tmp" }

  /// The file for the output of a command.
  var output: String { path + "/output" }

  /// The file for a scenario that is tried.
  var scenario: String { path + "/scenario.json" }

  /// Returns the last lines of the output.
  func lastLines(_ count: Int) -> [String] { Self.lastLines(count, of: output) }

  /// Returns the last lines of a file.
  static func lastLines(_ count: Int, of file: String) -> [String] {
    let text = String(decoding: File.tail(of: file, atMost: 16 << 10), as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0.prefix(500)) }
      .reversed().drop { $0.isEmpty }.prefix(count).reversed()
  }
}
