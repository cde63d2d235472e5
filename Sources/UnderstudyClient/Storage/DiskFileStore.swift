import Foundation
import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Files on disk. Foundation neither synchronizes a directory nor replaces a file atomically by renaming.
struct DiskFileStore: FileStore {
  var identity: String { "" }

  func read(_ path: String) throws -> Data? {
    do {
      return try Data(contentsOf: URL(fileURLWithPath: path))
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return nil
    }
  }

  /// Locks the directory, because the file itself is replaced by each change.
  func exclusively<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    makeDirectory(of: path)
    let directory = try openDirectory(of: path)
    while flock(directory.number, LOCK_EX) != 0 {
      guard errno == EINTR else { throw SystemError(path) }
    }
    defer { _ = flock(directory.number, LOCK_UN) }
    return try body()
  }

  func write(_ content: Data, to path: String) throws { try content.write(to: URL(fileURLWithPath: path)) }

  /// If this fails, opening the directory fails, too, and with the system's reason.
  private func makeDirectory(of path: String) {
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
    try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  func synchronize(_ path: String) throws { try Descriptor(opening: path, O_RDONLY).synchronize() }

  func rename(_ path: String, to other: String) throws { try File.rename(path, to: other) }

  func synchronizeDirectory(of path: String) throws { try openDirectory(of: path).synchronize() }

  private func openDirectory(of path: String) throws(SystemError) -> Descriptor {
    try Descriptor(opening: URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
  }

  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  func files(in directory: String) throws -> [StoredFile] {
    try FileManager.default.contentsOfDirectory(atPath: directory).compactMap { name in
      let path = directory + "/" + name
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      guard let size = attributes?[.size] as? Int, let date = attributes?[.modificationDate] as? Date else {
        return nil
      }
      return StoredFile(path: path, byteCount: size, date: date)
    }
  }

  func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }
}

extension StorageError {
  /// Returns the system's message, without Foundation's wrapping.
  static func reason(for error: any Error) -> String {
    if let error = error as? SystemError { return error.reason }
    return ((error as? CocoaError)?.underlying as? POSIXError).map { SystemError.reason(of: $0.code.rawValue) }
      ?? error.localizedDescription
  }
}
