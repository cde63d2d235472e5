import Contract
import Faults
import HTTP1

/// The three steps of an exchange: it arrives and gets its plan, it is performed, and it is concluded.
extension Backend {
  /// The properties of a request's connection.
  struct Link {
    let number: Int
    /// The client's address.
    let peer: String
    /// The labels of the port at which the connection arrived.
    let port: Labels
  }

  /// Resolves a request's target, decides its plan, and records it in the journal.
  ///
  /// - Parameters:
  ///   - refusal: The refusal that was decided by the head before the content arrived, if any.
  ///   - isIncomplete: True if the request is refused before all of it has been read.
  func arrive(_ request: Request, by link: Link, refusal: Response? = nil, isIncomplete: Bool = false) -> Exchange {
    let arrival = tick
    arrivalCount += 1
    var exchange = Exchange(
      request, at: link.port, arrival: arrival, ordinal: arrivalCount, isIncomplete: isIncomplete)
    // Without a method the target is unknown.
    if !request.method.isEmpty { address(&exchange) }
    if let refusal { exchange.refusal = refusal }
    guard let sandbox = exchange.sandbox else { return exchange }
    sandbox.lastUse = arrival
    guard exchange.api != addresses.controlPlace else { return exchange }
    let now = realTime
    exchange.peer = link.peer
    exchange.connection = link.number
    exchange.advanced = sandbox.clock.advanced
    var isStruck = false
    if !sandbox.network.isOnline {
      settleNetwork(of: sandbox)
      if let outage = sandbox.network.plan(changes: exchange.isWrite) { (exchange.plan, isStruck) = (outage, true) }
    }
    let lost = isIncomplete ? nil : sandbox.replays.take(request.fingerprint, at: arrival)
    if let lost { (exchange.n, exchange.replayOf, exchange.replays) = (lost.n, lost.id, lost.replays + 1) }
    // During an outage a replayed request gets the outage, not its original plan.
    if isStruck {
      // It has not reached the backend: no rule is asked, and it is not counted.
    } else if let lost, !lost.isStruck, !sandbox.isOffline(at: now) {
      (exchange.plan, exchange.preference) = (lost.plan, lost.preference)
    } else if !isIncomplete {
      decide(&exchange, in: sandbox, at: sandbox.now(at: now))
      sandbox.move(exchange.plan.rivals, at: now)
    }
    exchange.id = sandbox.journal.begin(
      exchange.request, path: exchange.destination.path, api: exchange.api, connection: link.number, n: exchange.n,
      replayOf: exchange.replayOf, plan: exchange.plan, network: isStruck ? .offline : nil, at: now)
    sandbox.examination.begin(exchange.id)
    if exchange.plan.waitBefore > .zero { holdKey(of: &exchange) }
    return exchange
  }

  private func address(_ exchange: inout Exchange) {
    exchange.address = addresses.address(of: exchange.request, at: exchange.port)
    if exchange.address.origin.isEmpty {
      // HTTP/1.0 allows a request without an authority, and links need one.
      exchange.address.origin = exchange.request.scheme.rawValue + "://localhost:\(portNumber(of: exchange.port))"
    }
    let name = exchange.address.labels.sandbox
    // A probe is about the server, so its response does not depend on a sandbox.
    let isProbe = exchange.operation?.access == .probes
    exchange.sandbox = sandboxes[name] ?? (isProbe ? sandboxes[nil] : nil)
    if exchange.sandbox == nil { exchange.refusal = .problem(.unknownSandbox(name ?? "")) }
  }

  /// Returns the refusal that a request's head causes before its content has arrived.
  func refusal(beforeContentOf request: Request, by link: Link) -> Response? {
    var exchange = Exchange(request, at: link.port, arrival: tick, ordinal: 0)
    address(&exchange)
    return responder.refusalBeforeContent(of: exchange, self)
  }

  /// Returns the values of an exchange that are computed off the loop.
  func offLoopWork(of exchange: inout Exchange) -> OffLoopWork {
    if let work = exchange.offLoop { return work }
    let work = OffLoopWork(for: exchange.ordinal, hasWorkers: loop.hasWorkers, rollbackCount: rollbackCount)
    exchange.offLoop = work
    return work
  }

  /// Marks the exchange's `Idempotency-Key` as in flight: duplicates get 409 until the exchange has been applied.
  private func holdKey(of exchange: inout Exchange) {
    guard exchange.heldKey == nil, let sandbox = exchange.sandbox, let key = try? exchange.idempotencyKey() else {
      return
    }
    exchange.heldKey = key
    sandbox.idempotency.wait(exchange.ordinal, for: key, body: exchange.keyedContent)
  }

  private func releaseKey(of exchange: borrowing Exchange) {
    guard let key = exchange.heldKey else { return }
    exchange.sandbox?.idempotency.release(exchange.ordinal, for: key)
  }

  private func decide(_ exchange: inout Exchange, in sandbox: Sandbox, at now: Instant) {
    let isPreflight = exchange.request.knownMethod == .options && Preflight(exchange.request, allowed: nil) != nil
    let stream = exchange.destination.stream
    let position: Ordinal
    if let key = exchange.request.first(.faultKey) {
      position = .key(exchange.request.text(key.value))
    } else {
      if !isPreflight, exchange.n == 0 { exchange.n = sandbox.scenarioState.count(stream) }
      position = .ordinal(max(1, exchange.n))
    }
    let facts = RequestContext(
      stream: stream, position: position, changes: exchange.isWrite, isPreflight: isPreflight,
      elapsed: sandbox.scenarioState.elapsed(at: now))
    if !isPreflight, exchange.request.first(.prefer) != nil,
      let preferred = Preferred(exchange.request.combined("prefer") ?? "", for: facts, seed: sandbox.scenarioState.seed)
    {
      exchange.preference = Exchange.Preference(applied: preferred.applied, notUnderstood: preferred.notUnderstood)
      if let plan = preferred.plan { return exchange.plan = plan }
    }
    exchange.plan = sandbox.scenarioState.plan(for: facts) { [request = exchange.request] name in request.combined(name)
    }
  }

  /// The response to an exchange, and the versions of the state before and after it.
  struct Answer {
    let response: Response
    let versions: Range<Int>
    var hold = Hold.none
  }

  /// A reason for which a response must not be sent yet.
  enum Hold: Equatable {
    case none
    /// The response shows changes that are not on the disk yet.
    case reads
    /// The changes of the exchange are not on the disk yet.
    case writes
  }

  /// The outcome of performing an exchange.
  enum Performance {
    case answered(Answer)
    /// A value must be computed off the loop; then the exchange is performed again.
    case needs(Work)
  }

  /// Performs an exchange.
  func perform(_ exchange: inout Exchange) -> Performance {
    exchange.offLoop?.expire(after: rollbackCount)
    let version = exchange.sandbox?.store.version ?? 0
    let noted = writeAheadLog?.count ?? 0
    let response = responder.response(to: &exchange, self)
    if exchange.api == addresses.controlPlace, exchange.request.knownMethod != .get,
      exchange.sandbox?.scenarioState.armed.hasOutages == true || exchange.sandbox?.network.until != nil
    {
      isScheduleNew = true
    }
    if let work = exchange.offLoop?.pending {
      holdKey(of: &exchange)
      return .needs(work)
    }
    releaseKey(of: exchange)
    exchange.heldKey = nil
    let versions = exchange.shownVersion.map { $0..<$0 } ?? version..<max(version, exchange.sandbox?.store.version ?? 0)
    var answer = Answer(response: response, versions: versions)
    if let writeAheadLog { answer.hold = hold(for: exchange, writeAheadLog, since: noted) }
    return .answered(answer)
  }

  /// Records that the network switch keeps the response of an exchange back.
  func recordHeldResponse(of exchange: borrowing Exchange) {
    guard let journal = exchange.sandbox?.journal, journal.entry(exchange.id)?.network == nil else { return }
    exchange.sandbox?.journal.update(exchange.id) { $0.network = .held }
  }

  /// The outcome of an exchange on the wire.
  struct Delivery {
    let outcome: JournalEntry.Outcome
    /// True if the connection had served another request, so that a client's transport may send this one again by
    /// itself.
    let isOnUsedConnection: Bool
  }

  /// Records the outcome of an exchange.
  ///
  /// - Parameters:
  ///   - answer: Nil if the exchange was not performed.
  ///   - outgoing: Nil if no response was begun.
  ///   - output: The bytes that contain the response.
  func conclude(
    _ exchange: borrowing Exchange, _ answer: Answer?, _ outgoing: OutgoingResponse?, _ delivery: Delivery,
    output: [UInt8]
  ) {
    let now = tick
    if let answer {
      log.note(
        exchange, status: answer.response.status, bytes: outgoing?.bytes ?? 0, at: realTime,
        took: now - exchange.arrival)
    } else {
      releaseKey(of: exchange)
    }
    count(
      exchange, delivery, status: outgoing?.layout == nil ? nil : answer?.response.status, began: outgoing?.began)
    guard let sandbox = exchange.sandbox, exchange.id > 0 else { return }
    var response: JournalEntry.ResponseRecord?
    if let answer, let outgoing, let layout = outgoing.layout {
      response = JournalEntry.ResponseRecord(
        status: answer.response.status, fields: sandbox.journal.storeFields(output[layout.fieldLines]),
        bytes: outgoing.bytes, of: layout.end - layout.body)
    }
    let began = outgoing?.began ?? now
    var remark = exchange.refusalText.map { "refused: " + $0 } ?? answer?.response.remark
    if let slip = exchange.preference?.notUnderstood {
      remark = "Prefer not understood: \(slip)" + (remark.map { "; " + $0 } ?? "")
    }
    let timing = (actual: began - exchange.arrival, total: now - exchange.arrival)
    let isIncomplete = exchange.isIncomplete
    let isCutOff = delivery.outcome == .reset && sandbox.network.position.outage != nil
    sandbox.journal.update(exchange.id) { entry in
      entry.outcome = delivery.outcome
      if isCutOff { entry.network = .offline }
      entry.response = response
      entry.isApplied = answer.map { !$0.versions.isEmpty } ?? false
      entry.versions = isIncomplete ? nil : answer?.versions
      entry.remark = remark
      entry.timing.actual = timing.actual
      entry.timing.total = timing.total
    }
    guard !isIncomplete else { return sandbox.examination.skip(exchange.id) }
    observe(exchange, answer, delivery, status: response?.status, began: began, at: now)
    let isWithoutByte = response == nil && (delivery.outcome == .reset || delivery.outcome == .closed)
    guard isWithoutByte, delivery.isOnUsedConnection, exchange.replays < TransportRetryDetector.most else { return }
    sandbox.replays.note(
      TransportRetryDetector.Lost(
        id: exchange.replayOf ?? exchange.id, n: exchange.n, plan: exchange.plan, preference: exchange.preference,
        fingerprint: exchange.request.fingerprint, replays: exchange.replays,
        isStruck: exchange.plan.position == .ordinal(0), end: now))
  }
}
