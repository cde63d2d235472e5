/// The connections of a loop in numbered slots, each with its socket.
///
/// A token names a slot and its generation, so that news of a closed connection never reaches the one after it.
struct ConnectionTable: ~Copyable {
  /// A connection and what the loop knows about it.
  final class Entry {
    let socket: Socket
    let connection: Connection
    let token: UInt64
    /// What the poller was asked for.
    var interest: Interest = .reading
    var isDirty = false
    /// The number of bytes that the connection holds for its peer, as the loop counted them last.
    var heldOutput = 0
    /// Whether the loop knows that it waits for the disk.
    var isHeld = false
    /// True while it is among the loop's `deferred`.
    var isDeferred = false
    /// True while it is among the loop's `streams`.
    var isStreaming = false
    /// The moment at which the loop means to resume the connection.
    var wakeUp: Tick?

    init(socket: consuming Socket, connection: Connection, token: UInt64) {
      self.socket = socket
      self.connection = connection
      self.token = token
    }
  }

  private struct Slot {
    var entry: Entry?
    var generation: UInt32 = 0
    /// The nearest moment at which the timers will look at this slot. It outlives the connection, so that connections
    /// which come and go leave no more entries in the timers than there are slots.
    var wakeUp: Tick?
  }

  private var slots: [Slot] = []
  private var free: [Int] = []
  private(set) var count = 0

  init() {}

  /// The token that the next connection will have.
  mutating func reserve() -> UInt64 {
    if free.isEmpty {
      free.append(slots.count)
      slots.append(Slot())
    }
    let slot = free[free.count - 1]
    return UInt64(slots[slot].generation) << 32 | UInt64(slot)
  }

  mutating func insert(_ entry: Entry) {
    let slot = free.removeLast()
    precondition(Self.slot(entry.token) == slot, "an entry has the token that was reserved last")
    slots[slot].entry = entry
    count += 1
  }

  mutating func remove(_ token: UInt64) {
    let slot = Self.slot(token)
    slots[slot].entry = nil
    slots[slot].generation &+= 1
    // The generation must not reach the tokens that stand for other things than connections.
    slots[slot].generation &= 0x7FFF_FFFF
    free.append(slot)
    count -= 1
  }

  subscript(token: UInt64) -> Entry? {
    let slot = Self.slot(token)
    guard slot < slots.count, let entry = slots[slot].entry, entry.token == token else { return nil }
    return entry
  }

  /// The connection that is in the token's slot now, whichever it is.
  func occupant(ofSlotOf token: UInt64) -> Entry? { slots[Self.slot(token)].entry }

  /// Notes when the slot is to be looked at; false if the timers will do so by then as it is.
  mutating func wake(_ token: UInt64, at deadline: Tick) -> Bool {
    let slot = Self.slot(token)
    if let known = slots[slot].wakeUp, known <= deadline { return false }
    slots[slot].wakeUp = deadline
    return true
  }

  /// Takes note that an entry came out of the timers; false if the slot was given a nearer one in the meantime.
  mutating func woke(_ entry: Timers.Entry) -> Bool {
    let slot = Self.slot(entry.token)
    guard slots[slot].wakeUp == entry.deadline else { return false }
    slots[slot].wakeUp = nil
    return true
  }

  var all: [Entry] { slots.compactMap(\.entry) }

  private static func slot(_ token: UInt64) -> Int { Int(token & 0xFFFF_FFFF) }
}
