#if canImport(Glibc)
  import Glibc
#endif

/// The kernel's table of this process's open descriptors.
enum DescriptorTable {
  /// Has the table grow once, at the start.
  ///
  /// Linux doubles it as descriptors come, and while it does so for a process of several threads, `accept` waits for all
  /// processors (`expand_files`, `synchronize_rcu`): for 50 ms and more.
  ///
  /// - Parameter descriptor: Any that is open.
  static func grow(with descriptor: Int32) {
    #if canImport(Glibc)
      var limit = rlimit()
      guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, Int32(min(limit.rlim_cur, rlim_t(capacity))) - 1)
      if copy >= 0 { close(copy) }
    #endif
  }

  /// More connections than the design asks for.
  private static let capacity = 16_384
}
