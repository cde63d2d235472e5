#if canImport(Glibc)
  import CEpoll
#endif

/// The memory from which all values come.
package enum Heap {
  /// Makes all threads of the program use one heap.
  ///
  /// glibc gives each thread its own, and grows the one of the event loop page by page, with a system call for each.
  package static func share() {
    #if canImport(Glibc)
      mallopt(M_ARENA_MAX, 1)
    #endif
  }
}
