package import Foundation
package import Testing

/// The files of a test: a directory that is removed when the test ends.
package enum TemporaryFiles {
  @TaskLocal fileprivate static var directory: URL?
  fileprivate static let root = FileManager.default.temporaryDirectory

  /// Returns the URL of a directory that does not exist yet, in the directory of the current test.
  package static func newDirectory() -> URL {
    if directory == nil { Issue.record("a test that makes files needs the trait .temporaryFiles, which removes them") }
    return (directory ?? root).appendingPathComponent(UUID().uuidString)
  }

  /// Returns the URL of a file that does not exist yet, in a directory of its own.
  package static func newFile() throws -> URL {
    let directory = newDirectory()
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    return directory.appendingPathComponent("file")
  }
}

/// The trait `.temporaryFiles` of suites and tests that make files.
package struct TemporaryFilesTrait: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let directory = TemporaryFiles.root.appendingPathComponent("understudy-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await TemporaryFiles.$directory.withValue(directory) { try await function() }
  }
}

extension Trait where Self == TemporaryFilesTrait {
  package static var temporaryFiles: Self { TemporaryFilesTrait() }
}
