import Platform
import Primitives

/// The events of a descriptor that the kernel reports. Errors and hang-ups are always reported.
struct Interest: OptionSet, Sendable {
  let rawValue: UInt8

  static let reading = Interest(rawValue: 1)
  static let writing = Interest(rawValue: 2)
}

/// A ready descriptor, by its token.
struct Readiness: Sendable {
  let token: UInt64
  let canRead: Bool
  let canWrite: Bool
  /// True if the connection has ended in both directions, or failed.
  let isBroken: Bool
}

/// The interface between the loop and the kernel's polling: level-triggered, with one waiting thread.
protocol Poller: AnyObject {
  func add(_ descriptor: Int32, token: UInt64, _ interest: Interest)
  func change(_ descriptor: Int32, token: UInt64, to interest: Interest)
  /// Removes a descriptor; to be called before it is closed.
  func remove(_ descriptor: Int32)
  /// Waits for readiness, for at most `timeout`; if it is nil, without limit.
  func wait(atMost timeout: NanosecondDuration?, into ready: inout [Readiness])
}

/// The system call that a poller uses.
package enum PollerKind: String, Sendable, CaseIterable {
  /// `epoll(7)`, on Linux only.
  case epoll
  /// `poll(2)`, everywhere.
  case poll

  package static var preferred: PollerKind {
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
