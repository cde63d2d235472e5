import Platform
import Primitives

#if os(Linux)
  import CEpoll

  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif

  /// A poller that uses `epoll(7)`, with nanosecond timeouts if the kernel supports them (`epoll_pwait2`, Linux 5.11).
  @safe final class EpollPoller: Poller {
    private let epoll: Int32
    private var events = unsafe [epoll_event](repeating: epoll_event(), count: capacity)

    /// As many as one turn begins requests: the kernel keeps the further events, so that the loop need not read what it
    /// would only defer.
    private static let capacity = TurnBudget.maximumRequests

    init() throws(SystemError) {
      epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
      guard epoll >= 0 else { throw SystemError("epoll_create1") }
    }

    deinit { close(epoll) }

    func add(_ descriptor: Int32, token: UInt64, _ interest: Interest) {
      control(EPOLL_CTL_ADD, descriptor, token, interest)
    }

    func change(_ descriptor: Int32, token: UInt64, to interest: Interest) {
      control(EPOLL_CTL_MOD, descriptor, token, interest)
    }

    func remove(_ descriptor: Int32) { control(EPOLL_CTL_DEL, descriptor, 0, []) }

    private func control(_ operation: Int32, _ descriptor: Int32, _ token: UInt64, _ interest: Interest) {
      var mask: UInt32 = 0
      if interest.contains(.reading) { mask |= understudy_epoll_input }
      if interest.contains(.writing) { mask |= understudy_epoll_output }
      var event = unsafe epoll_event(events: mask, data: epoll_data_t(u64: token))
      _ = unsafe epoll_ctl(epoll, operation, descriptor, &event)
    }

    func wait(atMost timeout: NanosecondDuration?, into ready: inout [Readiness]) {
      // Mostly there is one, which is cheaper to take out than a range.
      while ready.popLast() != nil {}
      // A local variable has exclusive access without a check at run time.
      var events = unsafe [epoll_event]()
      unsafe swap(&events, &self.events)
      defer { unsafe swap(&events, &self.events) }
      let count = unsafe understudy_epoll_wait(epoll, &events, Int32(Self.capacity), timeout?.nanoseconds ?? -1)
      for index in 0..<max(0, Int(count)) {
        let event = unsafe events[index]
        ready.append(
          Readiness(
            token: unsafe event.data.u64,
            canRead: unsafe event.events & understudy_epoll_input != 0,
            canWrite: unsafe event.events & understudy_epoll_output != 0,
            isBroken: unsafe event.events & understudy_epoll_failure != 0))
      }
    }
  }
#endif
