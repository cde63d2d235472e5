import Contract
import Faults
import HTTP1
import Platform
import Primitives
import Report
import Services

/// The first and the last step of an exchange: it arrives and gets its plan, and it is concluded.
extension Application {
  /// Resolves a request's target, and decides its plan.
  ///
  /// - Parameters:
  ///   - refusal: The refusal that was decided by the head before the content arrived, if any.
  ///   - isIncomplete: True if the request is refused before all of it has been read.
  func arrive(
    _ request: consuming Request, by link: Link, refusal: Response? = nil, isIncomplete: Bool = false,
    at now: ClockReading
  ) -> Exchange {
    arrivalCount += 1
    var exchange = addressed(
      consume request, by: link, arrival: now.tick, ordinal: arrivalCount, isIncomplete: isIncomplete)
    if let refusal { exchange.refusal = refusal }
    guard let sandbox = exchange.sandbox else { return exchange }
    sandbox.lastUse = now.tick
    guard !exchange.traits.contains(.isOfDriver) else { return exchange }
    semanticsUse.count(exchange.destination)
    exchange.advanced = sandbox.state.clock.$advanced
    if !sandbox.traffic.network.isOnline {
      state.updateNetwork(of: sandbox)
      if let outage = sandbox.traffic.network.plan(changes: exchange.isWrite) { exchange.plan = outage }
    }
    // A repetition is rare, and its fingerprint costs.
    let isReplay = sandbox.traffic.replays.expectsAny && replays(&exchange, in: sandbox, at: now)
    // A request that met an outage has not reached the application: no rule applies to it, and it is not counted.
    if !exchange.metOutage, !isReplay, !isIncomplete {
      decide(&exchange, in: sandbox, at: now.real)
      if exchange.request.query != nil, let delay = exchange.requestedDelay {
        exchange.plan = exchange.plan.delayed(by: delay)
      }
      if exchange.isPlanned { sandbox.move(exchange.plan.rivals, at: now.real) }
    }
    exchange.id = sandbox.traffic.exchangeLog.journal.nextID
    if exchange.isPlanned, exchange.plan.waitBefore > .zero { markKeyInFlight(of: &exchange) }
    return exchange
  }

  /// Recognizes a request that a client's transport sent again; returns true if it gets its original plan.
  private func replays(_ exchange: inout Exchange, in sandbox: Sandbox, at now: ClockReading) -> Bool {
    guard !exchange.isIncomplete,
      let lost = sandbox.traffic.replays.match(exchange.request.fingerprint, at: now.tick)
    else { return false }
    exchange.n = lost.n
    exchange.repeats(lost.id, times: lost.replays + 1)
    // During an outage a replayed request gets the outage.
    guard !exchange.metOutage, !lost.plan.isOutage, !sandbox.isOffline(at: now.real) else { return false }
    exchange.plan = lost.plan
    if let preference = lost.preference { exchange.preference = preference }
    return true
  }

  /// Marks the exchange's `Idempotency-Key` as in flight: duplicates get 409 until the exchange has been applied.
  func markKeyInFlight(of exchange: inout Exchange) {
    guard exchange.has(.idempotencyKey), exchange.inFlightKey == nil,
      let sandbox = exchange.sandbox, let key = try? exchange.idempotencyKey()
    else { return }
    exchange.inFlightKey = key
    sandbox.state.idempotency.wait(exchange.ordinal, for: key, content: exchange.keyedContent)
  }

  func releaseKey(of exchange: borrowing Exchange) {
    guard let key = exchange.inFlightKey else { return }
    exchange.sandbox?.state.idempotency.release(exchange.ordinal, for: key)
  }

  private func decide(_ exchange: inout Exchange, in sandbox: Sandbox, at real: Instant) {
    let scenario = sandbox.state.scenarioState
    let isPreflight = exchange.method == .options && Preflight(exchange.request, allowed: nil) != nil
    var position = Ordinal.ordinal(1)
    if exchange.has(.faultKey), let key = exchange.first(.faultKey) {
      position = .key(exchange.request.text(key.value))
    } else if !isPreflight {
      if exchange.n == 0 { exchange.n = scenario.count(exchange.destination.stream) }
      position = .ordinal(exchange.n)
    }
    // Without a rule and without a preference there is nothing to decide.
    if scenario.isEmpty, !exchange.has(.prefer), sandbox.traffic.manualFaults.isEmpty, exploration == nil {
      return exchange.plan = Plan(position)
    }
    var context = RequestContext(
      stream: exchange.destination.stream, position: position, changes: exchange.isWrite, isPreflight: isPreflight)
    context.$elapsed = scenario.nanoseconds(at: sandbox.now(at: real))
    var earlier = isPreflight ? nil : explore(exchange, context, in: sandbox)
    if earlier == nil, !isPreflight, exchange.has(.prefer) {
      let preference = scenario.preferences(in: exchange.request, changes: context.changes)
      if !preference.isForeign { exchange.preference = preference }
      if let plan = preference.plan(for: context) {
        if strikes(context.stream) { scenario.count(context) { exchange.request.combined($0) } }
        return exchange.plan = plan
      }
    }
    if earlier == nil, !sandbox.traffic.manualFaults.isEmpty {
      earlier = sandbox.traffic.manualFaults.takePlan(for: context) { exchange.request.combined($0) }
    }
    guard strikes(context.stream) else { return exchange.plan = earlier ?? Plan(position) }
    exchange.plan = scenario.plan(for: context, after: earlier) { exchange.request.combined($0) }
  }

  /// Returns true if scenarios may strike the requests of a stream: `--only` leaves the others out.
  func strikes(_ stream: RequestKey) -> Bool { only?.matches(stream.path) ?? true }

  /// The response to an exchange, and the versions of the state before and after it. It is moved, never copied.
  struct Answer: ~Copyable {
    let response: Response
    let versions: Range<Int>
    var awaited = AwaitedChanges()
  }

  /// Returns the response of an exchange whose change was rolled back.
  func refusal(of exchange: borrowing Exchange) -> Answer {
    let problem = Problem.notStored(state.directory?.failure?.reason)
    let version = exchange.sandbox?.state.store.version ?? 0
    return Answer(response: responder.refusal(problem, .notStored, of: exchange, self), versions: version..<version)
  }

  /// Records an exchange that waits. One that ends within its event is recorded once, at its end.
  func recordUnfinished(_ exchange: borrowing Exchange, at now: ClockReading) {
    guard let sandbox = exchange.sandbox, exchange.id > 0 else { return }
    sandbox.traffic.exchangeLog.begin(exchange, masking: secrets, at: now)
  }

  /// Records that the network switch holds the response of an exchange.
  func recordHeldResponse(of exchange: borrowing Exchange, at now: ClockReading) {
    recordUnfinished(exchange, at: now)
    guard let sandbox = exchange.sandbox, sandbox.traffic.journal.entry(exchange.id)?.network == nil else { return }
    sandbox.traffic.exchangeLog.journal.update(exchange.id) { $0.network = .held }
  }

  /// Records the outcome of an exchange.
  ///
  /// - Parameters:
  ///   - response: Nil if the exchange was not performed.
  ///   - versions: The versions of the state before and after it; nil if it was not performed.
  // Inlined, because otherwise each exchange copies its response into the optional parameter.
  @inline(__always)
  func conclude(
    _ exchange: borrowing Exchange, response: Response?, versions: Range<Int>?, delivery: Delivery, at now: ClockReading
  ) {
    // An exchange that ends now may have begun in the same event, so its end is measured.
    let now = now.advanced(to: delivery.end ?? tick)
    budget.noteTime(now.tick)
    if response == nil { releaseKey(of: exchange) }
    if exploration != nil {
      endExplored(exchange, response, isApplied: versions?.isEmpty == false, delivery)
    }
    guard let sandbox = exchange.sandbox, exchange.id > 0 else {
      return recordUnstored(exchange, status: response?.status, delivery, at: now)
    }
    if delivery.outcome == .notDeliverable, sandbox.traffic.exchangeLog.concerns(exchange.id) {
      sandbox.traffic.manualFaults.uncount(exchange.plan.rules)
    }
    complete(
      exchange, in: sandbox, &sandbox.traffic.exchangeLog, response: response, versions: versions, delivery, at: now)
    guard !exchange.isIncomplete else { return }
    guard let loss = loss(of: exchange, delivery) else { return }
    sandbox.traffic.replays.record(
      TransportRetryDetector.Lost(
        loss: loss, id: exchange.replayOf ?? exchange.id, n: exchange.n, plan: exchange.plan,
        preference: exchange.preference, fingerprint: exchange.request.fingerprint, replays: exchange.replays,
        end: now.tick))
  }

  /// Returns how the response was lost, if a transport may send the request again for it.
  private func loss(of exchange: borrowing Exchange, _ delivery: Delivery) -> TransportRetryDetector.Loss? {
    guard delivery.outcome == .reset || delivery.outcome == .closed else { return nil }
    return TransportRetryDetector.loss(
      of: TransportRetryDetector.LostRequest(
        method: exchange.method, hasKey: exchange.has(.idempotencyKey), agent: exchange.text(of: .userAgent) ?? "",
        isOnUsedConnection: delivery.isOnUsedConnection, isWithoutByte: delivery.transmission?.layout == nil,
        hasBrokenHead: exchange.isPlanned && !exchange.metOutage && delivery.transmission?.isHeadWhole != true))
  }

  /// Returns the remark in an exchange's entry, after the handler's own.
  func remark(on exchange: borrowing Exchange, _ response: Response?) -> String? {
    guard exchange.hasDetails || response?.hasDetails == true else { return nil }
    let remark = exchange.refusalText.map { "refused: " + $0 } ?? response?.remark
    let (error, reason) = (exchange.preference?.notUnderstood, response?.undeliverableReason)
    guard error != nil || reason != nil else { return remark }
    let remarks = [
      error.map { "Prefer not understood: \($0)" }, reason.map { "not deliverable: \($0.description)" }, remark,
    ]
    return remarks.compactMap(\.self).joined(separator: "; ")
  }
}
