import Contract
import Faults
import HTTP1
import JSON
import Primitives
import Report
import Services

/// The entries of exchanges that have ended.
extension Application {
  /// Completes the entry of an exchange, which the journal, the report on its client, the metrics and the request log read.
  func complete(
    _ exchange: borrowing Exchange, in sandbox: Sandbox, _ log: inout ExchangeLog, response: Response?,
    versions: Range<Int>?, _ delivery: Delivery, at now: ClockReading
  ) {
    let outcome = delivery.outcome
    if exchange.isToBackend, let upstream = response?.upstream {
      upstreamCounts.count(upstream, isLate: delivery.isLate)
    }
    guard log.concerns(exchange.id) else {
      return recordUnstored(exchange, status: response?.status, delivery, at: now)
    }
    // The server's own responses have no secrets, unless a fault repeats the request's URL.
    let mayHaveSecrets = exchange.isToBackend || exchange.isPlanned
    let lines = mayHaveSecrets ? secrets.masked(fieldLines: delivery.fieldLines) : delivery.fieldLines
    let body = secrets.masked(content: journalBody(of: exchange, response, delivery.transmission))
    var entry = log.entry(of: exchange, adding: lines.count + body.count, masking: secrets, at: now)
    entry.texts.append(fieldLines: lines, body: body)
    entry.end(outcome, status: response?.status, delivery.transmission, from: exchange.arrival, to: now.tick)
    if delivery.transmission != nil { countDelay(of: entry, in: sandbox) }
    if let response {
      if !response.leavesEffectUnknown { entry.settleEffect() } else if exchange.isWrite { entry.mark(.effectUnknown) }
    } else if delivery.isLate {
      // Its entry, which said so, may have been evicted.
      entry.mark(.effectUnknown)
    }
    if let versions {
      if !exchange.isIncomplete { entry.versions = versions }
      if !versions.isEmpty { entry.mark(.applied) }
    }
    if outcome == .reset, sandbox.traffic.network.position.outage != nil { entry.network = .offline }
    let remark = remark(on: exchange, response)
    if entry.hasDetails || remark != nil || !isPlain(exchange, response, outcome, status: entry.status) {
      entry.details = details(of: exchange, response, delivery, remark, adding: entry.details, at: now)
    }
    if requestLog.isOn, !delivery.isContinued {
      requestLog.record(RequestLog.Line(entry, refusal: exchange.refusalText, in: sandbox))
    }
    if isJudged(exchange, status: entry.status) {
      let meaning = describe(exchange, in: sandbox, &log, response, &entry, at: now.real)
      log.journal.put(entry)
      let seen = Observation(entry, meaning)
      if delivery.awaitsContent { log.beginContent(of: seen) } else { log.end(seen) }
    } else {
      log.journal.put(entry)
      log.end(unjudged: entry)
    }
    // The counts of a deleted sandbox are not collected later.
    if !sandbox.isListed { log.moveCounts(to: &state.sandboxes.counts) }
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
    _ exchange: borrowing Exchange, status: Int?, _ delivery: Delivery, at now: ClockReading
  ) {
    var entry = unstoredEntry(of: exchange, at: now)
    entry.end(delivery.outcome, status: status, delivery.transmission, from: exchange.arrival, to: now.tick)
    if delivery.transmission != nil, let sandbox = exchange.sandbox { countDelay(of: entry, in: sandbox) }
    state.sandboxes.counts.count(entry)
    guard requestLog.isOn, !delivery.isContinued else { return }
    requestLog.record(RequestLog.Line(entry, refusal: exchange.refusalText, in: exchange.sandbox))
  }

  private func unstoredEntry(of exchange: borrowing Exchange, at now: ClockReading) -> Entry {
    let texts = requestLog.isOn ? exchange.request.texts(.none) : Entry.Texts(event: [])
    return Entry(of: exchange, texts, at: now)
  }

  /// Returns the line of a response that goes on as a stream; nil if requests are not logged.
  func line(of exchange: borrowing Exchange, status: Int, _ transmission: Transmission, at now: ClockReading)
    -> RequestLog.Line?
  {
    guard requestLog.isOn else { return nil }
    var entry = unstoredEntry(of: exchange, at: now)
    entry.end(.sent, status: status, transmission, from: exchange.arrival, to: now.tick)
    return RequestLog.Line(entry, refusal: exchange.refusalText, in: exchange.sandbox)
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
  private func countDelay(of entry: borrowing Entry, in sandbox: Sandbox) {
    // A response that the network switch held has no meaningful delay.
    guard let wait = entry.plan?.wait, wait > .zero, entry.network == nil else { return }
    metrics.delays.record(planned: wait, measured: entry.measured)
    sandbox.traffic.delays.record(planned: wait, measured: entry.measured)
  }

  /// Adds to an entry what the report asks for, and returns the meaning of its request.
  private func describe(
    _ exchange: borrowing Exchange, in sandbox: Sandbox, _ log: inout ExchangeLog, _ response: Response?,
    _ entry: inout Entry, at real: Instant
  ) -> Meaning? {
    let (subject, isWrite) = (entry.subject, exchange.isWrite)
    let meaning = subject.isRead ? nil : meaning(of: exchange, response, isWrite: isWrite)
    if exchange.isIncomplete {
      entry.storeAnnouncedBody(of: exchange)
      if entry.status != 413 { entry.mark(.incomplete) }
    } else {
      entry.storeBody(of: exchange, isUnderstood: isWrite && meaning?.hasIntent == true)
      if let hash = exchange.rest?.hash { entry.storeHash(hash) }
    }
    if entry.plan?.isDamaging == true { entry.mark(.damagePlanned) }
    entry.client = client(of: exchange, in: &log)
    // A client that was terminated at the end of its run has not given up.
    entry.judgedOutcome = entry.outcome == .peerGone && areClientsEnded ? .cut : entry.outcome
    entry.advancedAtArrival = exchange.advanced
    entry.advancedAtEnd = sandbox.state.clock.$advanced
    if sandbox.mayHaveBeenOffline { entry.timeOffline = NanosecondDuration(sandbox.timeOffline(at: real)) }
    if isWrite {
      entry.mark(.write)
      // `*` holds for every version, so it names none.
      if let condition = exchange.combined(.ifMatch), EntityTagCondition(parsing: condition) != .any {
        entry.mark(.conditionalWrite)
      }
    }
    if response?.isForwarded == true {
      entry.tag = response?.forwarded?.tagHash
    } else if subject.isTagged || subject.isStream, response?.isAltered == false {
      entry.tag = response?.representation?.tag.hash
    }
    if subject.isCached || exchange.isToBackend,
      let directives = exchange.combined(.cacheControl).map(CacheDirectives.init),
      directives.requiresValidation || directives.lifetime == .zero
    {
      entry.mark(.refresh)
    }
    return meaning
  }

  /// Returns the client of an exchange. It is looked up once for each field section.
  private func client(of exchange: borrowing Exchange, in log: inout ExchangeLog) -> Entry.Client {
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

  /// True if an exchange needs no details.
  private func isPlain(
    _ exchange: borrowing Exchange, _ response: Response?, _ outcome: ExchangeOutcome, status: Int?
  ) -> Bool {
    let isPlain =
      !exchange.plan.hasRules && status == 200 && outcome == .sent
      && exchange.method != nil && !exchange.has(.ifNoneMatch)
      && !exchange.has(.idempotencyKey) && !exchange.isToBackend && !exchange.destination.subject.isStream
      && !exchange.has(.authorization) && !exchange.has(.cookie) && !exchange.has(.ifMatch)
    // A success that asks for a wait is no plain one.
    return isPlain && (exchange.destination.subject.isRead || response?.fields.isEmpty == true)
  }

  /// Returns the details of an exchange.
  ///
  /// - Parameter begun: Those that were known when it began.
  private func details(
    of exchange: borrowing Exchange, _ response: Response?, _ delivery: Delivery, _ remark: String?,
    adding begun: Entry.Details?, at now: ClockReading
  ) -> Entry.Details {
    var details = begun ?? Entry.Details()
    let plan = response?.bodyChange.map { exchange.plan.noting(change: $0) } ?? exchange.plan
    details.plan = plan
    if let remark { details.remark = remark }
    if exchange.isToBackend, let upstream = response?.upstream {
      details.upstream = upstream
      details.upstream?.isLate = delivery.isLate
    }
    details.key =
      exchange.declaresKey
      ? exchange.declaredKey
      : exchange.first(.idempotencyKey).map { Observation.hash(exchange.request.bytes[$0.value]) }
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
    if exchange.destination.subject.isStream {
      // A text that is no tag of the server's is compared by its hash.
      details.lastEvent = exchange.lastEventID.map { UInt64($0, radix: 16) ?? Observation.hash($0) }
    }
    // A client that did not wait for the response received nothing of it.
    if delivery.outcome == .sent || delivery.outcome == .notDeliverable {
      let arrival = now.advanced(to: exchange.arrival).real
      let date = response?.forwarded?.retryDate(at: arrival)
      details.retryAfter = date.map { max(.zero, $0 - arrival) } ?? response?.requestedWait(plan)
      details.isRetryAfterDate = date != nil || plan.status?.isRetryAfterDate == true
    }
    return details
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
