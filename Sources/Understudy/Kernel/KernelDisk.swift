#if canImport(Glibc)
  import CEpoll
  import Glibc
#else
  import Darwin
#endif

/// A directory of the file system that belongs to this server alone for as long as the value lives.
final class KernelDisk: Disk {
  let path: String
  private let directory: KernelFile
  private let lock: KernelFile

  /// - Parameter path: A directory; it is made if it is not there.
  init(_ path: String) throws(StartError) {
    self.path = path
    do throws(SystemError) {
      try Self.make(path)
      directory = try KernelFile(path, O_RDONLY | O_DIRECTORY)
      lock = try KernelFile(path + "/lock", O_RDWR | O_CREAT)
    } catch {
      throw .cannotKeep("--state \(error)")
    }
    guard flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0 else {
      guard errno == EWOULDBLOCK else { throw .cannotKeep("--state \(SystemError(path + "/lock"))") }
      let owner = (try? File.read(path + "/lock")).map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
      throw .stateInUse("--state \(path): another understudy, process \(owner ?? "unknown"), keeps its state there")
    }
    do throws(SystemError) {
      try lock.truncate(to: 0)
      try lock.write(Array("\(getpid())\n".utf8), at: 0)
    } catch {
      // On a full disk the lock holds all the same; it only cannot say whose it is.
      File.append(Array("--state \(error); the lock does not say whose it is\n".utf8), to: 2)
    }
  }

  private static func make(_ path: String) throws(SystemError) {
    if unsafe mkdir(path, 0o755) == 0 {
      // The new directory is a name in the one above it, which a loss of power must not take.
      try KernelFile(path + "/..", O_RDONLY | O_DIRECTORY).synchronize()
    } else if errno != EEXIST {
      throw SystemError(path)
    }
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
    #else
      let status = unsafe Darwin.rename(path + "/" + name, path + "/" + other)
    #endif
    guard status == 0 else { throw SystemError(path + "/" + other) }
  }

  func remove(_ name: String) { _ = unsafe unlink(path + "/" + name) }

  func synchronize() throws(SystemError) { try directory.synchronize() }
}

/// An open file of the file system.
final class KernelFile: DiskFile {
  let descriptor: Int32
  private let path: String
  private let isDirectory: Bool

  init(_ path: String, _ flags: Int32) throws(SystemError) {
    self.path = path
    isDirectory = flags & O_DIRECTORY != 0
    descriptor = unsafe open(path, flags | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw SystemError(path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let place = off_t(offset + rest.startIndex)
      let count = unsafe rest.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, place) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError(path) }
      rest = rest.dropFirst(count)
    }
  }

  func truncate(to count: Int) throws(SystemError) {
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw SystemError(path) }
  }

  func synchronize() throws(SystemError) {
    #if canImport(Darwin)
      // There fsync leaves the bytes in the drive's own cache; not every file system knows the stronger call.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
      guard fsync(descriptor) == 0 else { throw SystemError(path) }
    #else
      // A file's length belongs to what it takes to read its bytes back, so fdatasync brings it to the disk too.
      guard (isDirectory ? fsync(descriptor) : fdatasync(descriptor)) == 0 else { throw SystemError(path) }
    #endif
  }
}
