import Primitives

/// A socket that the loop polls for another owner than a client's connection, such as a connection to a backend.
///
/// All calls are made on the loop's thread. The poller is level-triggered: an event that is left is reported again.
protocol Channel: AnyObject {
  var descriptor: Int32 { get }

  /// Reads, writes, or notes that the connection has ended.
  func handle(_ readiness: Readiness, at now: ClockReading)

  /// Notes that its timer has fired.
  func expire(at now: ClockReading)
}

/// The identity of a channel in the loop.
struct ChannelToken: Hashable, Sendable {
  fileprivate let value: UInt64
}

/// The channels of a loop, with their timers.
final class Channels {
  private struct Slot {
    var channel: (any Channel)?
    var generation: UInt64 = 0
    var deadline: MonotonicInstant?
  }

  private let poller: any Poller
  private var slots: [Slot] = []
  private var free: [Int] = []
  private var timers = Timers() { didSet { nextTimer = timers.next } }
  /// Distinguishes the tokens from those of connections and of listeners.
  private static let mark = UInt64(1) << 62

  init(_ poller: any Poller) { self.poller = poller }

  /// The nearest instant at which a timer may fire.
  private(set) var nextTimer: MonotonicInstant?

  func add(_ channel: any Channel, _ interest: Interest) -> ChannelToken {
    if free.isEmpty {
      free.append(slots.count)
      slots.append(Slot())
    }
    let slot = free.removeLast()
    slots[slot].channel = channel
    let token = ChannelToken(value: Self.mark | slots[slot].generation << 32 | UInt64(slot))
    poller.add(channel.descriptor, token: token.value, interest)
    return token
  }

  func change(_ token: ChannelToken, to interest: Interest) {
    guard let channel = self[token.value] else { return }
    poller.change(channel.descriptor, token: token.value, to: interest)
  }

  /// Removes a channel; to be called before its descriptor is closed.
  func remove(_ token: ChannelToken) {
    guard let channel = self[token.value] else { return }
    poller.remove(channel.descriptor)
    let slot = Self.slot(token.value)
    slots[slot].channel = nil
    slots[slot].deadline = nil
    slots[slot].generation = (slots[slot].generation + 1) & 0x3FFF_FFFF
    free.append(slot)
  }

  /// Sets the timer of a channel, in place of an earlier one; nil for none.
  func setTimer(_ token: ChannelToken, at deadline: MonotonicInstant?) {
    guard self[token.value] != nil else { return }
    slots[Self.slot(token.value)].deadline = deadline
    if let deadline { timers.add(deadline, token: token.value) }
  }

  /// The channel with the token of an event; nil if the token is not that of a channel, or if the channel was removed.
  subscript(token: UInt64) -> (any Channel)? {
    guard Self.isChannel(token) else { return nil }
    let slot = Self.slot(token)
    guard slot < slots.count, slots[slot].generation == (token >> 32) & 0x3FFF_FFFF else { return nil }
    return slots[slot].channel
  }

  static func isChannel(_ token: UInt64) -> Bool { token & (mark | mark << 1) == mark }

  /// Calls the channels whose timers have fired, up to a number.
  func expire(atMost count: Int, at now: ClockReading) {
    var fired = 0
    while fired < count, let due = timers.popDue(at: now.tick) {
      guard let channel = self[due.token], slots[Self.slot(due.token)].deadline == due.deadline else { continue }
      fired += 1
      slots[Self.slot(due.token)].deadline = nil
      channel.expire(at: now)
    }
  }

  private static func slot(_ token: UInt64) -> Int { Int(token & 0xFFFF_FFFF) }
}
