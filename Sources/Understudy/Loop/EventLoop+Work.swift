import HTTP1
import Platform
import Primitives

extension EventLoop {
  /// An exchange whose work waits, because the server holds too many unsent bytes.
  struct PostponedWork {
    let entry: ConnectionTable.Entry
    /// The instant at which it began to wait.
    let since: MonotonicInstant
  }

  /// The maximum number of pieces of work in progress. Each may return a body of many megabytes.
  static let maximumConcurrentWork = 4
  /// The duration after which work no longer waits for unsent bytes; `boundOutput()` then limits them.
  private static let maximumPostponement = Duration.seconds(10)
  /// The duration after which a peer that accepts nothing is reset while work waits for its bytes.
  private static let maximumStall = Duration.seconds(1)
  /// The divisor of the limit of unsent bytes above which further work waits.
  static let workLimitDivisor = 4

  private var isOutputBelowWorkLimit: Bool { unsentBytes <= maximumUnsentBytes / Self.workLimitDivisor }

  /// True if further work may begin. Most of the limit is left to the results of the work in progress.
  private func hasRoom(forWorkThatWaitedFor duration: Duration = .zero) -> Bool {
    guard workInProgressCount < Self.maximumConcurrentWork else { return false }
    return isOutputBelowWorkLimit || duration >= Self.maximumPostponement
  }

  /// Begins an exchange's work, or postpones it behind the work that already waits.
  ///
  /// Most work renders a response, which may be long; a digest is short. Work that has to wait is dropped and requested
  /// again later: its inputs, such as a copy of the journal, may be as large as its result.
  mutating func begin(_ work: Work, of entry: ConnectionTable.Entry) {
    guard work.purpose == .digest || postponed.isEmpty && hasRoom() else {
      entry.connection.postponeWork()
      return postponed.append(PostponedWork(entry: entry, since: now.tick))
    }
    start(work, of: entry)
  }

  /// Begins the work that was postponed, as far as there is room.
  mutating func beginPostponed() {
    var count = 0
    while count < postponed.count, hasRoom(forWorkThatWaitedFor: now.tick - postponed[count].since) {
      let entry = postponed[count].entry
      count += 1
      guard connections[entry.token] != nil else { continue }
      if let work = entry.connection.performPostponed(at: now) { start(work, of: entry) }
      markDirty(entry)
    }
    guard count > 0 else { return }
    postponed.removeFirst(count)
    flush()
  }

  /// Runs an exchange's work on another thread, and resumes the exchange with the result.
  private mutating func start(_ work: Work, of entry: ConnectionTable.Entry) {
    let token = entry.token
    workInProgressCount += 1
    workers.run({ Handover(work.body()) }) { [jobs] handover in
      jobs.post { loop in
        guard let result = handover.take() else { preconditionFailure("a result is taken once") }
        loop.workInProgressCount -= 1
        if let entry = loop.connections[token] {
          entry.connection.finish(work, result, at: loop.now)
          loop.markDirty(entry)
        }
        // Most exchanges have ended by now. This is the last reference to a result that may have a million parts, so
        // another thread frees it.
        loop.workers.discard(result)
      }
    }
  }

  /// Makes room for postponed work: resets connections whose peers have accepted nothing for some time, the longest
  /// first.
  mutating func resetStalledPeers(at now: MonotonicInstant) {
    guard !postponed.isEmpty else { return }
    postponed.removeAll { connections[$0.entry.token] == nil }
    guard !postponed.isEmpty, !isOutputBelowWorkLimit else { return }
    let stalled = connections.all.compactMap { entry in entry.blockedSince.map { (since: $0, entry: entry) } }
      .filter { now - $0.since >= Self.maximumStall }
    for (_, entry) in stalled.sorted(by: { $0.since < $1.since }) {
      guard !isOutputBelowWorkLimit else { return }
      entry.connection.reset(at: self.now)
      send(entry)
    }
  }
}
