#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A failed system call.
package struct SystemError: Error, CustomStringConvertible {
  package let call: String
  package let code: Int32
  private let customReason: String?

  /// Takes the code from `errno`, so it must be created before any other call.
  package init(_ call: String) {
    self.call = call
    code = errno
    customReason = nil
  }

  /// Creates a failure that is not reported by a system call.
  package init(_ call: String, reason: String) {
    self.call = call
    code = Self.inDoubt
    customReason = reason
  }

  package init(_ call: String, code: Int32) {
    self.call = call
    self.code = code
    customReason = nil
  }

  /// The code for the lasting consequences of an earlier failure.
  package static let inDoubt = EIO
  package static let noAddress = EADDRNOTAVAIL

  package var isAddressInUse: Bool { code == EADDRINUSE }
  /// True if the process or the system has no free descriptor.
  package var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }
  package var isBrokenPipe: Bool { code == EPIPE }

  /// The reason of the failure, without its place.
  package var reason: String { customReason ?? Self.reason(of: code) }

  /// Returns the system's message for a value of `errno`.
  package static func reason(of code: Int32) -> String { unsafe String(cString: strerror(code)) }

  package var description: String { "\(call): \(reason)" }
}
