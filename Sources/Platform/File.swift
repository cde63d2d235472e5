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
  /// - Parameters:
  ///   - limit: The maximum number of bytes; longer content is refused.
  ///   - takesPipes: True to read a pipe to its end, too, such as a shell's `<(…)`, and a terminal.
  package static func read(_ path: String, atMost limit: Int, takingPipes takesPipes: Bool = true) throws(SystemError)
    -> [UInt8]
  {
    // Without O_NONBLOCK, opening a pipe waits until a program writes into it.
    let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
    guard let found = fingerprint(of: file) else { throw SystemError(path) }
    if found.isDirectory { throw SystemError(path, code: EISDIR) }
    let isStream = found.isPipe || isatty(file.number) == 1
    guard found.isRegular || isStream && takesPipes else {
      throw SystemError(path, reason: "It is not a regular file" + (takesPipes ? " or a pipe" : ""))
    }
    let refusal = SystemError(path, reason: "It has more than \(limit >> 20) MiB")
    guard found.size <= limit else { throw refusal }
    var content: [UInt8] = []
    content.reserveCapacity(Int(found.size))
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var isAwaited = found.isPipe
    while true {
      let count: Int
      do throws(SystemError) {
        count = try file.read(into: &buffer)
      } catch {
        // A program writes into the pipe, and has not gone on.
        guard error.code == EAGAIN else { throw error }
        _ = Descriptor.events(Int16(POLLIN), of: file.number, atMost: -1)
        isAwaited = false
        continue
      }
      if count == 0 {
        guard isAwaited else { return content }
        isAwaited = false
        guard Descriptor.events(Int16(POLLIN), of: file.number, atMost: pipePatience) != 0 else {
          throw SystemError(path, reason: "No program writes into this pipe")
        }
        continue
      }
      isAwaited = false
      content += buffer[..<count]
      guard content.count <= limit else { throw refusal }
    }
  }

  /// The time, in nanoseconds, for which a pipe waits for a program at its other end.
  private static let pipePatience: Int64 = 10_000_000_000

  /// Writes a file. Links are followed.
  ///
  /// A regular file is replaced atomically. Anything else is written into: a pipe, a device such as `/dev/stdout`, and a
  /// file that its directory does not allow to replace.
  package static func write(_ content: [UInt8], to path: String) throws(SystemError) {
    switch try destination(of: path) {
    case .file(let target):
      do throws(SystemError) {
        return try writeAtomically(content, to: target)
      } catch {
        guard isWritable(target), !isDiskFailure(error) else { throw SystemError(path, code: error.code) }
      }
      try write(content, into: target, named: path, O_TRUNC)
    case .stream(let target): try write(content, into: target, named: path, O_APPEND)
    case .standard(let number): try Descriptor.write(content, to: number, named: path)
    }
  }

  /// The place into which a path's content is written.
  private enum Destination {
    /// A regular file, or none.
    case file(String)
    /// A pipe, a device, or a file that another program passed on as a descriptor.
    case stream(String)
    /// The file of the standard output or error: other text goes there, too.
    case standard(Int32)
  }

  private static func destination(of path: String) throws(SystemError) -> Destination {
    guard let found = fingerprint(path) else {
      guard errno == ENOENT else { throw SystemError(path) }
      return try target(of: path).map { .file($0) } ?? .stream(path)
    }
    if found.isDirectory { throw SystemError(path, code: EISDIR) }
    for number in [STDOUT_FILENO, STDERR_FILENO] {
      var status = stat()
      let isOpen = unsafe fstat(number, &status) == 0 && fcntl(number, F_GETFL) & (O_WRONLY | O_RDWR) != 0
      if isOpen, Fingerprint(status).isSameFile(as: found) { return .standard(number) }
    }
    guard found.isRegular else { return .stream(path) }
    return try target(of: path).map { .file($0) } ?? .stream(path)
  }

  /// Returns the path to which links lead; nil for a link that the system makes of a descriptor.
  private static func target(of path: String) throws(SystemError) -> String? {
    var target = path
    for _ in 0..<maximumLinks {
      var status = stat()
      guard unsafe lstat(target, &status) == 0 else {
        guard errno == ENOENT else { throw SystemError(path) }
        return target
      }
      guard status.st_mode & S_IFMT == S_IFLNK else { return target }
      if target.hasPrefix("/dev/") || target.hasPrefix("/proc/") { return nil }
      let link = try linkedPath(target)
      let directory = target.lastIndex(of: "/").map { target[...$0] } ?? ""
      target = link.hasPrefix("/") ? link : directory + link
    }
    throw SystemError(path, code: ELOOP)
  }

  private static let maximumLinks = 40
  /// `PATH_MAX` of Linux, which not every C library declares in a form that Swift imports.
  private static let maximumPath = 4_096

  private static func linkedPath(_ path: String) throws(SystemError) -> String {
    var bytes = [CChar](repeating: 0, count: maximumPath)
    let count = unsafe readlink(path, &bytes, bytes.count)
    guard count >= 0 else { throw SystemError(path) }
    return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

  /// Returns true if a file that is written in place would be lost for the same reason.
  private static func isDiskFailure(_ error: SystemError) -> Bool {
    [ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE].contains(error.code)
  }

  private static func write(
    _ content: [UInt8], into path: String, named name: String, _ flags: Int32
  ) throws(SystemError) {
    let file = try open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | flags, named: name)
    try Descriptor.write(content, to: file.number, named: name, atMost: pipePatience)
  }

  /// Opens a file for writing, and waits for a program that reads from a pipe.
  private static func open(_ path: String, _ flags: Int32, named name: String) throws(SystemError) -> Descriptor {
    let end = ContinuousClock.now + .nanoseconds(pipePatience)
    while true {
      do throws(SystemError) {
        return try Descriptor(opening: path, flags)
      } catch {
        guard error.code == ENXIO else { throw SystemError(name, code: error.code) }
        guard ContinuousClock.now < end else { throw SystemError(name, reason: "No program reads from this pipe") }
      }
      usleep(10_000)
    }
  }

  /// Replaces a regular file atomically: readers find either the whole new content or the whole old one.
  package static func writeAtomically(_ content: [UInt8], to path: String) throws(SystemError) {
    do throws(SystemError) {
      let draft = try makeDraft(of: path)
      try draft.write(content, at: 0)
      if let mode = fingerprint(path)?.permissions { _ = fchmod(draft.number, mode) }
      try rename(draftPath(of: path), to: path)
    } catch {
      remove(draftPath(of: path))
      throw SystemError(path, code: error.code)
    }
  }

  /// Checks that content can be written to this path, and leaves nothing behind.
  package static func checkPath(_ path: String) throws(SystemError) {
    switch try destination(of: path) {
    case .file(let target):
      do throws(SystemError) {
        _ = try makeDraft(of: target)
        remove(draftPath(of: target))
      } catch {
        guard isWritable(target) else { throw SystemError(path, code: error.code) }
      }
    case .stream(let target): guard isWritable(target) else { throw SystemError(path) }
    case .standard: break
    }
  }

  /// Creates the file that is to replace the one at a path.
  private static func makeDraft(of path: String) throws(SystemError) -> Descriptor {
    // Of an earlier process with this number.
    remove(draftPath(of: path))
    return try Descriptor(opening: draftPath(of: path), O_WRONLY | O_CREAT | O_EXCL)
  }

  private static func draftPath(of path: String) -> String { path + ".\(getpid()).tmp" }

  /// Renames a file, and replaces a file of the new name.
  package static func rename(_ path: String, to other: String) throws(SystemError) {
    guard renamePath(path, other) == 0 else { throw SystemError(other) }
  }

  package static func remove(_ path: String) { _ = unsafe unlink(path) }

  /// Removes a file; throws if there is none.
  package static func delete(_ path: String) throws(SystemError) {
    guard unsafe unlink(path) == 0 else { throw SystemError(path) }
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

  /// Returns true if a path names a file that this process may run.
  package static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 && !isDirectory(path) }

  package struct Fingerprint: Sendable, Equatable {
    /// True for a file, and not for a directory, a pipe or a device.
    package let isRegular: Bool
    fileprivate let isDirectory: Bool
    fileprivate let isPipe: Bool
    fileprivate let permissions: mode_t
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
      isPipe = status.st_mode & S_IFMT == S_IFIFO
      permissions = status.st_mode & 0o7777
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
