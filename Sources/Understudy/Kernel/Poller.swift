/// What the kernel is asked to tell about a descriptor. Errors and hang-ups are told in any case.
struct Interest: OptionSet, Sendable {
  let rawValue: UInt8

  init(rawValue: UInt8) { self.rawValue = rawValue }

  static let reading = Interest(rawValue: 1)
  static let writing = Interest(rawValue: 2)
}

/// One descriptor that is ready, by the token it was added with.
struct Readiness: Sendable {
  let token: UInt64
  let canRead: Bool
  let canWrite: Bool
  /// The connection is gone in both directions, or in error.
  let isBroken: Bool
}

/// The seam between the loop and the kernel's way of waiting: level-triggered, one waiter.
protocol Poller: AnyObject {
  func add(_ descriptor: Int32, token: UInt64, _ interest: Interest)
  func change(_ descriptor: Int32, token: UInt64, to interest: Interest)
  /// Must come before the descriptor is closed.
  func remove(_ descriptor: Int32)
  /// Waits for readiness, for at most `timeout`; without one, for as long as it takes.
  func wait(atMost timeout: Duration?, into ready: inout [Readiness])
}

/// Which way of waiting to use.
enum PollerKind: String, Sendable, CaseIterable {
  /// `epoll(7)`, on Linux only.
  case epoll
  /// `poll(2)`, everywhere.
  case poll

  static var preferred: PollerKind {
    #if os(Linux)
      .epoll
    #else
      .poll
    #endif
  }

  func make() throws(SystemError) -> any Poller {
    switch self {
    case .epoll:
      #if os(Linux)
        return try EpollPoller()
      #else
        return PollPoller()
      #endif
    case .poll: return PollPoller()
    }
  }
}
