import Primitives

#if canImport(Glibc)
  import CEpoll
  import Glibc
#elseif canImport(Musl)
  import CEpoll
  import Musl
#else
  import Darwin
#endif

/// Reads and writes whole files by path.
enum File {
  /// Returns the content of a file.
  ///
  /// - Parameter waits: True to wait for a pipe, such as a shell's `<(…)`; otherwise a pipe reads as empty.
  static func read(_ path: String, waits: Bool = true) throws(SystemError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK))
    guard descriptor >= 0 else { throw SystemError(path) }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      #if canImport(Glibc)
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      #elseif canImport(Musl)
        let count = unsafe Musl.read(descriptor, &buffer, buffer.count)
      #else
        let count = unsafe Darwin.read(descriptor, &buffer, buffer.count)
      #endif
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(path) }
      if count == 0 { return content }
      content += buffer[..<count]
    }
  }

  /// Writes a file atomically: readers find either the whole content or none of it.
  static func writeAtomically(_ content: [UInt8], to path: String) throws(SystemError) {
    let draft = path + ".\(getpid()).tmp"
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw SystemError(path) }
    var rest = content[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let error = SystemError(path)
        close(descriptor)
        unsafe unlink(draft)
        throw error
      }
      rest = rest.dropFirst(count)
    }
    close(descriptor)
    guard unsafe rename(draft, path) == 0 else {
      let error = SystemError(path)
      unsafe unlink(draft)
      throw error
    }
  }

  /// Checks that a file can be written at this path, and leaves nothing behind.
  static func checkPath(_ path: String) throws(SystemError) {
    if isDirectory(path) {
      errno = EISDIR
      throw SystemError(path)
    }
    let draft = path + ".\(getpid()).tmp"
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw SystemError(path) }
    close(descriptor)
    _ = unsafe unlink(draft)
  }

  /// Returns the identity and the last change of the file at a path; nil if there is none.
  static func fingerprint(_ path: String) -> Fingerprint? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return Fingerprint(status)
  }

  /// Returns the identity and the last change of an open file.
  static func fingerprint(of descriptor: Int32) -> Fingerprint? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    return Fingerprint(status)
  }

  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR
  }

  struct Fingerprint: Sendable, Equatable {
    /// True for a file, and not for a directory, a pipe or a device.
    let isRegular: Bool
    let device: UInt64
    let node: UInt64
    /// The number of names that the file has.
    let links: Int
    /// The size in bytes.
    let size: Int64
    let seconds: Int64
    let nanoseconds: Int64

    fileprivate init(_ status: stat) {
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      isRegular = status.st_mode & S_IFMT == S_IFREG
      device = UInt64(truncatingIfNeeded: status.st_dev)
      node = UInt64(status.st_ino)
      links = Int(status.st_nlink)
      size = Int64(status.st_size)
      seconds = Int64(time.tv_sec)
      nanoseconds = Int64(time.tv_nsec)
    }

    /// Returns true if both have the same time of change, with the precision of the file system's clock.
    func hasSameTime(as other: Fingerprint) -> Bool { seconds == other.seconds && nanoseconds == other.nanoseconds }

    /// Returns true if both are the same file, even if it was written in between.
    func isSameFile(as other: Fingerprint) -> Bool { device == other.device && node == other.node }
  }

  /// Writes to an open descriptor, such as standard error, without waiting for its reader: bytes that are not accepted
  /// at once are dropped.
  static func append(_ content: [UInt8], to descriptor: Int32) {
    var rest = content[...]
    while !rest.isEmpty, acceptsBytes(descriptor) {
      // A pipe with room accepts this many bytes atomically (POSIX PIPE_BUF); a longer write might block.
      let piece = rest.prefix(pieceSize)
      let count = unsafe piece.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  #if os(Linux)
    private static let pieceSize = 4_096
  #else
    private static let pieceSize = 512
  #endif

  private static func acceptsBytes(_ descriptor: Int32) -> Bool {
    var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&question, 1, 0) == 1 && question.revents & Int16(POLLOUT) != 0
  }
}
