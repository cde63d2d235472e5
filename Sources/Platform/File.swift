#if canImport(Glibc)
  import CEpoll
  import Glibc
#elseif canImport(Musl)
  import CEpoll
  import Musl
#else
  import Darwin
#endif

/// Files by their paths.
package enum File {
  /// Returns the content of a file.
  ///
  /// - Parameter waits: True to wait for a pipe, such as a shell's `<(…)`; otherwise a pipe reads as empty.
  package static func read(_ path: String, waits: Bool = true) throws(SystemError) -> [UInt8] {
    let file = try Descriptor(opening: path, O_RDONLY | (waits ? 0 : O_NONBLOCK))
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = try file.read(into: &buffer)
      if count == 0 { return content }
      content += buffer[..<count]
    }
  }

  /// Writes a file atomically: readers find either the whole content or none of it.
  package static func writeAtomically(_ content: [UInt8], to path: String) throws(SystemError) {
    let draft = draft(of: path)
    do throws(SystemError) {
      try Descriptor(opening: draft, O_WRONLY | O_CREAT | O_TRUNC).write(content, at: 0)
      try rename(draft, to: path)
    } catch {
      remove(draft)
      throw SystemError(path, code: error.code)
    }
  }

  /// Checks that a file can be written at this path, and leaves nothing behind.
  package static func checkPath(_ path: String) throws(SystemError) {
    if isDirectory(path) { throw SystemError(path, code: EISDIR) }
    let draft = draft(of: path)
    do throws(SystemError) {
      _ = try Descriptor(opening: draft, O_WRONLY | O_CREAT | O_TRUNC)
    } catch {
      throw SystemError(path, code: error.code)
    }
    remove(draft)
  }

  private static func draft(of path: String) -> String { path + ".\(getpid()).tmp" }

  /// Renames a file, and replaces a file of the new name.
  package static func rename(_ path: String, to other: String) throws(SystemError) {
    guard renamePath(path, other) == 0 else { throw SystemError(other) }
  }

  package static func remove(_ path: String) { _ = unsafe unlink(path) }

  /// Creates a directory; returns false if the path exists.
  package static func makeDirectory(_ path: String) throws(SystemError) -> Bool {
    if unsafe mkdir(path, 0o755) == 0 { return true }
    guard errno == EEXIST else { throw SystemError(path) }
    return false
  }

  /// Returns the identity and the last change of the file at a path; nil if there is none.
  package static func fingerprint(_ path: String) -> Fingerprint? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return Fingerprint(status)
  }

  /// Returns the identity and the last change of an open file.
  package static func fingerprint(of file: borrowing Descriptor) -> Fingerprint? {
    var status = stat()
    guard unsafe fstat(file.number, &status) == 0 else { return nil }
    return Fingerprint(status)
  }

  package static func isDirectory(_ path: String) -> Bool { fingerprint(path)?.isDirectory == true }

  package struct Fingerprint: Sendable, Equatable {
    /// True for a file, and not for a directory, a pipe or a device.
    package let isRegular: Bool
    fileprivate let isDirectory: Bool
    private let device: UInt64
    private let node: UInt64
    /// The size in bytes.
    package let size: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    fileprivate init(_ status: stat) {
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      isRegular = status.st_mode & S_IFMT == S_IFREG
      isDirectory = status.st_mode & S_IFMT == S_IFDIR
      device = UInt64(truncatingIfNeeded: status.st_dev)
      node = UInt64(status.st_ino)
      size = Int64(status.st_size)
      seconds = Int64(time.tv_sec)
      nanoseconds = Int64(time.tv_nsec)
    }

    /// Returns true if both are the same file, even if it was written in between.
    package func isSameFile(as other: Fingerprint) -> Bool { device == other.device && node == other.node }
  }
}

/// The system's `rename`, which the method hides.
private func renamePath(_ path: String, _ other: String) -> Int32 { unsafe rename(path, other) }
