/// What this turn of the loop changed: noted as it happens, and on the disk before anybody is told.
final class Ledger {
  let log: StateLog
  private var entries: [Entry] = []
  /// Which turn it is; each ends with its changes on the disk, or taken back.
  private(set) var turn = 1
  private var isRepairDue = false
  /// Why the last change could not be kept.
  private(set) var failure: SystemError?

  /// A change, and how to take it back while nobody knows of it.
  struct Entry {
    let record: LogRecord
    let undo: Undo
  }

  enum Undo {
    /// Nobody waits to be told, so it stays; the log must be written anew.
    case none
    case state(Sandbox, api: Int, Delta)
    case key(Sandbox, Idempotency.Stored)
    case image(Sandbox, Sandbox.Image)
    case made(Sandbox)
    case deleted(Sandbox)
  }

  init(_ log: StateLog) { self.log = log }

  var count: Int { entries.count }

  /// Whether `commit` has anything to do.
  var isDirty: Bool { !entries.isEmpty || isRepairDue }

  /// Whether anything changed that is not on the disk.
  var hasChanges: Bool { !entries.isEmpty }

  func note(_ record: LogRecord, undo: Undo) { entries.append(Entry(record: record, undo: undo)) }

  /// Takes back what was noted beyond so many entries: the state was brought back already.
  func forget(beyond count: Int) { entries.removeLast(entries.count - count) }

  /// Has the next `commit` write the log anew, if its file is in doubt.
  func tryRepair() { isRepairDue = log.isInDoubt }

  /// Brings the turn's changes to the disk, all of them or none.
  ///
  /// - Parameter image: The whole state as it is now, changes included.
  /// - Returns: The changes that are to be taken back, none when all went well.
  func commit(image: () -> [UInt8]) -> [Entry] {
    guard isDirty else { return [] }
    defer {
      entries.removeAll(keepingCapacity: true)
      turn += 1
    }
    do throws(SystemError) {
      if isRepairDue {
        isRepairDue = false
        try log.rewrite(image())
      } else {
        try log.append(LogRecord.payload(entries.lazy.map(\.record)))
      }
      failure = nil
    } catch {
      if !log.isInDoubt || failure == nil { failure = error }
      return entries
    }
    // The turn is on the disk as it is; when the shorter file cannot be had, the long one goes on.
    if log.isLong { try? log.rewrite(image()) }
    return []
  }
}
