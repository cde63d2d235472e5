import Contract

#if canImport(Glibc)
  import CEpoll
  import Glibc
#elseif canImport(Musl)
  import CEpoll
  import Musl
#else
  import Darwin
#endif

/// A directory of the file system that this server owns exclusively for the lifetime of the value.
final class KernelDisk: Disk {
  let path: String
  private var claim: PathClaim?
  private var directory: KernelFile
  private var lock: KernelFile

  /// Opens the directory.
  ///
  /// - Parameter path: A directory, which is created if it does not exist.
  init(_ path: String) throws(StartError) {
    self.path = path
    do throws(SystemError) {
      try Self.make(path)
      claim = try PathClaim(path)
      directory = try KernelFile(path, O_RDONLY | O_DIRECTORY)
      lock = try Self.lock(in: path)
    } catch {
      guard error.code == EADDRINUSE || error.code == EWOULDBLOCK else { throw .cannotKeep("stateDirectory \(error)") }
      let owner = (try? File.read(path + "/lock")).map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
      throw .stateInUse(
        "stateDirectory \(path): another understudy (process \(owner ?? "unknown")) stores its state there")
    }
  }

  private static func make(_ path: String) throws(SystemError) {
    if unsafe mkdir(path, 0o755) == 0 {
      // The new directory is a name in its parent directory, which must survive a loss of power, too.
      try KernelFile(path + "/..", O_RDONLY | O_DIRECTORY).synchronize()
    } else if errno != EEXIST {
      throw SystemError(path)
    }
  }

  /// Locks the directory by a file that names the owner; throws EWOULDBLOCK if another process holds the lock.
  private static func lock(in path: String) throws(SystemError) -> KernelFile {
    let name = path + "/lock"
    let lock = try KernelFile(name, O_RDWR | O_CREAT)
    // A file with another name may contain data that must not be overwritten.
    guard let status = File.fingerprint(of: lock.descriptor), status.isRegular, status.links == 1 else {
      throw SystemError(name, reason: "It is a link or not a regular file; remove it")
    }
    guard flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw SystemError(name) }
    do throws(SystemError) {
      try lock.truncate(to: 0)
      try lock.write(Array("\(getpid())\n".utf8), at: 0)
    } catch {
      // On a full disk the lock is still held; it only cannot name its owner.
      File.append(Array("state directory: \(error); the lock file does not contain this process's id\n".utf8), to: 2)
    }
    return lock
  }

  /// Lets another server own the directory. Nothing may be written afterwards.
  func release() {
    claim = nil
    flock(lock.descriptor, LOCK_UN)
  }

  func restore() throws(SystemError) {
    if directory.isNamed(path), lock.isNamed(path + "/lock") { return }
    try Self.make(path)
    directory = try KernelFile(path, O_RDONLY | O_DIRECTORY)
    lock = try Self.lock(in: path)
  }

  func confirm(_ name: String, is file: any DiskFile, of length: Int) throws(SystemError) {
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

  func read(_ name: String) throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      return try File.read(path + "/" + name)
    } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
  }

  func create(_ name: String) throws(SystemError) -> any DiskFile {
    try KernelFile(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC)
  }

  func open(_ name: String) throws(SystemError) -> any DiskFile { try KernelFile(path + "/" + name, O_WRONLY) }

  func rename(_ name: String, to other: String) throws(SystemError) {
    #if canImport(Glibc)
      let status = unsafe Glibc.rename(path + "/" + name, path + "/" + other)
    #elseif canImport(Musl)
      let status = unsafe Musl.rename(path + "/" + name, path + "/" + other)
    #else
      let status = unsafe Darwin.rename(path + "/" + name, path + "/" + other)
    #endif
    guard status == 0 else { throw SystemError(path + "/" + other) }
  }

  func remove(_ name: String) { _ = unsafe unlink(path + "/" + name) }

  func synchronize() throws(SystemError) { try directory.synchronize() }
}

/// An open file of the file system. A symbolic link is refused, because its target may belong to another owner.
final class KernelFile: DiskFile {
  let descriptor: Int32
  private let path: String
  private let isDirectory: Bool
  private let identity: File.Fingerprint?
  /// The file as of this server's last write.
  private var written: File.Fingerprint?

  init(_ path: String, _ flags: Int32) throws(SystemError) {
    self.path = path
    isDirectory = flags & O_DIRECTORY != 0
    descriptor = unsafe open(path, flags | O_CLOEXEC | (isDirectory ? 0 : O_NOFOLLOW), 0o644)
    guard descriptor >= 0 else {
      identity = nil
      throw SystemError(path)
    }
    identity = File.fingerprint(of: descriptor)
    written = identity
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func isFile(_ found: File.Fingerprint) -> Bool { identity?.isSameFile(as: found) == true }

  /// Returns true if the file was not changed since this server's last write.
  func isAsWritten(_ found: File.Fingerprint) -> Bool { written?.hasSameTime(as: found) == true }

  private func recordChange() { written = File.fingerprint(of: descriptor) }

  func isNamed(_ path: String) -> Bool { File.fingerprint(path).map(isFile) ?? false }

  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    defer { recordChange() }
    var rest = bytes[...]
    while !rest.isEmpty {
      let index = off_t(offset + rest.startIndex)
      let count = unsafe rest.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, index) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError(path) }
      rest = rest.dropFirst(count)
    }
  }

  func truncate(to count: Int) throws(SystemError) {
    defer { recordChange() }
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw SystemError(path) }
  }

  func synchronize() throws(SystemError) {
    // Network file systems may set the file's time only now.
    defer { recordChange() }
    #if canImport(Darwin)
      // On Apple systems, fsync leaves the bytes in the drive's cache; not every file system supports the stronger
      // call.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
      guard fsync(descriptor) == 0 else { throw SystemError(path) }
    #else
      // fdatasync also writes the length, because reading the bytes requires it.
      guard (isDirectory ? fsync(descriptor) : fdatasync(descriptor)) == 0 else { throw SystemError(path) }
    #endif
  }
}

/// A path that no other process of this machine can claim, even if its directory is removed and created again.
///
/// The lock file disappears with the directory. A name in Linux's abstract socket namespace (unix(7)) stays until its
/// process ends; other systems have only the lock file.
struct PathClaim: ~Copyable {
  private let descriptor: Int32

  /// Throws EADDRINUSE if another process holds the claim. Returns nil if the system has no such names.
  init?(_ path: String) throws(SystemError) {
    #if os(Linux)
      guard let resolved = unsafe realpath(path, nil) else { throw SystemError(path) }
      // Containers may share the namespace, but have different root directories.
      let root = File.fingerprint("/")
      let index = unsafe String(cString: resolved) + " \(root?.device ?? 0) \(root?.node ?? 0)"
      unsafe free(resolved)
      let name = [0] + Array("understudy-state-\(EntityTag(of: Array(index.utf8)).hash)".utf8)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
      let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
      #if canImport(Glibc)
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      #else
        let socket = Musl.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
      #endif
      guard socket >= 0 else { return nil }
      let status = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(socket, $0, length) }
      }
      guard status == 0 else {
        let error = SystemError(path)
        close(socket)
        if error.isAddressInUse { throw error }
        return nil
      }
      descriptor = socket
    #else
      return nil
    #endif
  }

  deinit { close(descriptor) }
}
