#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A system call that failed.
struct SystemError: Error, CustomStringConvertible {
  let call: String
  let code: Int32
  private let ownReason: String?

  /// Takes the code from `errno`, so it must be made before any other call.
  init(_ call: String) {
    self.call = call
    code = errno
    ownReason = nil
  }

  /// A failure that no system call tells of.
  init(_ call: String, reason: String) {
    self.call = call
    code = Self.inDoubt
    ownReason = reason
  }

  init(_ call: String, code: Int32) {
    self.call = call
    self.code = code
    ownReason = nil
  }

  /// Stands for a failure of before, whose consequences last.
  static let inDoubt = EIO
  static let tooLarge = EFBIG

  var isAddressInUse: Bool { code == EADDRINUSE }

  /// What went wrong, without where.
  var reason: String { ownReason ?? (unsafe String(cString: strerror(code))) }

  var description: String { "\(call): \(reason)" }
}
