#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A failed system call.
struct SystemError: Error, CustomStringConvertible {
  let call: String
  let code: Int32
  private let customReason: String?

  /// Takes the code from `errno`, so it must be created before any other call.
  init(_ call: String) {
    self.call = call
    code = errno
    customReason = nil
  }

  /// Creates a failure that is not reported by a system call.
  init(_ call: String, reason: String) {
    self.call = call
    code = Self.inDoubt
    customReason = reason
  }

  init(_ call: String, code: Int32) {
    self.call = call
    self.code = code
    customReason = nil
  }

  /// The code for the lasting consequences of an earlier failure.
  static let inDoubt = EIO
  static let tooLarge = EFBIG

  var isAddressInUse: Bool { code == EADDRINUSE }

  /// The reason of the failure, without its place.
  var reason: String { customReason ?? (unsafe String(cString: strerror(code))) }

  var description: String { "\(call): \(reason)" }
}
