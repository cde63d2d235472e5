import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Files on disk. Only this file calls the system directly: Foundation neither syncs a directory nor replaces a file
/// atomically by renaming.
struct DiskFileStore: FileStore {
  func read(_ path: String) throws -> Data? {
    do {
      return try Data(contentsOf: URL(fileURLWithPath: path))
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return nil
    }
  }

  func write(_ content: Data, to path: String) throws {
    try content.write(to: URL(fileURLWithPath: path))
  }

  func synchronize(_ path: String) throws { try synchronizeEntry(path) }

  func rename(_ path: String, to other: String) throws {
    #if canImport(Glibc)
      let status = unsafe Glibc.rename(path, other)
    #elseif canImport(Musl)
      let status = unsafe Musl.rename(path, other)
    #else
      let status = unsafe Darwin.rename(path, other)
    #endif
    guard status == 0 else { throw failure(path) }
  }

  func synchronizeDirectory(of path: String) throws {
    try synchronizeEntry(URL(fileURLWithPath: path).deletingLastPathComponent().path)
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

  private func synchronizeEntry(_ path: String) throws {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    #if canImport(Darwin)
      // On Apple systems, fsync leaves the bytes in the drive's cache; not every file system supports the stronger
      // call.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw failure(path) }
  }

  private func failure(_ path: String) -> StorageError {
    StorageError(path: path, detail: StorageError.text(of: errno))
  }
}

extension StorageError {
  /// Returns the system's message, without Foundation's wrapping.
  static func reason(for error: any Error) -> String {
    ((error as? CocoaError)?.underlying as? POSIXError).map { text(of: $0.code.rawValue) } ?? error.localizedDescription
  }

  fileprivate static func text(of code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
