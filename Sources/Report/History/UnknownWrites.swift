import Contract
import Faults
import Primitives

/// The writes of which a client does not know what became, until it finds out: by sending them again, or by looking.
///
/// A repeated write is recognized by its intent, as everywhere; a read counts if it shows the record, and a later write that
/// sets the same makes the old one moot. Another booking does so only for one that was refused, and a steady poll that goes
/// on shows no interest.
/// A client has thirty seconds online; one that tries to find out and learns nothing has thirty seconds from that try.
struct UnknownWrites: Sendable {
  static let patience = Duration.seconds(30)
  static let maximumPending = 256

  private struct Write: Sendable {
    let doubts: WriteFate.Doubts
    let id: Int
    let origin: Int
    let client: UInt64
    let isNamed: Bool
    let peerHash: UInt64
    let identity: UInt64
    let pathHash: UInt64
    let method: String
    let intent: Intent?
    let key: UInt64?
    let api: Int?
    let operation: Contract.Operation?
    let arrival: MonotonicInstant
    let end: MonotonicInstant
    let request: String
    /// The explanations under which its client knows what became of it.
    var explanations: Explanations
    /// True if a file declares what it means to a backend.
    let isDeclared: Bool
    /// The wait that the response asked for.
    let asked: Duration
    /// The end, in time online.
    let endOnline: MonotonicInstant
    /// When its client last tried in vain to find out, or lost it, in time online.
    var lastTry: MonotonicInstant
    var isTried = false
    /// True if a steady poll has shown its record since.
    var isPolled = false

    init(_ seen: Observation, _ facts: Facts, _ doubts: WriteFate.Doubts) {
      self.doubts = doubts
      id = seen.id
      origin = seen.replayOf ?? seen.id
      client = seen.client
      isNamed = seen.isNamed
      peerHash = seen.peerHash
      identity = seen.identity
      pathHash = seen.pathHash
      method = seen.method
      intent = seen.intent
      key = seen.key
      api = seen.api
      operation = seen.operation
      arrival = seen.arrival
      end = seen.end
      request = ReportText.request(seen) + facts.attemptText
      explanations = seen.undeclared
      isDeclared = seen.isDeclared
      asked = seen.retryAfter ?? .zero
      endOnline = seen.endOnline
      lastTry = endOnline
    }

    /// True if its client has had its time by a moment of time online.
    func isOverdue(at now: MonotonicInstant) -> Bool { now - lastTry > UnknownWrites.patience + asked }
  }

  private var pending: [Write] = []
  /// The writes whose time has passed; a late repetition may still come.
  private var overdue: [Write] = []
  private var fates: [WriteFate] = []

  var isEmpty: Bool { pending.isEmpty && overdue.isEmpty }

  var hasFates: Bool { !fates.isEmpty }

  mutating func takeFates() -> [WriteFate] {
    defer { fates.removeAll() }
    return fates
  }

  /// Forgets all writes: a state that was replaced no longer shows their outcome.
  mutating func forgetAll() { pending.removeAll() }

  /// Adds an exchange, after those before it were followed up.
  ///
  /// - Parameter isFollowingStream: True if its client follows a stream that shows what its writes do.
  mutating func add(_ seen: Observation, _ facts: Facts, isFollowingStream: Bool) {
    if !pending.isEmpty, seen.isWrite || seen.method != "HEAD" || seen.isOfUnknownAPI { followUp(seen, facts) }
    guard seen.isWrite else { return }
    if !overdue.isEmpty { repeatLate(seen) }
    let doubts = seen.doubts
    guard !doubts.isEmpty else { return }
    let write = Write(seen, facts, doubts)
    // One answer to two parallel attempts resolves both. A stream shows the result, too.
    if facts.isAnsweredBeside || isFollowingStream && !doubts.contains(.refused) { return decide(write, .followed) }
    if pending.count == Self.maximumPending { decide(pending.removeFirst(), .unjudged) }
    pending.append(write)
  }

  /// Adds a write whose content never came, as when a library sends again what it cannot read a second time.
  mutating func addAttempt(_ seen: Observation) {
    func isRepeated(_ write: Write) -> Bool {
      seen.client == write.client && seen.pathHash == write.pathHash && seen.method == write.method
    }
    for index in pending.indices where isRepeated(pending[index]) { pending[index].explanations.insert(.incomplete) }
    for index in overdue.indices where isRepeated(overdue[index]) { overdue[index].explanations.insert(.incomplete) }
  }

  private mutating func followUp(_ seen: Observation, _ facts: Facts) {
    // A replay by the transport counts as the request it repeats, whatever its outcome.
    if let replayOf = seen.replayOf { pending.removeAll { $0.origin == replayOf } }
    var rest: [Write] = []
    for var write in pending {
      let isFollowUp = isFollowUp(seen, of: write)
      if isFollowUp, !facts.isBackground(since: write.arrival) {
        decide(write, isPerhapsMeant(seen, after: write) ? .repeated(by: Suspect(seen)) : .followed)
        continue
      }
      if write.isOverdue(at: seen.arrivalOnline) {
        expire(write)
        continue
      }
      if isFollowUp { write.isPolled = true }
      if write.doubts.contains(.misleading), builds(seen, on: write) {
        decide(write, .builtUpon(by: seen.id))
        continue
      }
      if let excuse = excuse(by: seen, for: write) { write.explanations.insert(excuse) }
      if seen.client == write.client, seen.api == write.api, !seen.informsClient, let intent = write.intent,
        seen.intent?.resolves(intent) == true || seen.isDeclaredToShow(write.operation)
      {
        write.lastTry = max(write.lastTry, seen.endOnline)
        write.isTried = true
      }
      rest.append(write)
    }
    pending = rest
  }

  /// True if a request is one by which the client of a write finds out about it.
  ///
  /// A request that came sooner after the write was sent beside it, and not because it was given up, unless it is the
  /// same again.
  private func isFollowUp(_ seen: Observation, of write: Write) -> Bool {
    guard seen.id > write.id, !write.isOverdue(at: seen.arrivalOnline) else { return false }
    // A key is the identity of the write, from any client.
    if isSameWrite(seen, write) { return true }
    guard seen.client == write.client else { return false }
    if seen.identity == write.identity { return true }
    if write.doubts.contains(.refused), isInstead(seen, of: write) { return true }
    if write.doubts == .refused { return false }
    guard
      seen.resolves(write.intent, of: write.api, by: write.operation) || isLook(seen, atPathOf: write)
    else { return false }
    let isLater = seen.end - write.end >= .zero - LogicalRequests.overlap.duration
    return isLater || seen.arrival - write.arrival >= LogicalRequests.shortestTimeout
  }

  /// True if a request has the key of a write: it is the same, though its content may be spelled otherwise, as with another
  /// boundary between its parts.
  private func isSameWrite(_ seen: Observation, _ write: Write) -> Bool {
    seen.isWrite && seen.key != nil && seen.key == write.key && seen.pathHash == write.pathHash
      && seen.method == write.method
  }

  /// True if a request is equal to a write that was not done, and may be meant for itself: it has no key in common with it.
  private func isPerhapsMeant(_ seen: Observation, after write: Write) -> Bool {
    write.doubts.contains(.misleading) && seen.identity == write.identity && write.intent?.overwrites != true
      && !isSameWrite(seen, write)
  }

  /// True if a request is what its client wants instead of a write that was refused: another one of the same kind, or one
  /// that makes it moot.
  private func isInstead(_ seen: Observation, of write: Write) -> Bool {
    guard seen.isWrite, seen.isSuccess else { return false }
    return seen.pathHash == write.pathHash && seen.method == write.method
      || seen.resolves(write.intent, of: write.api, by: write.operation)
  }

  /// True if a request reads the path of a write of which no effect on a record is declared.
  private func isLook(_ seen: Observation, atPathOf write: Write) -> Bool {
    (write.intent.map { $0.kind == .none } ?? true) && !seen.isWrite && seen.informsClient
      && seen.pathHash == write.pathHash
  }

  /// Returns the explanation by which a request may have settled a write for its client, though it is not about the same
  /// record, or is another client's; nil if it cannot.
  private func excuse(by seen: Observation, for write: Write) -> Explanations? {
    guard seen.id > write.id, seen.end >= write.end, seen.informsClient, let intent = seen.intent else { return nil }
    if seen.client == write.client, seen.isOfUnknownAPI, !write.isDeclared {
      // Any path may show what was written, or take it back, as the removal of a transaction does.
      return intent.reads || intent.isRemoval && seen.isSuccess ? .undeclared : nil
    }
    guard intent.reads else { return nil }
    if seen.client == write.client {
      // The path of what is set names its record; what was added may be shown by any.
      return seen.isOfUnknownAPI && write.intent?.kind == .adds ? .shownElsewhere : nil
    }
    // The code of an app and its web view are one client with two User-Agents.
    let isNeighbour = !seen.isNamed && !write.isNamed && seen.peerHash == write.peerHash
    return isNeighbour && seen.resolves(write.intent, of: write.api, by: write.operation) ? .otherAgent : nil
  }

  /// True if a request builds on a write as if it had been done: below the path that it was to create, or by an id that its
  /// response did not have.
  ///
  /// Other methods change what the path has already, and a removal clears up.
  private func builds(_ seen: Observation, on write: Write) -> Bool {
    guard seen.client == write.client, seen.id > write.id, seen.arrival >= write.end else { return false }
    if seen.namesNothing { return true }
    guard ["PUT", "MKCOL"].contains(write.method), seen.isWrite, let intent = seen.intent, !intent.isRemoval,
      let record = write.intent?.record
    else { return false }
    return intent.containers.contains(record)
  }

  private mutating func expire(_ write: Write) {
    // A late repetition may still excuse it, and could no longer be assigned to it.
    if overdue.count == Self.maximumPending { decide(overdue.removeFirst(), .unjudged) }
    overdue.append(write)
  }

  /// Removes the overdue writes that this one repeats, as the next attempt of a job whose waits are long: under the same
  /// key, by any client, or with the same values. Another write that adds something may be a new one.
  private mutating func repeatLate(_ seen: Observation) {
    var rest: [Write] = []
    for write in overdue {
      let isSetAgain =
        write.client == seen.client && write.identity == seen.identity && write.intent?.overwrites == true
      let isRepeated = isSameWrite(seen, write) || write.key == nil && seen.key == nil && isSetAgain
      if isRepeated, seen.id > write.id { decide(write, .late(by: seen.id)) } else { rest.append(write) }
    }
    overdue = rest
  }

  private mutating func forget(_ write: Write, exitCode: Int32? = nil) {
    decide(write, write.isPolled ? .polled : .forgotten, exitCode: exitCode)
  }

  private mutating func decide(_ write: Write, _ ending: WriteFate.Ending, exitCode: Int32? = nil) {
    fates.append(
      WriteFate(
        doubts: write.doubts, id: write.origin, request: write.request,
        key: write.key.map { _ in write.operation?.effect.key ?? ReportText.standardKey },
        explanations: write.explanations, isDeclared: write.isDeclared, ending: ending, exitCode: exitCode))
  }

  /// Decides what has become of all writes by a moment: at the end of a run a client that has not tried to find out never
  /// will, unless the sandbox is offline.
  ///
  /// - Parameter reads: The reads that were refused with `Retry-After` and not tried again.
  mutating func conclude(at context: CheckContext, reads: [LogicalRequest]) {
    // A failing command has given them up; who goes on, or succeeds, did without them.
    if let exitCode = context.exitCode, exitCode != 0, !context.isOffline {
      for read in reads {
        let ending = WriteFate.Ending.leftAtEnd(context.now - read.last.end)
        fates.append(
          WriteFate(
            doubts: .refused, id: read.last.id, request: "\(read.method) \(read.target)",
            key: nil, explanations: [], isDeclared: false, ending: ending, exitCode: exitCode))
      }
    }
    for write in overdue { forget(write, exitCode: context.exitCode) }
    for write in pending {
      let left = context.online - write.endOnline
      if write.isOverdue(at: context.online) {
        forget(write, exitCode: context.exitCode)
      } else if context.isFinal, !write.isTried, !context.isOffline,
        context.exitCode != nil || left + .milliseconds(1) >= write.asked
      {
        decide(write, write.isPolled ? .polled : .leftAtEnd(left), exitCode: context.exitCode)
      } else if context.isReset, !write.isTried {
        decide(write, .interrupted)
      }
    }
    (pending, overdue) = ([], [])
  }
}

extension Observation {
  /// The reasons for which its client cannot know whether it was done.
  fileprivate var doubts: WriteFate.Doubts {
    switch result {
    case .lost: key == nil ? .lost : [.lost, .repeatable]
    case .unavailable(500): isApplied ? [.refused, .told] : []
    case .unavailable(let status) where isApplied: [502, 504].contains(status) ? .lost : [.lost, .told]
    case .unavailable(429), .unavailable(503): .refused
    case .damaged where isUnreadable && isApplied: plan.damage?.kind == .wrongType ? [] : .lost
    case .damaged: isUnreadable && operation?.semantics.changesState != false ? .misleading : []
    case .success, .rejected, .unavailable, .cut: []
    }
  }
}
