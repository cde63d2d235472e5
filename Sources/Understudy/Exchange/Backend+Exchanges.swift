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
  func arrive(_ request: Request, by link: Link) -> Exchange {
    let arrival = tick
    let exchange = idle.popLast() ?? Exchange()
    exchange.begin(request, at: link.port, arrival: arrival)
    addresses.address(exchange, of: request, among: sandboxes)
    guard let sandbox = exchange.sandbox else { return exchange }
    sandbox.lastUse = arrival
    guard exchange.api != addresses.controlPlace else { return exchange }
    let now = realTime
    exchange.peer = link.peer
    exchange.advanced = sandbox.clock.advanced
    let lost = sandbox.replays.take(request.fingerprint, at: arrival)
    if let lost { (exchange.n, exchange.replayOf, exchange.replays) = (lost.n, lost.id, lost.replays + 1) }
    // Who repeats what an outage cut off meets the outage, and not the plan from before it.
    if let lost, !sandbox.isOffline(at: now) {
      (exchange.plan, exchange.preferenceApplied) = (lost.plan, lost.preferenceApplied)
    } else {
      decide(exchange, request, in: sandbox, at: sandbox.now(at: now))
      sandbox.move(exchange.plan.rivals, at: now)
    }
    exchange.id = sandbox.journal.begin(
      Journal.Arrival(
        request: request, path: exchange.destination.path, api: exchange.api, connection: link.number, n: exchange.n,
        replayOf: exchange.replayOf, plan: exchange.plan, at: now))
    holdKey(of: exchange, in: sandbox)
    return exchange
  }

  /// Others that come with the same `Idempotency-Key` are told so for as long as the exchange waits to be applied.
  private func holdKey(of exchange: Exchange, in sandbox: Sandbox) {
    guard exchange.plan.waitBefore > .zero, let key = try? exchange.idempotencyKey() else { return }
    exchange.heldKey = key
    sandbox.idempotency.wait(exchange.id, for: key, body: exchange.request.bytes[exchange.request.body])
  }

  private func releaseKey(of exchange: Exchange) {
    guard let key = exchange.heldKey else { return }
    exchange.sandbox?.idempotency.release(exchange.id, for: key)
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
      stream: stream, position: position, changes: changesState(exchange), isPreflight: isPreflight,
      elapsed: sandbox.arming.elapsed(at: now))
    if !isPreflight, request.first(.prefer) != nil,
      let preferred = Preferred(request.combined("prefer") ?? "", for: facts, seed: sandbox.arming.seed)
    {
      exchange.plan = preferred.plan
      exchange.preferenceApplied = preferred.applied
    } else {
      exchange.plan = sandbox.arming.plan(for: facts) { request.combined($0) }
    }
  }

  private func changesState(_ exchange: Exchange) -> Bool {
    exchange.operation?.changesState == true && !exchange.isHead
  }

  /// What answering an exchange came to, kept until it is known how it ended.
  struct Answer {
    let reply: Reply
    let versions: Range<Int>
    var hold = Hold.none
  }

  /// What keeps an answer from being told.
  enum Hold {
    case none
    /// It shows what is not on the disk yet.
    case reads
    /// What it did is not on the disk yet.
    case writes
  }

  /// Carries an exchange out, and says what keeps its answer from being told.
  func perform(_ exchange: Exchange) -> Hold {
    let version = exchange.sandbox?.store.version ?? 0
    let noted = ledger?.count ?? 0
    let reply = responder.reply(to: exchange, self)
    releaseKey(of: exchange)
    var answer = Answer(reply: reply, versions: version..<max(version, exchange.sandbox?.store.version ?? 0))
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
    if exchange.request.knownMethod == .options {
      context.preflight = Preflight(exchange.request, allowed: answered.fields.first { $0.name == "Allow" }?.value)
    }
    let plan = exchange.plan
    var reply = answered
    if !plan.isCalm || exchange.preferenceApplied != nil {
      reply.fields += PlannedReply(plan: plan)
        .fields(actual: tick - exchange.arrival, preferenceApplied: exchange.preferenceApplied)
    }
    if plan.ending == .garbage, let fault = plan.fault {
      return Transmission(plan, MessageWriter.writeGarbage(fault.draw, to: &output))
    }
    var isDeliverable = !reply.isUndeliverable
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
      entry.versions = answer?.versions
      entry.remark = answer?.reply.remark
      entry.timing.actual = began - exchange.arrival
      entry.timing.total = now - exchange.arrival
    }
    observe(exchange, answer, delivery, status: response?.status, began: began, at: now)
    let isWithoutByte = response == nil && (delivery.outcome == .reset || delivery.outcome == .closed)
    guard isWithoutByte, delivery.isOnUsedConnection, exchange.replays < Replays.most else { return }
    sandbox.replays.note(
      Replays.Lost(
        id: exchange.replayOf ?? exchange.id, n: exchange.n, plan: exchange.plan,
        preferenceApplied: exchange.preferenceApplied, fingerprint: exchange.request.fingerprint,
        replays: exchange.replays, end: now))
  }
}

extension Backend {
  /// A reply that may not get out.
  struct Unsent {
    let sandbox: Sandbox
    /// Its exchange's id in the sandbox's journal.
    let id: Int
    /// Where it ends in the output.
    let end: Int
  }

  /// Notes that replies which were on their way did not all get out.
  func lose(_ replies: [Unsent]) {
    for reply in replies where reply.sandbox.journal.entry(reply.id)?.outcome == .sent {
      reply.sandbox.journal.update(reply.id) { $0.outcome = .peerGone }
    }
  }
}

/// Answers to bytes that are no request.
extension Backend {
  /// - Parameter line: Method and target, as far as they came.
  func answer(_ rejection: Rejection, line: (method: String, target: String)?, to output: inout [UInt8]) {
    let detail = "\(rejection.reason) (\(rejection.section))"
    answer(
      Problem(rejection.status, rejection.kind, ReasonPhrase.of(rejection.status), detail), line: line, to: &output)
  }

  /// Writes 408: a request began to come and did not end in time.
  func answerTimeout(line: (method: String, target: String)?, to output: inout [UInt8]) {
    let detail = "The request did not come to its end in time."
    answer(Problem(408, "request-timeout", ReasonPhrase.of(408), detail), line: line, to: &output)
  }

  private func answer(_ problem: Problem, line: (method: String, target: String)?, to output: inout [UInt8]) {
    metrics.countRequest(nil, status: problem.status)
    let representation = Responder.representation(of: problem, instance: "", .problem)
    let context = MessageWriter.Context(isOpen: true, connection: .close)
    let now = realTime
    let extent = writer.write(Reply(problem.status, representation), context, at: now, to: &output)
    let refused = RequestLog.Refused(
      method: line?.method ?? "-", target: line?.target ?? "-", status: problem.status,
      bytes: extent.end - extent.body, reason: problem.detail)
    log.note(refused, at: now)
  }
}
