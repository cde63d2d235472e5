import Platform
import Primitives

#if canImport(Glibc)
  import CEpoll
  import Glibc
#elseif canImport(Musl)
  import CEpoll
  import Musl
#else
  import Darwin
#endif

/// A poller that uses `poll(2)`, which every POSIX system has. Its cost grows with the number of descriptors.
final class PollPoller: Poller {
  private var descriptors: [pollfd] = []
  private var tokens: [UInt64] = []
  private var positions: [Int32: Int] = [:]

  func add(_ descriptor: Int32, token: UInt64, _ interest: Interest) {
    positions[descriptor] = descriptors.count
    descriptors.append(pollfd(fd: descriptor, events: Self.mask(interest), revents: 0))
    tokens.append(token)
  }

  func change(_ descriptor: Int32, token: UInt64, to interest: Interest) {
    guard let position = positions[descriptor] else { return }
    descriptors[position].events = Self.mask(interest)
    tokens[position] = token
  }

  func remove(_ descriptor: Int32) {
    guard let position = positions.removeValue(forKey: descriptor) else { return }
    let last = descriptors.count - 1
    if position != last {
      descriptors[position] = descriptors[last]
      tokens[position] = tokens[last]
      positions[descriptors[position].fd] = position
    }
    descriptors.removeLast()
    tokens.removeLast()
  }

  func wait(atMost timeout: NanosecondDuration?, into ready: inout [Readiness]) {
    ready.removeAll(keepingCapacity: true)
    guard Descriptor.poll(&descriptors, atMost: timeout?.nanoseconds ?? -1) > 0 else { return }
    for (position, descriptor) in descriptors.enumerated() where descriptor.revents != 0 {
      let broken = Int16(POLLERR | POLLHUP | POLLNVAL)
      ready.append(
        Readiness(
          token: tokens[position],
          canRead: descriptor.revents & Int16(POLLIN) != 0,
          canWrite: descriptor.revents & Int16(POLLOUT) != 0,
          isBroken: descriptor.revents & broken != 0))
    }
  }

  private static func mask(_ interest: Interest) -> Int16 {
    var mask: Int16 = 0
    if interest.contains(.reading) { mask |= Int16(POLLIN) }
    if interest.contains(.writing) { mask |= Int16(POLLOUT) }
    return mask
  }
}
