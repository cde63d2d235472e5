#if canImport(Glibc)
  import CEpoll
#endif

/// The C library's heap.
package enum Heap {
  /// Makes all threads of the program use one arena.
  ///
  /// glibc gives each thread its own, and grows the one of the event loop page by page, with a system call for each.
  package static func useOneArena() {
    #if canImport(Glibc)
      mallopt(M_ARENA_MAX, 1)
    #endif
  }
}
