import Primitives

/// The next examination of each slot of a table.
///
/// A deadline that moves later, as most do, needs no further timer: when the earlier one fires, the owner compares its own
/// deadline, and schedules the slot again. One that moves earlier adds a timer, and the later one is ignored when it fires.
/// A slot keeps its timer when its occupant changes, so that occupants of short life share one.
struct SlotTimers {
  private var timers = Timers()
  /// The instant of each slot's current timer; nil if it has none.
  private var pending: [MonotonicInstant?] = []

  /// The instant of the next timer.
  var next: MonotonicInstant? { timers.next }

  /// The number of timers, with those that an earlier one has replaced.
  var count: Int { timers.count }

  /// Lets a slot be examined at an instant, unless it is examined earlier anyway.
  mutating func schedule(_ slot: Int, at deadline: MonotonicInstant) {
    while slot >= pending.count { pending.append(nil) }
    if let known = pending[slot], known <= deadline { return }
    pending[slot] = deadline
    timers.add(deadline, token: UInt64(slot))
  }

  /// A timer that has fired.
  struct Fired: Equatable {
    let slot: Int
    /// True if an earlier timer has replaced it, so that there is nothing to examine.
    let isReplaced: Bool
  }

  /// Removes and returns a timer whose instant has passed.
  mutating func popDue(at now: MonotonicInstant) -> Fired? {
    guard let due = timers.popDue(at: now) else { return nil }
    let slot = Int(due.token)
    guard pending[slot] == due.deadline else { return Fired(slot: slot, isReplaced: true) }
    pending[slot] = nil
    return Fired(slot: slot, isReplaced: false)
  }
}
