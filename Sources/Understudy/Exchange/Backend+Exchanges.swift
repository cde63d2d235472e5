import Contract
import Faults
import HTTP1

/// The three moments of an exchange: it arrives and is decided; it is answered; it has come out somehow.
extension Backend {
  /// The connection that a request came by, as far as it matters.
  struct Link {
    let number: Int
    /// Who is at the other end, as its address.
    let peer: String
    /// What the port that it came in by says.
    let port: Labels
  }

  /// Decides where a request goes and what will go wrong with it, and notes it in the journal.
  ///
  /// - Parameters:
  ///   - refusal: What the head decided before the content came, if anything.
  ///   - isIncomplete: Whether the request is refused before all of it has been read.
  func arrive(_ request: Request, by link: Link, refusal: Reply? = nil, isIncomplete: Bool = false) -> Exchange {
    let arrival = tick
    let exchange = idle.popLast() ?? Exchange()
    arrivalCount += 1
    exchange.begin(
      request, at: link.port, arrival: arrival, ordinal: arrivalCount, hasWorkers: loop.hasWorkers,
      isIncomplete: isIncomplete)
    // Without a method nothing is known of where it was meant to go.
    if !request.method.isEmpty { address(exchange) }
    if let refusal { exchange.refusal = refusal }
    guard let sandbox = exchange.sandbox else { return exchange }
    sandbox.lastUse = arrival
    guard exchange.api != addresses.controlPlace else { return exchange }
    let now = realTime
    exchange.peer = link.peer
    exchange.advanced = sandbox.clock.advanced
    let lost = isIncomplete ? nil : sandbox.replays.take(request.fingerprint, at: arrival)
    if let lost { (exchange.n, exchange.replayOf, exchange.replays) = (lost.n, lost.id, lost.replays + 1) }
    // Who repeats what an outage cut off meets the outage, and not the plan from before it.
    if let lost, !sandbox.isOffline(at: now) {
      (exchange.plan, exchange.preferenceApplied) = (lost.plan, lost.preferenceApplied)
      exchange.preferenceNotUnderstood = lost.preferenceNotUnderstood
    } else if !isIncomplete {
      decide(exchange, request, in: sandbox, at: sandbox.now(at: now))
      sandbox.move(exchange.plan.rivals, at: now)
    }
    exchange.id = sandbox.journal.begin(
      Journal.Arrival(
        request: request, path: exchange.destination.path, api: exchange.api, connection: link.number, n: exchange.n,
        replayOf: exchange.replayOf, plan: exchange.plan, at: now))
    if exchange.plan.waitBefore > .zero { holdKey(of: exchange) }
    return exchange
  }

  private func address(_ exchange: Exchange) {
    addresses.address(exchange, of: exchange.request, among: sandboxes)
    // HTTP/1.0 may leave the authority out, and links need one.
    guard exchange.origin.isEmpty else { return }
    exchange.origin = exchange.request.scheme.rawValue + "://localhost:\(portNumber(of: exchange.port))"
  }

  /// The refusal that the head of a request decides before its content has come.
  func refusal(beforeContentOf request: Request, by link: Link) -> Reply? {
    let exchange = idle.popLast() ?? Exchange()
    defer {
      exchange.end()
      idle.append(exchange)
    }
    exchange.begin(request, at: link.port, arrival: tick, ordinal: 0, hasWorkers: false)
    address(exchange)
    return responder.refusalBeforeContent(of: exchange, self)
  }

  /// Marks the exchange's `Idempotency-Key` as in flight: duplicates get 409 until the exchange has been applied.
  private func holdKey(of exchange: Exchange) {
    guard exchange.heldKey == nil, let sandbox = exchange.sandbox, let key = try? exchange.idempotencyKey() else {
      return
    }
    exchange.heldKey = key
    sandbox.idempotency.wait(exchange.ordinal, for: key, body: exchange.keyedContent)
  }

  private func releaseKey(of exchange: Exchange) {
    guard let key = exchange.heldKey else { return }
    exchange.heldKey = nil
    exchange.sandbox?.idempotency.release(exchange.ordinal, for: key)
  }

  private func decide(_ exchange: Exchange, _ request: Request, in sandbox: Sandbox, at now: Instant) {
    let isPreflight = Preflight(request, allowed: nil) != nil
    let stream = exchange.destination.stream
    let position: Position
    if let key = request.first(.faultKey) {
      position = .key(request.text(key.value))
    } else {
      if !isPreflight, exchange.replayOf == nil { exchange.n = sandbox.arming.count(stream) }
      position = .ordinal(max(1, exchange.n))
    }
    let facts = Facts(
      stream: stream, position: position, changes: exchange.isWrite, isPreflight: isPreflight,
      elapsed: sandbox.arming.elapsed(at: now))
    if !isPreflight, request.first(.prefer) != nil,
      let preferred = Preferred(request.combined("prefer") ?? "", for: facts, seed: sandbox.arming.seed)
    {
      exchange.preferenceApplied = preferred.applied
      exchange.preferenceNotUnderstood = preferred.notUnderstood
      if let plan = preferred.plan { return exchange.plan = plan }
    }
    exchange.plan = sandbox.arming.plan(for: facts) { request.combined($0) }
  }

  /// What answering an exchange came to, kept until it is known how it ended.
  struct Answer {
    let reply: Reply
    let versions: Range<Int>
    var hold = Hold.none
  }

  /// What keeps an answer from being told.
  enum Hold: Equatable {
    case none
    /// There is none yet: something has to be worked out off the loop, and then the exchange performed once more.
    case work(Work)
    /// It shows what is not on the disk yet.
    case reads
    /// What it did is not on the disk yet.
    case writes
  }

  /// Carries an exchange out, and says what keeps its answer from being told.
  func perform(_ exchange: Exchange) -> Hold {
    // What was worked out may show changes that were taken back meanwhile.
    exchange.expireResults(after: rollbackCount)
    let version = exchange.sandbox?.store.version ?? 0
    let noted = ledger?.count ?? 0
    let reply = responder.reply(to: exchange, self)
    if exchange.api == addresses.controlPlace, exchange.request.knownMethod != .get,
      exchange.sandbox?.arming.armed.hasOutages == true
    {
      isScheduleNew = true
    }
    if let work = exchange.pendingWork {
      holdKey(of: exchange)
      return .work(work)
    }
    releaseKey(of: exchange)
    let versions = exchange.shownVersion.map { $0..<$0 } ?? version..<max(version, exchange.sandbox?.store.version ?? 0)
    var answer = Answer(reply: reply, versions: versions)
    if let ledger { answer.hold = hold(for: exchange, ledger, since: noted) }
    exchange.answer = answer
    return answer.hold
  }

  /// Writes the reply of an exchange that was carried out to `output`, and says how it is to go out.
  ///
  /// - Parameter answered: The exchange's own reply.
  func write(
    _ answered: Reply, of exchange: Exchange, _ connection: ConnectionOption, to output: inout [UInt8]
  ) -> Transmission {
    var context = MessageWriter.Context(requestID: exchange.id, isHead: exchange.isHead, connection: connection)
    context.operation = exchange.operation
    context.isOpen = exchange.api != addresses.controlPlace
    context.origin = exchange.request.first(.origin).map { exchange.request.bytes[$0.value] }
    if exchange.request.knownMethod == .options {
      context.preflight = Preflight(exchange.request, allowed: answered.fields.first { $0.name == "Allow" }?.value)
    }
    let plan = exchange.plan
    context.leavesLongBody = plan.pace == nil && plan.ending == nil
    var reply = answered
    if !plan.isCalm || exchange.preferenceApplied != nil || exchange.preferenceNotUnderstood != nil {
      reply.fields += PlannedReply(plan: plan).fields(actual: tick - exchange.arrival, of: exchange)
    }
    if plan.ending == .garbage, let fault = plan.fault {
      return Transmission(plan, MessageWriter.writeGarbage(fault.draw, to: &output))
    }
    var isDeliverable = !reply.isUndeliverable
    context.isUnstorable = isDeliverable && PlannedReply(plan: plan).changesContent
    if plan.ending == .badChunk, let fault = plan.fault {
      isDeliverable = exchange.request.version == .http11 && context.hasBody(reply)
      context.brokenChunks = isDeliverable ? fault.draw : nil
    }
    let extent = writer.write(reply, context, at: realTime, to: &output)
    return Transmission(plan, extent, isDeliverable: isDeliverable)
  }

  /// How an exchange came out on the wire.
  struct Delivery {
    let outcome: JournalEntry.Outcome
    /// Whether the connection had served before, so that a transport may send the request again by itself.
    let isOnUsedConnection: Bool
  }

  /// Notes how an exchange came out. It is over then, and must not be asked anything any more.
  func conclude(_ exchange: Exchange, _ delivery: Delivery, output: [UInt8]) {
    note(exchange, delivery, output)
    exchange.end()
    idle.append(exchange)
  }

  private func note(_ exchange: Exchange, _ delivery: Delivery, _ output: [UInt8]) {
    let now = tick
    let outgoing = exchange.outgoing
    let answer = exchange.answer
    if let answer {
      let bytes = outgoing?.bytes ?? 0
      log.note(exchange, status: answer.reply.status, bytes: bytes, at: realTime, took: now - exchange.arrival)
    } else {
      releaseKey(of: exchange)
    }
    count(exchange, delivery, status: outgoing?.extent == nil ? nil : answer?.reply.status)
    guard let sandbox = exchange.sandbox, exchange.id > 0 else { return }
    var response: JournalEntry.ResponseRecord?
    if let answer, let outgoing, let extent = outgoing.extent {
      response = JournalEntry.ResponseRecord(
        status: answer.reply.status, fields: sandbox.journal.keepFields(output[extent.fieldLines]),
        bytes: outgoing.bytes, of: extent.end - extent.body)
    }
    let began = outgoing?.began ?? now
    sandbox.journal.update(exchange.id) { entry in
      entry.outcome = delivery.outcome
      entry.response = response
      entry.isApplied = answer.map { !$0.versions.isEmpty } ?? false
      entry.versions = exchange.isIncomplete ? nil : answer?.versions
      entry.remark = exchange.refusalText.map { "refused: " + $0 } ?? answer?.reply.remark
      if let slip = exchange.preferenceNotUnderstood {
        entry.remark = "Prefer not understood: \(slip)" + (entry.remark.map { "; " + $0 } ?? "")
      }
      entry.timing.actual = began - exchange.arrival
      entry.timing.total = now - exchange.arrival
    }
    guard !exchange.isIncomplete else { return }
    observe(exchange, answer, delivery, status: response?.status, began: began, at: now)
    let isWithoutByte = response == nil && (delivery.outcome == .reset || delivery.outcome == .closed)
    guard isWithoutByte, delivery.isOnUsedConnection, exchange.replays < Replays.most else { return }
    sandbox.replays.note(
      Replays.Lost(
        id: exchange.replayOf ?? exchange.id, n: exchange.n, plan: exchange.plan,
        preferenceApplied: exchange.preferenceApplied,
        preferenceNotUnderstood: exchange.preferenceNotUnderstood, fingerprint: exchange.request.fingerprint,
        replays: exchange.replays, end: now))
  }
}
