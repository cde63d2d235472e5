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
  private var directory: KernelFile
  private var lock: KernelFile

  /// Opens the directory.
  ///
  /// - Parameter path: A directory, which is created if it does not exist.
  package init(_ path: String) throws(OpeningError) {
    self.path = path
    do throws(SystemError) {
      try Self.make(path)
      directory = try KernelFile(path, O_RDONLY | O_DIRECTORY)
      lock = try Self.lock(in: path)
    } catch {
      guard error.code == EWOULDBLOCK else { throw .unavailable("\(error)") }
      throw .inUse("\(path): another understudy stores its state there")
    }
  }

  private static func make(_ path: String) throws(SystemError) {
    guard try File.makeDirectory(path) else { return }
    // The new directory is a name in its parent directory, which must survive a loss of power, too.
    try KernelFile(path + "/..", O_RDONLY | O_DIRECTORY).synchronize()
  }

  /// Locks the directory; throws EWOULDBLOCK if another process holds the lock.
  private static func lock(in path: String) throws(SystemError) -> KernelFile {
    let lock = try KernelFile(path + "/lock", O_RDWR | O_CREAT)
    try lock.lock()
    return lock
  }

  /// Lets another server own the directory. Nothing may be written afterwards.
  package func release() { lock.unlock() }

  package func restore() throws(SystemError) {
    if directory.isNamed(path), lock.isNamed(path + "/lock") { return }
    try Self.make(path)
    directory = try KernelFile(path, O_RDONLY | O_DIRECTORY)
    lock = try Self.lock(in: path)
  }

  package func confirm(_ name: String, is file: any DiskFile) throws(SystemError) {
    let path = path + "/" + name
    guard let file = file as? KernelFile, file.isNamed(path) else {
      throw SystemError(path, reason: "The file was removed")
    }
  }

  package func read(_ name: String) throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      return try File.read(path + "/" + name, atMost: .max, takingPipes: false)
    } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
  }

  package func create(_ name: String) throws(SystemError) -> any DiskFile {
    try KernelFile(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC)
  }

  package func open(_ name: String) throws(SystemError) -> any DiskFile {
    try KernelFile(path + "/" + name, O_WRONLY)
  }

  package func rename(_ name: String, to other: String) throws(SystemError) {
    try File.rename(path + "/" + name, to: path + "/" + other)
  }

  package func remove(_ name: String) { File.remove(path + "/" + name) }

  package func synchronize() throws(SystemError) { try directory.synchronize() }
}

/// An open file of the file system.
final class KernelFile: DiskFile {
  private let file: Descriptor
  private let path: String
  private let identity: File.Fingerprint?

  init(_ path: String, _ flags: Int32) throws(SystemError) {
    self.path = path
    file = try Descriptor(opening: path, flags)
    identity = File.fingerprint(of: file)
  }

  /// Returns true if this path still refers to the file.
  func isNamed(_ path: String) -> Bool {
    guard let identity, let found = File.fingerprint(path) else { return false }
    return identity.isSameFile(as: found)
  }

  /// Locks the file; throws EWOULDBLOCK if another process holds the lock.
  func lock() throws(SystemError) {
    guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { throw SystemError(path) }
  }

  func unlock() { _ = flock(file.number, LOCK_UN) }

  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) { try file.write(bytes, at: offset) }

  func truncate(to count: Int) throws(SystemError) { try file.truncate(to: count) }

  func synchronize() throws(SystemError) { try file.synchronize() }
}
