#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The calls on a connected socket whose constants have another type on each platform.
package enum SocketCalls {
  /// Sends bytes, without a signal where the peer is gone, and returns the result of `send`.
  @unsafe package static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #elseif canImport(Musl)
      unsafe Musl.send(descriptor, bytes.baseAddress, bytes.count, MSG_NOSIGNAL)
    #else
      unsafe Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
    #endif
  }

  /// Sends FIN; reading continues.
  package static func finishWriting(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = shutdown(descriptor, Int32(SHUT_WR))
    #else
      _ = shutdown(descriptor, SHUT_WR)
    #endif
  }
}
