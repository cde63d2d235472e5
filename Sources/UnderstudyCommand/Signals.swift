#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The signals that ask the program to stop. The program waits for them; no code runs in a signal handler.
enum Signals {
  /// A closed terminal sends SIGHUP, unless `nohup` ignores it; Ctrl-\ sends SIGQUIT.
  static let stops: [Int32] = [SIGINT, SIGTERM, SIGQUIT] + unlessIgnored(SIGHUP)

  /// Ctrl-Z sends it, to this program and not to its child, which has a process group of its own.
  private static let suspensions = unlessIgnored(SIGTSTP)

  /// The signals that only this program ignores: for a process that it starts they have their default actions again.
  static let ignoredHere = unlessIgnored(SIGPIPE) + unlessIgnored(SIGXFSZ)

  /// Returns the signal, or nothing if it is ignored: an ignored signal must stay so, but blocking it would make it pending.
  private static func unlessIgnored(_ number: Int32) -> [Int32] {
    let disposition = signal(number, SIG_IGN)
    let isIgnored = unsafe unsafeBitCast(disposition, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    if !isIgnored { signal(number, SIG_DFL) }
    return isIgnored ? [] : [number]
  }

  private static var stopping: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in stops { unsafe sigaddset(&set, number) }
    return set
  }

  /// Blocks the signals, so that they do not end the program. Threads that start later inherit this.
  static func block() {
    var set = stopping
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    // Without SIGXFSZ, write(2) fails with EFBIG instead.
    for number in ignoredHere { signal(number, SIG_IGN) }
  }

  /// Waits for one of the signals.
  static func wait() {
    var set = stopping
    var number: Int32 = 0
    _ = unsafe sigwait(&set, &number)
  }

  /// Also blocks the signals about a child and its time limit, and those that stop and continue this program.
  static func blockForChild() {
    block()
    // If this program was started with SIGCHLD ignored, it would not learn of its child's end.
    signal(SIGCHLD, SIG_DFL)
    var set = watching
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  private static var watching: sigset_t {
    var set = stopping
    unsafe sigaddset(&set, SIGCHLD)
    unsafe sigaddset(&set, SIGALRM)
    unsafe sigaddset(&set, SIGCONT)
    for number in suspensions { unsafe sigaddset(&set, number) }
    // Taking the terminal back from a child must not stop this program.
    unsafe sigaddset(&set, SIGTTOU)
    return set
  }

  /// A pending signal that asks the program to stop; nil if there is none.
  static var pendingStop: Int32? {
    var set = sigset_t()
    guard unsafe sigpending(&set) == 0 else { return nil }
    return stops.first { unsafe sigismember(&set, $0) == 1 }
  }

  /// Waits for the next signal that ends, stops or continues this program, or concerns its child.
  static func next() -> Int32 {
    var set = watching
    var number: Int32 = 0
    _ = unsafe sigwait(&set, &number)
    return number
  }

  /// Stops this program, until something such as a shell's `fg` continues it.
  static func stopProgram() { kill(getpid(), SIGSTOP) }

  /// Waits for the next signal, which then ends the program at once, without waiting for unfinished responses.
  static func exitOnNext() -> Never {
    for number in stops { signal(number, SIG_DFL) }
    var set = stopping
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    while true { pause() }
  }
}
