import Foundation

/// The steps of which a durable file is made, so that a test can stop between any two of them.
protocol FileStore: Sendable {
  /// The content of a file; nil where there is none.
  func read(_ path: String) throws -> Data?
  /// Writes a file in place of what it was. It need not be on the disk afterwards.
  func write(_ content: Data, to path: String) throws
  /// Waits until a file's content is on the disk.
  func synchronize(_ path: String) throws
  /// Gives a file another name, in place of whatever had it.
  func rename(_ path: String, to other: String) throws
  /// Waits until the names in a file's directory are on the disk.
  func synchronizeDirectory(of path: String) throws
  func exists(_ path: String) -> Bool
}

/// Why something could not be kept on disk. What was to be recorded is not recorded.
public struct StorageError: Error, Sendable, Hashable, CustomStringConvertible {
  public let path: String
  public let detail: String

  public init(path: String, detail: String) {
    self.path = path
    self.detail = detail
  }

  public var description: String { "\(path): \(detail)" }
}
