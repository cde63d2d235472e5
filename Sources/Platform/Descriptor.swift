#if canImport(Glibc)
  package import CEpoll
  package import Glibc
#elseif canImport(Musl)
  package import CEpoll
  package import Musl
#else
  package import Darwin
#endif

/// An open file or an end of a pipe, with one owner. It is closed when its owner is destroyed.
package struct Descriptor: ~Copyable, Sendable {
  package let number: Int32
  /// The path, or the name in errors.
  private let name: String
  private let isDirectory: Bool

  fileprivate init(adopting number: Int32, name: String, isDirectory: Bool = false) {
    self.number = number
    self.name = name
    self.isDirectory = isDirectory
  }

  /// Opens a file. Child processes do not inherit the descriptor.
  package init(opening path: String, _ flags: Int32) throws(SystemError) {
    let number = unsafe open(path, flags | O_CLOEXEC, 0o644)
    guard number >= 0 else { throw SystemError(path) }
    self.init(adopting: number, name: path, isDirectory: flags & O_DIRECTORY != 0)
  }

  deinit { _ = close(number) }

  /// Reads the next bytes to the front of `buffer`, and returns their number: 0 at the end.
  package borrowing func read(into buffer: inout [UInt8]) throws(SystemError) -> Int {
    while true {
      let count = unsafe readBytes(number, &buffer, buffer.count)
      if count >= 0 { return count }
      guard errno == EINTR else { throw SystemError(name) }
    }
  }

  /// Writes all bytes at an offset of a file.
  package borrowing func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let index = off_t(offset + rest.startIndex)
      let count = unsafe rest.withUnsafeBytes { unsafe pwrite(number, $0.baseAddress, $0.count, index) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError(name) }
      rest = rest.dropFirst(count)
    }
  }

  package borrowing func truncate(to count: Int) throws(SystemError) {
    guard ftruncate(number, off_t(count)) == 0 else { throw SystemError(name) }
  }

  /// Waits until a file's bytes, or the names in a directory, are on the disk.
  package borrowing func synchronize() throws(SystemError) {
    #if canImport(Darwin)
      // On Apple systems, fsync leaves the bytes in the drive's cache; not every file system supports the stronger
      // call.
      if fcntl(number, F_FULLFSYNC) == 0 { return }
      guard fsync(number) == 0 else { throw SystemError(name) }
    #else
      // fdatasync also writes the length, because reading the bytes requires it.
      guard (isDirectory ? fsync(number) : fdatasync(number)) == 0 else { throw SystemError(name) }
    #endif
  }
}

/// A pipe that wakes a poller. Neither end blocks.
package struct WakeupPipe: ~Copyable, Sendable {
  /// Readable after a wakeup.
  package let reader: Descriptor
  private let writer: Descriptor

  package init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    #if os(Linux)
      guard unsafe pipe2(&ends, O_NONBLOCK | O_CLOEXEC) == 0 else { throw SystemError("pipe") }
    #else
      guard unsafe pipe(&ends) == 0 else { throw SystemError("pipe") }
      for end in ends {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      }
    #endif
    reader = Descriptor(adopting: ends[0], name: "pipe")
    writer = Descriptor(adopting: ends[1], name: "pipe")
  }

  package borrowing func wake() {
    var byte: UInt8 = 1
    _ = unsafe writeBytes(writer.number, &byte, 1)
  }

  /// Discards all wakeups.
  package borrowing func reset() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while (try? reader.read(into: &bytes)) == bytes.count {}
  }
}

/// Descriptors that are known by their numbers, such as the standard streams and sockets.
extension Descriptor {
  /// Writes all bytes, and waits for their reader.
  ///
  /// - Parameters:
  ///   - name: The name of the file in errors.
  ///   - nanoseconds: The time for which the reader may accept nothing; a negative one is without limit.
  package static func write(
    _ content: [UInt8], to number: Int32, named name: String, atMost nanoseconds: Int64 = -1
  ) throws(SystemError) {
    var rest = content[...]
    while !rest.isEmpty {
      let count = write(rest, to: number)
      if count > 0 {
        rest = rest.dropFirst(count)
        continue
      }
      let code = count == 0 ? EIO : errno
      if code == EINTR { continue }
      // Another program may have turned a shared stream into one that does not block.
      guard code == EAGAIN else { throw SystemError(name, code: code) }
      guard events(Int16(POLLOUT), of: number, atMost: nanoseconds) != 0 || nanoseconds < 0 else {
        throw SystemError(name, reason: "Its reader accepts nothing")
      }
    }
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to number: Int32) -> Int {
    unsafe bytes.withUnsafeBytes { unsafe writeBytes(number, $0.baseAddress, $0.count) }
  }

  /// Waits for the requested events, an error or a hang-up, and returns those that have occurred, as poll(2) does;
  /// 0 if there were none, or a signal interrupted the wait. Nil if it cannot wait.
  package static func events(_ requested: Int16, of number: Int32, atMost nanoseconds: Int64) -> Int16? {
    var entry = pollfd(fd: number, events: requested, revents: 0)
    let count = unsafe pollEntries(&entry, 1, nanoseconds)
    guard count >= 0 else { return errno == EINTR ? 0 : nil }
    return count > 0 ? entry.revents : 0
  }

  /// Calls poll(2).
  ///
  /// - Parameter nanoseconds: The time limit; a negative one is none.
  /// - Returns: The number of entries with events.
  package static func poll(_ entries: inout [pollfd], atMost nanoseconds: Int64) -> Int32 {
    unsafe pollEntries(&entries, entries.count, nanoseconds)
  }
}

/// The limit of the number of open descriptors.
extension Descriptor {
  #if canImport(Glibc)
    private static let limited = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let limited = RLIMIT_NOFILE
  #endif

  package static var limit: rlimit? {
    var limit = rlimit()
    return unsafe getrlimit(limited, &limit) == 0 ? limit : nil
  }

  /// The number of descriptors that a program may open; nil if it is not known.
  package static var maximumCount: Int? { limit.map { Int(clamping: $0.rlim_cur) } }

  /// The limit with which the program was started.
  private static let inherited = limit

  /// Raises the limit to the system's maximum; each connection needs a descriptor.
  package static func raiseLimit() {
    guard var limit = inherited else { return }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(limited, &limit)
  }

  /// Performs an action with the limit with which the program was started: a process that it starts inherits it.
  package static func withInheritedLimit<Result>(_ action: () -> Result) -> Result {
    guard var inherited, var raised = limit else { return action() }
    _ = unsafe setrlimit(limited, &inherited)
    defer { _ = unsafe setrlimit(limited, &raised) }
    return action()
  }
}

// The type's own methods hide the system's functions of the same names.

private func readBytes(_ number: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(number, buffer, count)
}

private func writeBytes(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(number, bytes, count)
}

private func pollEntries(_ entries: UnsafeMutablePointer<pollfd>, _ count: Int, _ nanoseconds: Int64) -> Int32 {
  #if os(Linux)
    unsafe understudy_poll(entries, UInt(count), nanoseconds)
  #else
    unsafe poll(entries, nfds_t(count), nanoseconds < 0 ? -1 : Int32(clamping: (nanoseconds + 999_999) / 1_000_000))
  #endif
}

extension Descriptor {
  /// Opens `/dev/null` in the place of standard streams that the caller has closed: the next file to be opened would
  /// otherwise have the stream's number, and receive its output. Standard output stays unusable, so that its loss is
  /// reported.
  package static func openMissingStreams() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", number == STDERR_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
