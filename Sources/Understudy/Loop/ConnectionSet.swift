import HTTP1
import Platform
import Primitives
import Services

/// The connections of a loop in numbered slots, each with its socket, and the lists of those that continue without an event.
///
/// A token consists of a slot and its generation, so that events of a closed connection never reach its successor.
struct ConnectionSet: ~Copyable {
  /// A connection and the loop's information about it.
  final class Member {
    let socket: Socket
    var connection: Connection
    let token: UInt64
    /// The events that the poller reports.
    var interest: Interest = .reading
    var isDirty = false
    /// True while the token is among the loop's `awake` ones.
    var isAwake = false
    /// The connection's own unsent bytes, as last counted by the loop.
    var unsentBytes = 0
    /// The part of them that waits for the peer alone, and not for a plan.
    var unreadBytes = 0
    /// The body that it waits to write, as last seen by the loop.
    var body: Representation?
    /// The stored bytes of its request, as last counted by the loop.
    var requestBytes = 0
    /// The instant since which the peer has accepted no byte of the output; nil if it accepts them.
    var blockedSince: MonotonicInstant?
    /// True if the loop knows that the connection waits for a commit.
    var awaitsCommit = false
    /// True while the member is in `deferred`.
    var isDeferred = false
    /// True while the member is in `unread`.
    var hasUnread = false
    /// True while the member is in `streams`.
    var isStreaming = false
    /// The instant at which the loop will resume the connection.
    var wakeUp: MonotonicInstant?

    init(socket: consuming Socket, connection: consuming Connection, token: UInt64) {
      self.socket = socket
      self.connection = connection
      self.token = token
    }
  }

  private struct Slot {
    var member: Member?
    var generation: UInt32 = 0
  }

  /// The connections whose output is to be sent in this turn.
  var dirty: [Member] = []
  /// The connections whose next request waits for the next turn.
  var deferred: [Member] = []
  /// The connections whose last read filled the buffer. They are read on after the events of a turn, so that a peer that
  /// sends little waits for no crowd that sends much. The poller does not report their bytes meanwhile.
  var unread: [Member] = []
  /// The connections that continue because of the disk, the network switch or an outage.
  var continuing: [EventLoop.Continuation] = []
  /// The connections whose response is a stream.
  var streams: [Member] = []
  /// The index of the first stream of the next turn; nil if no stream had to wait.
  var nextStream: Int?
  /// The instants at which the loop compares a connection's timeout with the time.
  var timeouts = SlotTimers()
  /// The instants that plans require. They are precise to the microsecond; timeouts are in a separate heap, where they
  /// may stay for long. Some are obsolete.
  var wakeUps = Timers()
  /// The number of unsent bytes of all connections, and of those that channels store for them. A body for which several
  /// connections wait counts once.
  var unsentBytes = 0
  /// The part that waits for the peers alone. What a plan delays, holds or paces is not unread.
  var unreadBytes = 0
  /// The number of connections that wait to write the same body.
  private var sharers: [ObjectIdentifier: Int] = [:]
  /// The part that channels store, as last counted by the loop.
  var channelBytes = 0
  /// The limit of unsent bytes. Above it, the connections whose peers accept nothing are reset first; while a quarter of it
  /// is unread, long jobs wait, and while half of it is, those for the control API.
  var maximumUnsentBytes = Self.standardMaximumUnsentBytes
  /// The number of stored bytes of all requests whose contents are arriving or whose exchanges wait.
  var requestBytes = 0
  /// The limit of these bytes. Above it, the longest requests are refused.
  var maximumRequestBytes = Self.standardMaximumRequestBytes

  static let standardMaximumUnsentBytes = 256 << 20
  static let standardMaximumRequestBytes = 256 << 20

  /// True if some continue in the next turn without an event or a timer.
  var hasImmediateWork: Bool {
    nextStream != nil || !deferred.isEmpty || !unread.isEmpty || !continuing.isEmpty
  }

  private var slots: [Slot] = []
  private var free: [Int] = []
  private(set) var count = 0

  /// Returns the token of the next connection.
  mutating func reserve() -> UInt64 {
    if free.isEmpty {
      free.append(slots.count)
      slots.append(Slot())
    }
    let slot = free[free.count - 1]
    return UInt64(slots[slot].generation) << 32 | UInt64(slot)
  }

  mutating func insert(_ member: Member) {
    let slot = free.removeLast()
    precondition(Self.slot(member.token) == slot, "a member has the token that was reserved last")
    slots[slot].member = member
    count += 1
  }

  mutating func remove(_ token: UInt64) {
    let slot = Self.slot(token)
    slots[slot].member = nil
    slots[slot].generation &+= 1
    // The generation must not reach the tokens that identify other things than connections.
    slots[slot].generation &= 0x3FFF_FFFF
    free.append(slot)
    count -= 1
  }

  /// Counts the unsent bytes of a connection, and the unread ones among them.
  mutating func countUnsent(_ bytes: Int, _ body: Representation?, unread: Int, of member: Member) {
    if body !== member.body { countBody(body, of: member) }
    unsentBytes += bytes - member.unsentBytes
    member.unsentBytes = bytes
    unreadBytes += unread - member.unreadBytes
    member.unreadBytes = unread
  }

  /// Counts what is stored for a connection now.
  mutating func countUnsent(of member: Member) {
    let bytes = member.connection.http.output.count + member.connection.passingBytes
    let (body, unread) = (member.connection.suspendedBody, member.connection.http.output.unreadCount)
    countUnsent(bytes, body, unread: unread, of: member)
  }

  private mutating func countBody(_ body: Representation?, of member: Member) {
    if let old = member.body {
      let rest = sharers[ObjectIdentifier(old), default: 1] - 1
      sharers[ObjectIdentifier(old)] = rest > 0 ? rest : nil
      if rest == 0 { unsentBytes -= old.bytes.count }
    }
    if let body {
      let others = sharers[ObjectIdentifier(body)] ?? 0
      sharers[ObjectIdentifier(body)] = others + 1
      if others == 0 { unsentBytes += body.bytes.count }
    }
    member.body = body
  }

  subscript(token: UInt64) -> Member? {
    let slot = Self.slot(token)
    guard slot < slots.count, let member = slots[slot].member, member.token == token else { return nil }
    return member
  }

  /// Returns the connection that is now in a slot.
  func occupant(of slot: Int) -> Member? { slots[slot].member }

  var all: [Member] { slots.compactMap(\.member) }

  static func slot(_ token: UInt64) -> Int { Int(token & 0xFFFF_FFFF) }
}
