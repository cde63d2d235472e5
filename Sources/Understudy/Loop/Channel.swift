import Primitives

/// A socket that the loop polls for another owner than a client's connection, such as a connection to a backend.
///
/// All calls are made on the loop's thread. The poller is level-triggered: an event that is left is reported again.
protocol Channel: AnyObject {
  /// Negative while it has no socket, and only its timer counts.
  var descriptor: Int32 { get }

  /// Reads, writes, or notes that the connection has ended.
  func handle(_ readiness: Readiness, at now: ClockReading)

  /// Notes that its timer has fired.
  func expire(at now: ClockReading)

  /// Ends it, closes its socket, and removes it: the loop is about to end.
  func close()
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
    /// The events that the poller reports.
    var interest: Interest = []
    var storedBytes = 0
  }

  private let poller: any Poller
  private var slots: [Slot] = []
  private var free: [Int] = []
  private var timers = SlotTimers() { didSet { nextTimer = timers.next } }
  /// Distinguishes the tokens from those of connections and of listeners.
  private static let mark = UInt64(1) << 62

  init(_ poller: any Poller) { self.poller = poller }

  /// The nearest instant at which a timer may fire; stored, because each turn of the loop reads it, and few change it.
  private(set) var nextTimer: MonotonicInstant?

  /// The number of bytes that all channels store for responses.
  private(set) var storedBytes = 0

  func add(_ channel: any Channel, _ interest: Interest) -> ChannelToken {
    if free.isEmpty {
      free.append(slots.count)
      slots.append(Slot())
    }
    let slot = free.removeLast()
    slots[slot].channel = channel
    slots[slot].interest = interest
    let token = ChannelToken(value: Self.mark | slots[slot].generation << 32 | UInt64(slot))
    if channel.descriptor >= 0 { poller.add(channel.descriptor, token: token.value, interest) }
    return token
  }

  func change(_ token: ChannelToken, to interest: Interest) {
    let slot = Self.slot(token.value)
    guard let channel = self[token.value], slots[slot].interest != interest else { return }
    slots[slot].interest = interest
    if channel.descriptor >= 0 { poller.change(channel.descriptor, token: token.value, to: interest) }
  }

  /// Removes a channel; to be called before its descriptor is closed.
  func remove(_ token: ChannelToken) {
    guard let channel = self[token.value] else { return }
    if channel.descriptor >= 0 { poller.remove(channel.descriptor) }
    let slot = Self.slot(token.value)
    setStoredBytes(token, to: 0)
    slots[slot].channel = nil
    slots[slot].deadline = nil
    slots[slot].generation = (slots[slot].generation + 1) & 0x3FFF_FFFF
    free.append(slot)
  }

  /// Sets the number of bytes that a channel stores for a response.
  func setStoredBytes(_ token: ChannelToken, to count: Int) {
    guard self[token.value] != nil else { return }
    let slot = Self.slot(token.value)
    storedBytes += count - slots[slot].storedBytes
    slots[slot].storedBytes = count
  }

  /// Closes all channels.
  func closeAll() {
    for channel in slots.compactMap(\.channel) { channel.close() }
  }

  /// Sets the timer of a channel, in place of an earlier one; nil for none.
  func setTimer(_ token: ChannelToken, at deadline: MonotonicInstant?) {
    let slot = Self.slot(token.value)
    guard self[token.value] != nil, slots[slot].deadline != deadline else { return }
    slots[slot].deadline = deadline
    if let deadline { timers.schedule(slot, at: deadline) }
  }

  /// The channel with the token of an event; nil if the token is not that of a channel, or if the channel was removed.
  subscript(token: UInt64) -> (any Channel)? {
    guard Self.isChannel(token) else { return nil }
    let slot = Self.slot(token)
    guard slots[slot].generation == (token >> 32) & 0x3FFF_FFFF else { return nil }
    return slots[slot].channel
  }

  static func isChannel(_ token: UInt64) -> Bool { token & (mark | mark << 1) == mark }

  /// Calls the channels whose deadlines have passed. At most this many timers are examined.
  func expire(atMost count: Int, at now: ClockReading) {
    var examinedCount = 0
    while examinedCount < count, let due = timers.popDue(at: now.tick) {
      examinedCount += 1
      let slot = slots[due.slot]
      guard !due.isReplaced, let channel = slot.channel, let deadline = slot.deadline else { continue }
      guard deadline <= now.tick else {
        timers.schedule(due.slot, at: deadline)
        continue
      }
      slots[due.slot].deadline = nil
      channel.expire(at: now)
    }
  }

  /// The number of timers.
  var timerCount: Int { timers.count }

  private static func slot(_ token: UInt64) -> Int { Int(token & 0xFFFF_FFFF) }
}
