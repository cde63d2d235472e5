#if os(Linux)
  import CEpoll
  import Glibc
  import JSON

  /// Waits with `epoll(7)`, to the nanosecond where the kernel can (`epoll_pwait2`, Linux 5.11).
  @safe final class EpollPoller: Poller {
    private let epoll: Int32
    private var events = unsafe [epoll_event](repeating: epoll_event(), count: 512)

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

    func remove(_ descriptor: Int32) {
      control(EPOLL_CTL_DEL, descriptor, 0, [])
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ token: UInt64, _ interest: Interest) {
      var mask: UInt32 = 0
      if interest.contains(.reading) { mask |= EPOLLIN.rawValue }
      if interest.contains(.writing) { mask |= EPOLLOUT.rawValue }
      var event = unsafe epoll_event(events: mask, data: epoll_data_t(u64: token))
      _ = unsafe epoll_ctl(epoll, operation, descriptor, &event)
    }

    func wait(atMost timeout: Duration?, into ready: inout [Readiness]) {
      ready.removeAll(keepingCapacity: true)
      let count = unsafe understudy_epoll_wait(epoll, &events, Int32(events.count), timeout.map(\.nanoseconds) ?? -1)
      for index in 0..<max(0, Int(count)) {
        let event = unsafe events[index]
        ready.append(
          Readiness(
            token: unsafe event.data.u64,
            canRead: unsafe event.events & EPOLLIN.rawValue != 0,
            canWrite: unsafe event.events & EPOLLOUT.rawValue != 0,
            isBroken: unsafe event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0))
      }
    }
  }
#endif
