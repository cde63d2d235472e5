#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// SIGINT and SIGTERM, waited for rather than handled: no code ever runs in a signal handler.
enum Signals {
  private static var stopping: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGINT)
    unsafe sigaddset(&set, SIGTERM)
    return set
  }

  /// Keeps both from ending the program. Threads that start later inherit it.
  static func block() {
    var set = stopping
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
    // A file that may grow no further is told of by the call that wrote, as a full disk is.
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Returns when one of them comes.
  static func wait() {
    var set = stopping
    var number: Int32 = 0
    _ = unsafe sigwait(&set, &number)
  }

  /// Keeps those too that tell of a child and of its time.
  static func blockForChild() {
    block()
    var set = watching
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  private static var watching: sigset_t {
    var set = stopping
    unsafe sigaddset(&set, SIGCHLD)
    unsafe sigaddset(&set, SIGALRM)
    // Taking the terminal back from a child must not stop this program.
    unsafe sigaddset(&set, SIGTTOU)
    return set
  }

  /// A signal to stop that has come and was not yet waited for.
  static var pendingStop: Int32? {
    var set = sigset_t()
    guard unsafe sigpending(&set) == 0 else { return nil }
    return [SIGINT, SIGTERM].first { unsafe sigismember(&set, $0) == 1 }
  }

  /// The next signal that stops this program, or tells of its child.
  static func next() -> Int32 {
    var set = watching
    var number: Int32 = 0
    _ = unsafe sigwait(&set, &number)
    return number
  }

  /// Waits for the next one, and lets it end the program at once, for whoever does not want to wait for the drain.
  static func exitOnNext() -> Never {
    signal(SIGINT, SIG_DFL)
    signal(SIGTERM, SIG_DFL)
    var set = stopping
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    while true { pause() }
  }
}
