#if canImport(Glibc)
  import Glibc
#endif

/// The kernel's table of this process's open descriptors.
package enum DescriptorTable {
  /// Grows the table, unless it is large enough; at best before the process has a second thread.
  ///
  /// Linux doubles the table on demand. In a process with several threads, any call that opens a descriptor then waits
  /// for all processors (`expand_files`, `synchronize_rcu`): this function for 10 ms, and a later `accept` for 50 ms and
  /// more.
  ///
  /// - Parameter descriptor: Any open descriptor.
  package static func grow(with descriptor: Int32) {
    #if canImport(Glibc)
      guard let limit = Descriptor.limit else { return }
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, Int32(min(limit.rlim_cur, rlim_t(capacity))) - 1)
      if copy >= 0 { close(copy) }
    #endif
  }

  /// More connections than the design requires.
  private static let capacity = 16_384
}
