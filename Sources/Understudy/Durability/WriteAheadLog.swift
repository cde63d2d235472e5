import Platform
import StateLog

/// The changes that are not on the disk yet. They are recorded when they are made, and written before any client gets
/// its response.
///
/// During a commit, further changes are recorded for the next one.
final class WriteAheadLog {
  let log: LogFile
  private var entries: [Entry] = []
  /// The changes of the current commit.
  private var committing: [Entry]?
  /// The number of the commit to which the next change belongs.
  private(set) var turn = 1
  /// The number of the last finished commit: all changes up to it are durable or were rolled back.
  private(set) var committedTurn = 0
  private var isRepairDue = false
  /// The reason for which the last change could not be stored.
  private(set) var failure: SystemError?
  /// The reason for which a long log could not be rewritten the last time; the long log stays in use.
  private(set) var rewriteFailure: SystemError?
  private var isRewriteDue = false
  private var pause = RewritePause()

  /// A change, and the way to roll it back while no client has seen it.
  struct Entry {
    let record: LogRecord
    let undo: Undo
    let consequences: Consequences?
  }

  /// The effects of a change that are no values of its sandbox, such as those on ports and connections. They wait until
  /// the change is stored, because they could not be rolled back.
  struct Consequences {
    var ifStored: () -> Void = {}
    var ifRefused: () -> Void = {}
  }

  enum Undo {
    /// The change is not rolled back, because no client waits for it; the log must be rewritten.
    case none
    /// The state before the first change of a sandbox in a turn, which is assigned to it.
    case state(Sandbox, before: SandboxState)
    /// The undo of the sandbox's first change in the turn takes this one back, too.
    case withFirst
    case made(Sandbox)
    case deleted(Sandbox)
  }

  /// The changes of a commit that has ended.
  struct Committed {
    var stored: [Entry] = []
    /// The changes to roll back: those that were not stored, and all that were made since, because they are based on
    /// them.
    var lost: [Entry] = []
  }

  init(_ log: LogFile) { self.log = log }

  var count: Int { entries.count }

  /// True if there are changes that no commit includes yet.
  var isDirty: Bool { !entries.isEmpty || isRepairDue || isRewriteDue }

  /// True if there are changes that are not on the disk.
  var hasChanges: Bool { !entries.isEmpty || committing != nil }

  func record(_ record: LogRecord, undo: Undo, _ consequences: Consequences? = nil) {
    entries.append(Entry(record: record, undo: undo, consequences: consequences))
  }

  /// Removes the entries after the first `count`, whose changes the caller has reverted.
  func forget(beyond count: Int) { entries.removeLast(entries.count - count) }

  /// Makes the next commit rewrite the log if its file is in doubt, or if shortening it failed a while ago.
  func tryRepair() {
    guard committing == nil else { return }
    isRepairDue = log.isInDoubt
    if rewriteFailure != nil { isRewriteDue = pause.isOver() }
  }

  /// Begins a commit of all changes since the last one.
  ///
  /// - Parameter image: Returns the complete current state, changes included.
  /// - Returns: The commit; nil if there are no changes, or if another commit is in progress.
  func beginCommit(image: () -> Commit.Image) -> Commit? {
    guard isDirty, committing == nil else { return nil }
    committing = entries
    defer { (entries, isRepairDue, isRewriteDue, turn) = ([], false, false, turn + 1) }
    if isRepairDue { return Commit(log: Exclusive(object: log), step: .repair(image())) }
    // The changes are on the disk before a long log is rewritten; if that fails, the long log stays in use.
    let shortened = log.isLong || isRewriteDue ? image() : nil
    return Commit(log: Exclusive(object: log), step: .append(entries.map(\.record), shortened: shortened))
  }

  /// Applies the outcome of a commit.
  func endCommit(_ outcome: Commit.Outcome) -> Committed {
    guard let committed = committing else { preconditionFailure("a commit ends once") }
    committing = nil
    committedTurn = turn - 1
    switch outcome {
    case .failed(let error):
      if !log.isInDoubt || failure == nil { failure = error }
      defer { entries = [] }
      return Committed(lost: committed + entries)
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
    return Committed(stored: committed)
  }
}

/// A write of changes to the disk: begun and ended on the loop, executed on any thread. At most one is in progress.
struct Commit: Sendable {
  typealias Image = @Sendable () -> [UInt8]

  fileprivate enum Step: Sendable {
    /// Rewrite the log, because its file is in doubt.
    case repair(Image)
    /// Append the changes, and rewrite the log if there is an image.
    case append([LogRecord], shortened: Image?)
  }

  enum Outcome: Sendable {
    case repaired, appended, shortened
    /// The changes are on the disk, but the log is still long.
    case notShortened(SystemError)
    /// The changes could not be made durable.
    case failed(SystemError)
  }

  fileprivate let log: Exclusive<LogFile>
  fileprivate let step: Step

  /// Writes the changes, and returns when they are durable or an error has occurred.
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

/// The pause between attempts to shorten the log, in rounds of maintenance; it doubles with each failure.
private struct RewritePause {
  private var length = 1
  private var remaining = 0
  /// About a minute.
  private static let maximum = 128

  mutating func begin() {
    length = min(length * 2, Self.maximum)
    remaining = length
  }

  /// Counts one round; returns true if the pause is over.
  mutating func isOver() -> Bool {
    remaining -= 1
    return remaining <= 0
  }
}
