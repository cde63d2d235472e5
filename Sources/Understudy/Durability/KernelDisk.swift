import Platform
import Primitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A directory of the file system that this server owns exclusively for the lifetime of the value.
final class KernelDisk: Disk {
  let path: String
  private let directory: Descriptor
  private let identity: File.Fingerprint?

  /// Opens and locks the directory.
  ///
  /// - Parameter path: A directory, which is created if it does not exist.
  init(_ path: String) throws(StartError) {
    self.path = path
    do throws(SystemError) {
      if try File.makeDirectory(path) {
        // The new directory is a name in its parent directory, which must survive a loss of power, too.
        try Self.open(path + "/..").synchronize()
      }
      directory = try Self.open(path)
      identity = File.fingerprint(of: directory)
      guard flock(directory.number, LOCK_EX | LOCK_NB) == 0 else { throw SystemError(path) }
    } catch {
      guard error.code == EWOULDBLOCK else { throw .cannotKeep("stateDirectory \(error)") }
      throw .stateInUse("stateDirectory \(path): another understudy stores its state there")
    }
  }

  private static func open(_ path: String) throws(SystemError) -> Descriptor {
    try Descriptor(opening: path, O_RDONLY | O_DIRECTORY)
  }

  /// Lets another server own the directory. Nothing may be written afterwards.
  func release() { _ = flock(directory.number, LOCK_UN) }

  func names(in directory: String?) throws(SystemError) -> [String] {
    try File.names(in: directory.map { path + "/" + $0 } ?? path)
  }

  func read(_ file: String) throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      return try File.read(path + "/" + file, atMost: .max, takingPipes: false)
    } catch {
      guard error.code == ENOENT || error.code == ENOTDIR else { throw error }
      return nil
    }
  }

  /// Throws if the path names another directory: it was made after this one was removed, and another server may own it.
  private func checkIdentity() throws(SystemError) {
    guard let identity, File.fingerprint(path).map(identity.isSameFile) == true else {
      throw SystemError(path, reason: "The directory was removed")
    }
  }

  func makeDirectory(_ name: String) throws(SystemError) {
    try checkIdentity()
    _ = try File.makeDirectory(path + "/" + name)
  }

  func write(_ bytes: [UInt8], to file: String) throws(SystemError) {
    try checkIdentity()
    let file = try Descriptor(opening: path + "/" + file, O_WRONLY | O_CREAT | O_TRUNC)
    try file.write(bytes, at: 0)
    try file.synchronize()
  }

  func rename(_ file: String, to other: String) throws(SystemError) {
    try checkIdentity()
    try File.rename(path + "/" + file, to: path + "/" + other)
  }

  func remove(_ file: String) throws(SystemError) {
    try checkIdentity()
    do throws(SystemError) {
      try File.delete(path + "/" + file)
    } catch {
      guard error.code == ENOENT else { throw error }
    }
  }

  func removeDirectory(_ name: String) { File.removeDirectory(path + "/" + name) }

  func synchronize(_ name: String?) throws(SystemError) {
    guard let name else { return try directory.synchronize() }
    try Self.open(path + "/" + name).synchronize()
  }
}
