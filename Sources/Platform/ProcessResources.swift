#if canImport(Glibc)
  import CEpoll
  import Glibc
#endif

/// The resources that the process takes from the kernel and the C library.
package enum ProcessResources {
  /// Grows the table of open descriptors, unless it is large enough; at best before the process has a second thread.
  ///
  /// Linux doubles the table on demand. In a process with several threads, any call that opens a descriptor then waits
  /// for all processors (`expand_files`, `synchronize_rcu`): this function for 10 ms, and a later `accept` for 50 ms and
  /// more.
  ///
  /// - Parameter descriptor: Any open descriptor.
  package static func growDescriptorTable(with descriptor: Int32) {
    #if canImport(Glibc)
      guard let limit = Descriptor.limit else { return }
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, Int32(min(limit.rlim_cur, rlim_t(descriptorCapacity))) - 1)
      if copy >= 0 { close(copy) }
    #endif
  }

  /// More connections than the design requires.
  private static let descriptorCapacity = 16_384

  /// Configures the C library's allocator for one busy thread and long bodies: fewer system calls, and less memory kept.
  package static func configureAllocator() {
    #if canImport(Glibc)
      // Otherwise glibc gives each thread a heap of its own, and grows that of the event loop page by page, with a system call
      // for each.
      mallopt(M_ARENA_MAX, 1)
      // Otherwise the C library raises both thresholds with each long body that is freed, and keeps the memory of all.
      mallopt(M_MMAP_THRESHOLD, 256 << 10)
      mallopt(M_TRIM_THRESHOLD, 512 << 10)
    #endif
  }
}
