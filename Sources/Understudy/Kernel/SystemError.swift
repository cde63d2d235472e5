#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A system call that failed.
struct SystemError: Error, CustomStringConvertible {
  let call: String
  let code: Int32

  /// Takes the code from `errno`, so it must be made before any other call.
  init(_ call: String) {
    self.call = call
    code = errno
  }

  var isAddressInUse: Bool { code == EADDRINUSE }

  var description: String {
    let reason = unsafe String(cString: strerror(code))
    return "\(call): \(reason)"
  }
}
