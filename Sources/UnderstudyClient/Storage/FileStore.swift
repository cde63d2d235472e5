import Foundation

/// The steps of writing a durable file, so that a test can interrupt between any two of them.
protocol FileStore: Sendable {
  /// Returns the content of a file; nil if it does not exist.
  func read(_ path: String) throws -> Data?
  /// Writes or replaces a file. Its content need not be on the disk afterwards.
  func write(_ content: Data, to path: String) throws
  /// Waits until a file's content is on the disk.
  func synchronize(_ path: String) throws
  /// Renames a file, and replaces a file of the new name.
  func rename(_ path: String, to other: String) throws
  /// Waits until the names in a file's directory are on the disk.
  func synchronizeDirectory(of path: String) throws
  func exists(_ path: String) -> Bool
}

/// The reason for which a change could not be stored on disk. The change was not recorded.
public struct StorageError: Error, Sendable, Hashable, CustomStringConvertible {
  public let path: String
  public let detail: String

  public init(path: String, detail: String) {
    self.path = path
    self.detail = detail
  }

  public var description: String { "\(path): \(detail)" }
}
