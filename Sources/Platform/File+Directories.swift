#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Directories by their paths.
extension File {
  /// Creates a directory; returns false if the path exists.
  ///
  /// - Parameter isPrivate: True if no other user may read it.
  package static func makeDirectory(_ path: String, isPrivate: Bool = false) throws(SystemError) -> Bool {
    if unsafe mkdir(path, isPrivate ? 0o700 : 0o755) == 0 { return true }
    guard errno == EEXIST else { throw SystemError(path) }
    return false
  }

  /// Removes a directory, if it is empty.
  package static func removeDirectory(_ path: String) { _ = unsafe rmdir(path) }

  /// Removes a file, or a directory with everything in it. Links are not followed.
  package static func removeTree(_ path: String) {
    guard unsafe unlink(path) != 0 else { return }
    for name in (try? names(in: path)) ?? [] { removeTree(path + "/" + name) }
    removeDirectory(path)
  }

  /// Returns the names in a directory; none if it does not exist.
  package static func names(in path: String) throws(SystemError) -> [String] {
    guard let directory = unsafe opendir(path) else {
      guard errno == ENOENT || errno == ENOTDIR else { throw SystemError(path) }
      return []
    }
    defer { _ = unsafe closedir(directory) }
    var names: [String] = []
    errno = 0
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw SystemError(path) }
    return names
  }
}
