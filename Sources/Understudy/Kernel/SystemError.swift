#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A system call that failed.
package struct SystemError: Error, CustomStringConvertible {
  package let call: String
  package let code: Int32

  /// Takes the code from `errno`, so it must be made before any other call.
  package init(_ call: String) {
    self.call = call
    code = errno
  }

  package var isAddressInUse: Bool { code == EADDRINUSE }

  package var description: String {
    let reason = unsafe String(cString: strerror(code))
    return "\(call): \(reason)"
  }
}
