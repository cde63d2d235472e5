import Contract
import Faults
import HTTP1
import JSON
import Primitives
import Report
import Services

/// The records of exchanges that have ended.
extension Application {
  /// Completes the record of an exchange, which the journal, the report on its client, the metrics and the request log
  /// read. Returns true if the size of the journal may have changed.
  func completeRecord(
    of exchange: borrowing Exchange, in sandbox: Sandbox, _ log: inout ExchangeLog, response: Response?,
    versions: Range<Int>?, transmission: Transmission?, _ delivery: Delivery, output: [UInt8], at now: ClockReading
  ) -> Bool {
    let outcome = delivery.outcome
    guard log.concerns(exchange.id) else {
      recordUnstored(exchange, status: response?.status, transmission, delivery, at: now)
      return false
    }
    let written = delivery.earlier == nil ? transmission?.sentFieldLines(in: output) ?? 0..<0 : 0..<0
    // The server's own responses have no secrets, unless a fault repeats the request's URL.
    let mayHaveSecrets = exchange.isToBackend || exchange.isPlanned
    let shown = mayHaveSecrets ? secrets.masked(fieldLines: written, of: output) : output[written]
    let lines = shown.prefix(log.journal.maximumFieldBytes)
    let body = secrets.masked(content: journalBody(of: exchange, response, transmission))
    var record = log.record(of: exchange, adding: lines.count + body.count, masking: secrets, at: now)
    let fields = delivery.earlier?.fields ?? log.journal.storeFields(lines)
    record.end(
      outcome, status: response?.status, transmission, fields: fields, from: exchange.arrival, to: now.tick)
    if !body.isEmpty { log.journal.storeBody(body, ofResponseTo: exchange.id) }
    var plan = exchange.effectivePlan
    if let change = response?.bodyChange {
      plan = plan?.noting(change: change)
      log.journal.setPlan(plan, of: exchange.id)
    }
    if let plan, transmission != nil { countDelay(of: record, plan: plan, in: sandbox) }
    if response != nil, response?.leavesEffectUnknown != true { record.settleEffect() }
    if let versions {
      if !exchange.isIncomplete { record.versions = versions }
      if !versions.isEmpty { record.mark(.applied) }
    }
    if outcome == .reset, sandbox.traffic.network.position.outage != nil { record.network = .offline }
    if isJudged(exchange, status: record.status) {
      let subject = exchange.destination.subject
      let isWrite = exchange.isWrite
      let meaning = subject.isRead ? nil : meaning(of: exchange, response, isWrite: isWrite)
      record.attachment = storeAttachment(
        of: exchange, subject, response, outcome, status: record.status, meaning, in: &log,
        arrival: now.advanced(to: exchange.arrival).real)
      if exchange.isIncomplete {
        record.storeAnnouncedBody(of: exchange)
        if record.status != 413 { record.mark(.incomplete) }
      } else {
        record.storeBody(of: exchange, isUnderstood: isWrite && meaning?.hasIntent == true)
        if let hash = exchange.rest?.hash { record.storeHash(hash) }
      }
      if plan?.isDamaging == true { record.mark(.damagePlanned) }
      describe(exchange, subject, in: sandbox, response, isWrite: isWrite, &record, at: now.real)
    } else {
      log.countUnjudged(record, plan: plan)
    }
    if requestLog.isOn, !delivery.isContinued {
      requestLog.record(
        RequestLog.Line(
          record, texts: log.journal.ring.slice(record.texts.range), plan: plan,
          refusal: exchange.refusalText, in: sandbox))
    }
    log.end(record, remark: remark(on: exchange, response), isContinued: delivery.awaitsContent)
    if exchange.isToBackend, let upstream = response?.upstream {
      log.journal.record(upstream, isLate: delivery.isLate, of: exchange.id)
      upstreamCounts.count(upstream, isLate: delivery.isLate)
    }
    // The counts of a deleted sandbox are not collected later.
    if !sandbox.isListed { log.moveCounts(to: &state.sandboxes.counts) }
    if log.isBatchComplete { state.awaitJudging(of: sandbox) }
    return log.journal.isResized
  }

  /// True if an exchange is judged. A preflight is the browser's, and OPTIONS is a client's only in front of a backend. Of an
  /// incomplete request that was refused, only a write counts, or content that is too long.
  private func isJudged(_ exchange: borrowing Exchange, status: Int?) -> Bool {
    let isOfClient =
      exchange.method != .options || exchange.isToBackend && Preflight(exchange.request, allowed: nil) == nil
    guard exchange.isIncomplete else { return isOfClient }
    return status == 413 && isOfClient || exchange.isWrite
  }

  /// Records an exchange that no journal stores, for the metrics and the request log: it has no sandbox, it is with the
  /// control API, or its sandbox was reset while it was under way.
  func recordUnstored(
    _ exchange: borrowing Exchange, status: Int?, _ transmission: Transmission?, _ delivery: Delivery,
    at now: ClockReading
  ) {
    var record = ExchangeRecord(unstored: exchange, at: now)
    record.end(delivery.outcome, status: status, transmission, fields: 0..<0, from: exchange.arrival, to: now.tick)
    let plan = exchange.effectivePlan
    if let plan, transmission != nil, let sandbox = exchange.sandbox { countDelay(of: record, plan: plan, in: sandbox) }
    state.sandboxes.counts.count(record, plan: plan)
    guard requestLog.isOn, !delivery.isContinued else { return }
    requestLog.record(line(of: exchange, record))
  }

  /// Returns the line of a response that goes on as a stream; nil if requests are not logged.
  func line(of exchange: borrowing Exchange, status: Int, _ transmission: Transmission, at now: ClockReading)
    -> RequestLog.Line?
  {
    guard requestLog.isOn else { return nil }
    var record = ExchangeRecord(unstored: exchange, at: now)
    record.end(.sent, status: status, transmission, fields: 0..<0, from: exchange.arrival, to: now.tick)
    return line(of: exchange, record)
  }

  private func line(of exchange: borrowing Exchange, _ record: borrowing ExchangeRecord) -> RequestLog.Line {
    RequestLog.Line(
      record, texts: exchange.request.bytes[record.texts.range], plan: exchange.effectivePlan,
      refusal: exchange.refusalText, in: exchange.sandbox)
  }

  /// Returns the bytes of a response's body that the journal stores: as they were sent, if a fault changed or cut them, or
  /// if the bodies of all responses were asked for. Pictures are not stored.
  private func journalBody(
    of exchange: borrowing Exchange, _ response: Response?, _ transmission: Transmission?
  ) -> ArraySlice<UInt8> {
    let isHarmed = exchange.isPlanned && exchange.plan.hasFault && response?.isUndeliverable == false
    guard journalsBodies || isHarmed, let response, let count = transmission?.bodyBytes, count > 0,
      let body = response.representation, body.mediaType != .png, !response.isStream
    else { return [] }
    return body.bytes.prefix(min(count, Journal.maximumBodyBytes))
  }

  /// Counts the delay of an exchange whose response was begun, if it had one.
  private func countDelay(of record: borrowing ExchangeRecord, plan: Plan, in sandbox: Sandbox) {
    // A response that the network switch held has no meaningful delay.
    let wait = plan.wait
    guard wait > .zero, record.network == nil else { return }
    metrics.delays.record(planned: wait, measured: record.measured)
    sandbox.traffic.delays.record(planned: wait, measured: record.measured)
  }

  /// Adds to a record what the report asks for.
  private func describe(
    _ exchange: borrowing Exchange, _ subject: Subject, in sandbox: Sandbox, _ response: Response?, isWrite: Bool,
    _ record: inout ExchangeRecord, at real: Instant
  ) {
    // A client that was terminated at the end of its run has not given up.
    record.judgedOutcome = record.outcome == .peerGone && areClientsEnded ? .cut : record.outcome
    record.advancedAtArrival = exchange.advanced
    record.advancedAtEnd = sandbox.state.clock.$advanced
    if sandbox.mayHaveBeenOffline { record.timeOffline = NanosecondDuration(sandbox.timeOffline(at: real)) }
    if isWrite {
      record.mark(.write)
      // `*` holds for every version, so it names none.
      if let condition = exchange.combined(.ifMatch), EntityTagCondition(parsing: condition) != .any {
        record.mark(.conditionalWrite)
      }
    }
    if response?.isForwarded == true {
      record.tag = response?.forwarded?.tagHash
    } else if subject.isTagged || subject.isStream, response?.isAltered == false {
      record.tag = response?.representation?.tag.hash
    }
    if subject.isCached || exchange.isToBackend,
      let directives = exchange.combined(.cacheControl).map(CacheDirectives.init),
      directives.requiresValidation || directives.lifetime == .zero
    {
      record.mark(.refresh)
    }
  }

  /// Stores the attachment of an exchange's record, and returns its index.
  private func storeAttachment(
    of exchange: borrowing Exchange, _ subject: Subject, _ response: Response?, _ outcome: ExchangeOutcome,
    status: Int?, _ meaning: Meaning?, in log: inout ExchangeLog, arrival: @autoclosure () -> Instant
  ) -> Int32 {
    let client = client(of: exchange, in: &log)
    let method = exchange.method
    let isPlain =
      !exchange.isPlanned && !exchange.plan.hasRules && status == 200 && outcome == .sent
      && exchange.replayOf == nil && method != nil && !exchange.has(.ifNoneMatch)
      && !exchange.has(.idempotencyKey) && !exchange.isToBackend && !subject.isStream
      && !exchange.has(.authorization) && !exchange.has(.cookie) && !exchange.has(.ifMatch)
    // A success that asks for a wait is no plain one.
    let isUsual = isPlain && (subject.isRead || response?.fields.isEmpty == true)
    let rare = isUsual ? nil : details(of: exchange, response, outcome, arrival: arrival())
    if rare == nil { return log.attachments.storePlain(subject, client, meaning) }
    return log.attachments.store(RecordAttachment(subject, client, meaning, rare: rare))
  }

  /// Returns the client of an exchange. It is looked up once for each field section.
  private func client(of exchange: borrowing Exchange, in log: inout ExchangeLog) -> Observation.Client {
    if let client = exchange.link.client { return client }
    let name = exchange.first(.understudyClient)
    let isOne = name == nil && areUnnamedClientsOne
    let text = isOne ? [] : (name ?? exchange.first(.userAgent)).map { exchange.request.bytes[$0.value] }
    let client = log.clients.client(text, isNamed: name != nil || isOne, at: exchange.link.peer)
    exchange.link.client = client
    return client
  }

  /// Returns the meaning of a request that is no read.
  private func meaning(of exchange: borrowing Exchange, _ response: Response?, isWrite: Bool) -> Meaning {
    guard let operation = exchange.operation, let api = exchange.api,
      case .operation(_, let arguments) = exchange.target
    else { return Meaning(nil) }
    if let meaning = exchange.meaning { return meaning }
    if operation.effect.kind == .reads { return Meaning(nil) }
    if exchange.isToBackend, let record = exchange.destination.subject.named {
      guard isWrite, exchange.rest == nil, exchange.request.body.count <= ContentMeaning.maximumLength else {
        return Meaning(nil)
      }
      let content = WrittenContent(of: exchange, by: operation)
      return Meaning(
        operation, on: record, exchange.request.text(exchange.request.method), query: content.query,
        content: content.text, content.json, isCall: content.json?.isCall ?? false)
    }
    let body = isWrite ? response?.content ?? exchange.written : nil
    return Meaning(operation, of: api, arguments, body, in: exchange.destination.subject.named)
  }

  /// Returns the details that most exchanges do not have.
  private func details(
    of exchange: borrowing Exchange, _ response: Response?, _ outcome: ExchangeOutcome, arrival: Instant
  ) -> Observation.SharedDetails {
    var details = Observation.RareDetails()
    var plan = exchange.plan
    if let harm = response?.bodyChange { plan = plan.noting(change: harm) }
    details.plan = plan
    details.replayOf = exchange.replayOf
    details.key =
      exchange.declaresKey
      ? exchange.declaredKey
      : exchange.first(.idempotencyKey).map { Observation.hash(exchange.request.bytes[$0.value]) }
    if exchange.method == nil { details.method = exchange.request.text(exchange.request.method) }
    // The five APIs ignore the field.
    if exchange.isToBackend { details.range = exchange.request.combined("range").map { Observation.hash($0) } ?? 0 }
    details.variant = variant(of: exchange, response)
    if let value = exchange.bytes(of: .authorization) { details.authorization = Observation.hash(value) }
    if let condition = exchange.combined(.ifMatch) { details.requiredTags = tags(in: condition, of: exchange) }
    if let response, response.isForwarded, !response.isAltered {
      let content = response.representation?.bytes.prefix(ContentMeaning.maximumLength)
      details.content = content.map(ContentHash.value(of:))
      details.result = response.forwarded?.value(of: "location").map { Observation.hash($0) }
      if details.result == nil, details.key != nil, let content { details.result = Self.result(in: content[...]) }
    }
    if exchange.has(.ifNoneMatch) {
      details.namedTags = tags(in: exchange.combined(.ifNoneMatch) ?? "", of: exchange)
    }
    if response?.isForwarded == true { details.lifetime = response?.forwarded?.lifetime }
    details.isAnswered = response?.upstream.flatMap { $0.status == nil && $0.failure == nil ? nil : $0.failure == nil }
    if exchange.destination.subject.isStream {
      // A text that is no tag of the server's is compared by its hash.
      details.lastEvent = exchange.lastEventID.map { UInt64($0, radix: 16) ?? Observation.hash($0) }
    }
    // A client that did not wait for the response received nothing of it.
    if outcome == .sent || outcome == .notDeliverable {
      let date = response?.forwarded?.retryDate(at: arrival)
      details.retryAfter = date.map { max(.zero, $0 - arrival) } ?? response?.requestedWait(plan)
      details.isRetryAfterDate = date != nil || plan.status?.isRetryAfterDate == true
    }
    return Observation.SharedDetails(details)
  }
}

extension Exchange {
  /// True if a file of semantics names the part that identifies the logical write.
  fileprivate var declaresKey: Bool { isToBackend && operation?.effect.key != nil }

  /// The content of a write: its body as JSON, or the query's parameters of a GET that writes.
  ///
  /// A long body is parsed off the loop or not at all: it may have been refused before it was parsed.
  fileprivate var written: JSONValue? {
    guard operation?.method.isSafe == true else {
      let isRead = !request.body.isEmpty && request.body.count <= ContentMeaning.maximumLength
      return isRead ? try? JSONValue(parsing: request.bytes[request.body]) : nil
    }
    return .object(JSONValue.Object(query.pairs.map { JSONValue.Member($0.name, .string($0.value)) }))
  }
}

extension Response {
  /// Returns the wait in `Retry-After`, be it a number of seconds or a date.
  fileprivate func requestedWait(_ plan: Plan) -> Duration? {
    let own = fields.first { $0.name == "Retry-After" }?.value
    guard let text = own ?? forwarded?.value(of: "retry-after") else { return nil }
    if let seconds = Int64(text) { return .seconds(seconds) }
    return plan.status?.retryAfter
  }
}
