package import Platform
import Primitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A directory of the file system that this server owns exclusively for the lifetime of the value.
package final class KernelDisk: Disk {
  package let path: String
  private var claim: PathClaim?
  private var directory: KernelFile
  private var lock: KernelFile

  /// Opens the directory.
  ///
  /// - Parameter path: A directory, which is created if it does not exist.
  package init(_ path: String) throws(OpeningError) {
    self.path = path
    do throws(SystemError) {
      try Self.make(path)
      claim = try PathClaim(path)
      directory = try KernelFile(path, O_RDONLY | O_DIRECTORY)
      lock = try Self.lock(in: path)
    } catch {
      guard error.code == EADDRINUSE || error.code == EWOULDBLOCK else { throw .unavailable("\(error)") }
      let owner = (try? File.read(path + "/lock")).map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
      throw .inUse("\(path): another understudy (process \(owner ?? "unknown")) stores its state there")
    }
  }

  private static func make(_ path: String) throws(SystemError) {
    guard try File.makeDirectory(path) else { return }
    // The new directory is a name in its parent directory, which must survive a loss of power, too.
    try KernelFile(path + "/..", O_RDONLY | O_DIRECTORY).synchronize()
  }

  /// Locks the directory by a file that names the owner; throws EWOULDBLOCK if another process holds the lock.
  private static func lock(in path: String) throws(SystemError) -> KernelFile {
    let name = path + "/lock"
    let lock = try KernelFile(name, O_RDWR | O_CREAT)
    // A file with another name may contain data that must not be overwritten.
    guard lock.isOwnRegularFile else {
      throw SystemError(name, reason: "It is a link or not a regular file; remove it")
    }
    try lock.lock()
    do throws(SystemError) {
      try lock.truncate(to: 0)
      try lock.write(Array("\(getpid())\n".utf8), at: 0)
    } catch {
      // On a full disk the lock is still held; it only cannot name its owner.
      let warning = "state directory: \(error); the lock file does not contain this process's id\n"
      Descriptor.append(Array(warning.utf8), to: 2)
    }
    return lock
  }

  /// Lets another server own the directory. Nothing may be written afterwards.
  package func release() {
    claim = nil
    lock.unlock()
  }

  package func restore() throws(SystemError) {
    if directory.isNamed(path), lock.isNamed(path + "/lock") { return }
    try Self.make(path)
    directory = try KernelFile(path, O_RDONLY | O_DIRECTORY)
    lock = try Self.lock(in: path)
  }

  package func confirm(_ name: String, is file: any DiskFile, of length: Int) throws(SystemError) {
    let path = path + "/" + name
    guard let found = File.fingerprint(path) else { throw SystemError(path) }
    guard let file = file as? KernelFile, file.isFile(found) else {
      throw SystemError(path, reason: "Another program has replaced the file")
    }
    guard found.size == Int64(length) else {
      throw SystemError(path, reason: "Another program has changed its length from \(length) to \(found.size) bytes")
    }
    guard file.isAsWritten(found) else { throw SystemError(path, reason: "Another program has written to it") }
  }

  package func read(_ name: String) throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      return try File.read(path + "/" + name)
    } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
  }

  package func create(_ name: String) throws(SystemError) -> any DiskFile {
    try KernelFile(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC)
  }

  package func open(_ name: String) throws(SystemError) -> any DiskFile { try KernelFile(path + "/" + name, O_WRONLY) }

  package func rename(_ name: String, to other: String) throws(SystemError) {
    try File.rename(path + "/" + name, to: path + "/" + other)
  }

  package func remove(_ name: String) { File.remove(path + "/" + name) }

  package func synchronize() throws(SystemError) { try directory.synchronize() }
}

/// An open file of the file system. A symbolic link is refused, because its target may belong to another owner.
final class KernelFile: DiskFile {
  private let file: Descriptor
  private let path: String
  private let identity: File.Fingerprint?
  /// The file as of this server's last write.
  private var written: File.Fingerprint?

  init(_ path: String, _ flags: Int32) throws(SystemError) {
    self.path = path
    file = try Descriptor(opening: path, flags | (flags & O_DIRECTORY == 0 ? O_NOFOLLOW : 0))
    identity = File.fingerprint(of: file)
    written = identity
  }

  /// True for a regular file that has no other name.
  var isOwnRegularFile: Bool { identity.map { $0.isRegular && $0.links == 1 } ?? false }

  func isFile(_ found: File.Fingerprint) -> Bool { identity?.isSameFile(as: found) == true }

  /// Returns true if the file was not changed since this server's last write.
  func isAsWritten(_ found: File.Fingerprint) -> Bool { written?.hasSameTime(as: found) == true }

  private func recordChange() { written = File.fingerprint(of: file) }

  func isNamed(_ path: String) -> Bool { File.fingerprint(path).map(isFile) ?? false }

  /// Locks the file; throws EWOULDBLOCK if another process holds the lock.
  func lock() throws(SystemError) {
    guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { throw SystemError(path) }
  }

  func unlock() { _ = flock(file.number, LOCK_UN) }

  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    defer { recordChange() }
    try file.write(bytes, at: offset)
  }

  func truncate(to count: Int) throws(SystemError) {
    defer { recordChange() }
    try file.truncate(to: count)
  }

  func synchronize() throws(SystemError) {
    // Network file systems may set the file's time only now.
    defer { recordChange() }
    try file.synchronize()
  }
}

/// A path that no other process of this machine can claim, even if its directory is removed and created again.
///
/// The lock file disappears with the directory. A name in Linux's abstract socket namespace (unix(7)) stays until its
/// process ends; other systems have only the lock file.
struct PathClaim: ~Copyable {
  private let socket: Socket

  /// Throws EADDRINUSE if another process holds the claim. Returns nil if the system has no such names.
  init?(_ path: String) throws(SystemError) {
    #if os(Linux)
      // Containers may share the namespace, but have different root directories.
      let root = File.fingerprint("/")
      let index = try File.resolved(path) + " \(root?.device ?? 0) \(root?.node ?? 0)"
      let name = SocketAddress(abstractName: "understudy-state-\(FNV1a.hash(index))")
      do throws(SystemError) {
        let socket = try Socket(for: name, .datagram)
        try socket.bind(to: name)
        self.socket = socket
      } catch {
        guard error.isAddressInUse else { return nil }
        throw SystemError(path, code: error.code)
      }
    #else
      return nil
    #endif
  }
}
