#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The signals that ask a program to stop, waited for rather than handled: no code ever runs in a signal handler.
enum Signals {
  /// A closed terminal sends SIGHUP, unless `nohup` keeps it off, and Ctrl-\ SIGQUIT.
  static let stops: [Int32] = [SIGINT, SIGTERM, SIGQUIT] + (isHangUpIgnored ? [] : [SIGHUP])

  /// A signal that is blocked would come though it is ignored.
  private static let isHangUpIgnored: Bool = {
    let disposition = signal(SIGHUP, SIG_IGN)
    let isIgnored = unsafe unsafeBitCast(disposition, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    if !isIgnored { signal(SIGHUP, SIG_DFL) }
    return isIgnored
  }()

  private static var stopping: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in stops { unsafe sigaddset(&set, number) }
    return set
  }

  /// Keeps them from ending the program. Threads that start later inherit it.
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
    return stops.first { unsafe sigismember(&set, $0) == 1 }
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
    for number in stops { signal(number, SIG_DFL) }
    var set = stopping
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    while true { pause() }
  }
}
