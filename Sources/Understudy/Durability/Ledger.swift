/// What was changed and is not on the disk yet: noted as it happens, and on the disk before any client is told.
///
/// While one commit is under way, further changes are noted for the next.
final class Ledger {
  let log: StateLog
  private var entries: [Entry] = []
  /// The changes of the commit that is under way.
  private var underWay: [Entry]?
  /// The number of the commit that the next change belongs to.
  private(set) var turn = 1
  /// The number of the last commit that ended: all up to it is on the disk, or was taken back.
  private(set) var keptTurn = 0
  private var isRepairDue = false
  /// Why the last change could not be kept.
  private(set) var failure: SystemError?
  /// Why a long log could not be written anew the last time; it goes on as it is.
  private(set) var rewriteFailure: SystemError?
  private var isRewriteDue = false
  private var pause = RewritePause()

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

  /// True if there is something to commit that no commit has begun with.
  var isDirty: Bool { !entries.isEmpty || isRepairDue || isRewriteDue }

  /// Whether anything changed that is not on the disk.
  var hasChanges: Bool { !entries.isEmpty || underWay != nil }

  func note(_ record: LogRecord, undo: Undo) { entries.append(Entry(record: record, undo: undo)) }

  /// Takes back what was noted beyond so many entries: the state was brought back already.
  func forget(beyond count: Int) { entries.removeLast(entries.count - count) }

  /// Has the next commit write the log anew, if its file is in doubt or could not be shortened a while ago.
  func tryRepair() {
    guard underWay == nil else { return }
    isRepairDue = log.isInDoubt
    if rewriteFailure != nil { isRewriteDue = pause.isOver() }
  }

  /// Marks the log as in doubt if its file is not what was written.
  func confirm() throws(SystemError) { try log.confirm() }

  /// Takes everything that changed since the last commit began.
  ///
  /// - Parameter image: Makes the whole state as it is now, changes included.
  /// - Returns: What brings the changes to the disk; nil when there are none, or while another commit is under way.
  func beginCommit(image: () -> Commit.Image) -> Commit? {
    guard isDirty, underWay == nil else { return nil }
    underWay = entries
    defer { (entries, isRepairDue, isRewriteDue, turn) = ([], false, false, turn + 1) }
    if isRepairDue { return Commit(log: Exclusive(object: log), step: .repair(image())) }
    // The changes are on the disk before a long log is written anew; while that fails, the long one goes on.
    let shortened = log.isLong || isRewriteDue ? image() : nil
    return Commit(log: Exclusive(object: log), step: .append(entries.map(\.record), shortened: shortened))
  }

  /// Takes note of what a commit came to.
  ///
  /// - Returns: The changes that are to be taken back, none when all went well: those that were not kept, and all that
  ///   were made meanwhile, for they were made to a state that is not to be.
  func endCommit(_ outcome: Commit.Outcome) -> [Entry] {
    guard let committed = underWay else { preconditionFailure("a commit ends once") }
    underWay = nil
    keptTurn = turn - 1
    switch outcome {
    case .failed(let error):
      if !log.isInDoubt || failure == nil { failure = error }
      defer { entries = [] }
      return committed + entries
    case .repaired: (failure, rewriteFailure) = (nil, nil)
    case .appended:
      if !committed.isEmpty { failure = nil }
    case .shortened:
      if !committed.isEmpty { failure = nil }
      (rewriteFailure, pause) = (nil, RewritePause())
    case .notShortened(let error):
      if !committed.isEmpty { failure = nil }
      rewriteFailure = error
      pause.begin()
    }
    return []
  }
}

/// One step of the state to the disk: begun and ended on the loop, carried out on any thread. One at a time is under way.
struct Commit: Sendable {
  typealias Image = @Sendable () -> [UInt8]

  fileprivate enum Step: Sendable {
    /// Write the log anew, for its file is in doubt.
    case repair(Image)
    /// Append what changed, and write the log anew where there is an image.
    case append([LogRecord], shortened: Image?)
  }

  enum Outcome: Sendable {
    case repaired, appended, shortened
    /// What changed is on the disk, but the log stays long.
    case notShortened(SystemError)
    /// Nothing of it is on the disk.
    case failed(SystemError)
  }

  fileprivate let log: Exclusive<StateLog>
  fileprivate let step: Step

  /// Returns when the changes are on the disk, or cannot be.
  func run() -> Outcome {
    let image: Image?
    do throws(SystemError) {
      switch step {
      case .repair(let image):
        try log.object.rewrite(image())
        return .repaired
      case .append(let records, let shortened):
        if !records.isEmpty { try log.object.append(LogRecord.payload(records)) }
        image = shortened
      }
    } catch {
      return .failed(error)
    }
    guard let image else { return .appended }
    do throws(SystemError) {
      try log.object.rewrite(image())
      return .shortened
    } catch {
      return .notShortened(error)
    }
  }
}

/// The time between attempts to shorten the log, in rounds of maintenance; it doubles with each failure.
private struct RewritePause {
  private var length = 1
  private var rest = 0
  /// About a minute.
  private static let longest = 128

  mutating func begin() {
    length = min(length * 2, Self.longest)
    rest = length
  }

  /// Counts one round.
  mutating func isOver() -> Bool {
    rest -= 1
    return rest <= 0
  }
}
