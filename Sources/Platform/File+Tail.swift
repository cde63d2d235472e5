#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension File {
  /// Returns the last bytes of a file, which a program may still write; none if it cannot be read.
  package static func tail(of path: String, atMost count: Int) -> [UInt8] {
    guard let file = try? Descriptor(opening: path, O_RDONLY) else { return [] }
    let end = lseek(file.number, 0, SEEK_END)
    guard end >= 0, lseek(file.number, max(0, end - off_t(count)), SEEK_SET) >= 0 else { return [] }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(count, 64 << 10))
    while content.count < count, let read = try? file.read(into: &buffer), read > 0 { content += buffer[..<read] }
    return content
  }
}
