import Foundation

/// The steps of writing a durable file, so that a test can interrupt between any two of them.
protocol FileStore: Sendable {
  /// Distinguishes this disk from others.
  var identity: String { get }
  /// Returns the content of a file; nil if it does not exist.
  func read(_ path: String) throws -> Data?
  /// Runs `body` while no other process does so with a file of the same directory, which is created if necessary.
  func exclusively<Result>(_ path: String, _ body: () throws -> Result) throws -> Result
  /// Writes or replaces a file. Its content need not be on the disk afterwards.
  func write(_ content: Data, to path: String) throws
  /// Waits until a file's content is on the disk.
  func synchronize(_ path: String) throws
  /// Renames a file, and replaces a file of the new name.
  func rename(_ path: String, to other: String) throws
  /// Waits until the names in a file's directory are on the disk.
  func synchronizeDirectory(of path: String) throws
  func exists(_ path: String) -> Bool
  /// Returns the files in a directory.
  func files(in directory: String) throws -> [StoredFile]
  func remove(_ path: String) throws
}

/// A file in a directory's listing.
struct StoredFile: Sendable {
  let path: String
  let byteCount: Int
  /// The time of the last write.
  let date: Date
}

/// The reason for which a change could not be stored on disk. The change was not recorded; only if the disk failed after the
/// file was replaced may a relaunch find it.
public enum StorageError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file at this path could not be read or written; `detail` is the system's message.
  case failed(path: String, detail: String)
  /// Another process has changed the file at this path since this one last read it. A directory belongs to one process:
  /// models of another process, such as an extension, need their own.
  case changedByAnotherProcess(path: String)

  /// The path of the file.
  public var path: String {
    switch self {
    case .failed(let path, _), .changedByAnotherProcess(let path): path
    }
  }

  public var description: String {
    switch self {
    case .failed(let path, let detail): "\(path): \(detail)"
    case .changedByAnotherProcess(let path):
      "\(path): Another process has changed the file. Give each process a directory of its own."
    }
  }
}
