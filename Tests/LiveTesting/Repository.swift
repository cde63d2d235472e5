package import Foundation

/// The repository of these tests, of which some read pages and sources.
package enum Repository {
  package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Returns the text of a file.
  package static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Returns the URL of a page of the server's documentation.
  package static func page(_ name: String) -> URL {
    root.appending(path: "Sources/Understudy/Understudy.docc/\(name).md")
  }
}
