import Contract
import Faults
import HTTP1
import JSON
import Primitives
import Report
import Services

/// The records of exchanges that have ended.
extension Backend {
  /// Completes the record of an exchange, from which the report on its client is made.
  ///
  /// - Parameters:
  ///   - answer: Nil if the exchange was not performed.
  ///   - outgoing: Nil if no response was begun.
  ///   - output: The bytes that contain the response.
  func completeRecord(
    of exchange: borrowing Exchange, in sandbox: Sandbox, _ journal: inout Journal, _ checks: inout CheckRunner,
    _ answer: Answer?, _ outgoing: OutgoingResponse?, _ outcome: ExchangeOutcome, output: [UInt8],
    at now: MonotonicInstant
  ) {
    let layout = outgoing?.layout
    let fieldBytes = layout?.fieldLines.count ?? 0
    journal.makeRoom(for: fieldBytes, judging: &checks)
    let isStored = journal.isHeld(exchange.id, adding: fieldBytes)
    guard isStored || checks.concerns(exchange.id) else { return checks.skip(exchange.id) }
    let evicted = isStored ? nil : journal.anotherEntry(of: exchange, besides: fieldBytes, judging: &checks)
    var response: ExchangeRecord.Response?
    if let outgoing, let layout, let status = answer?.response.status {
      response = ExchangeRecord.Response(
        status: status, fields: journal.storeFields(output[layout.fieldLines]), bytes: outgoing.bytes,
        of: layout.end - layout.body)
    }
    let isJudged = !exchange.isIncomplete && exchange.request.knownMethod != .options
    let parts =
      isJudged ? storeParts(of: exchange, answer, outcome, status: response?.status, in: &journal, &checks) : -1
    let began = outgoing?.began ?? now
    if isStored {
      let index = journal.index(of: exchange.id)
      complete(
        &journal.entries[index], of: exchange, in: sandbox, answer, outcome, response, parts, began: began, at: now)
      journal.end(exchange.id, remark: remark(on: exchange, answer?.response))
    }
    guard isJudged else { return checks.skip(exchange.id) }
    checks.end(
      exchange.id, isStruck: !exchange.plan.isEmpty && outcome != .notDeliverable, isReplay: exchange.replayOf != nil)
    if var another = evicted {
      complete(&another, of: exchange, in: sandbox, answer, outcome, response, parts, began: began, at: now)
      journal.judge(another, in: &checks)
    } else if checks.isBatchComplete {
      journal.judge(in: &checks)
    }
  }

  private func complete(
    _ entry: inout ExchangeRecord, of exchange: borrowing Exchange, in sandbox: Sandbox, _ answer: Answer?,
    _ outcome: ExchangeOutcome, _ response: ExchangeRecord.Response?, _ parts: Int32, began: MonotonicInstant,
    at now: MonotonicInstant
  ) {
    entry.outcome = outcome
    entry.arrival = exchange.arrival
    entry.measured = NanosecondDuration(from: exchange.arrival, to: began)
    entry.total = NanosecondDuration(from: exchange.arrival, to: now)
    entry.response = response
    if let versions = answer?.versions {
      if !exchange.isIncomplete { entry.versions = versions }
      if !versions.isEmpty { entry.marks.insert(.applied) }
    }
    if outcome == .reset, sandbox.network.position.outage != nil { entry.network = .offline }
    guard parts >= 0 else { return }
    entry.parts = parts
    // A client that was terminated at the end of its run has not given up.
    entry.judgedOutcome = outcome
    if outcome == .peerGone, areClientsEnded { entry.judgedOutcome = .cut }
    entry.advancedAtArrival = NanosecondDuration(exchange.advanced)
    entry.advancedAtEnd = NanosecondDuration(sandbox.clock.advanced)
    if sandbox.mayHaveBeenOffline { entry.timeOffline = NanosecondDuration(sandbox.timeOffline(at: realTime)) }
    describe(exchange, answer, &entry)
  }

  /// Adds to a record what the report asks for.
  private func describe(_ exchange: borrowing Exchange, _ answer: Answer?, _ entry: inout ExchangeRecord) {
    if !exchange.request.body.isEmpty {
      entry.body = Observation.hash(exchange.request.bytes[exchange.request.body])
      if exchange.request.body.count > Call.maximumShortBody { entry.marks.insert(.comparedByBytes) }
    }
    // A write whose data is not stored has no effect that could be duplicated or lost.
    if exchange.changesState {
      entry.marks.insert(.write)
      // `*` holds for every version, so it names none.
      if exchange.request.has(.ifMatch),
        EntityTagCondition(parsing: exchange.request.combined("if-match") ?? "") != .any
      {
        entry.marks.insert(.conditionalWrite)
      }
    }
    let subject = exchange.destination.subject
    guard subject.operation != nil else { return }
    if subject.isTagged || subject.isStream, answer?.response.isAltered == false {
      entry.tag = answer?.response.representation?.tag.hash
    }
    if subject.isCached, let directives = exchange.request.combined("cache-control"),
      directives.contains("no-") || directives.contains("max-age=0")
    {
      entry.marks.insert(.refresh)
    }
  }

  /// Stores the values of an exchange that are no flat ones, and returns their index.
  private func storeParts(
    of exchange: borrowing Exchange, _ answer: Answer?, _ outcome: ExchangeOutcome, status: Int?,
    in journal: inout Journal, _ checks: inout CheckRunner
  ) -> Int32 {
    let subject = exchange.destination.subject
    let name = exchange.request.first(.understudyClient)
    let text = (name ?? exchange.request.first(.userAgent)).map { exchange.request.bytes[$0.value] }
    let client = checks.client(text, isNamed: name != nil, at: exchange.peer)
    let method = exchange.request.knownMethod
    let isPlain =
      exchange.plan.isEmpty && exchange.plan.summary.rules.isEmpty && status == 200 && outcome == .sent
      && exchange.replayOf == nil && method != nil && !exchange.request.has(.ifNoneMatch)
      && !exchange.request.has(.idempotencyKey) && !subject.isStream
    var shown: [UInt8]?
    // A response that the plan changed shows nothing about the state.
    if subject.record != nil, isPlain || !exchange.plan.summary.replacesContent, status == 200, method != .head {
      shown = answer?.response.representation?.bytes
    }
    guard !isPlain || !subject.isRead else {
      if let shown { return journal.store(ExchangeParts(subject, client, shown: shown)) }
      return journal.storePlain(subject, client)
    }
    let rare = details(of: exchange, answer, outcome, isWrite: exchange.changesState)
    return journal.store(ExchangeParts(subject, client, shown: shown, rare: rare))
  }

  /// Returns the details that plain reads do not have.
  private func details(
    of exchange: borrowing Exchange, _ answer: Answer?, _ outcome: ExchangeOutcome, isWrite: Bool
  ) -> Observation.SharedDetails {
    var details = Observation.RareDetails()
    details.plan = exchange.plan.summary
    details.replayOf = exchange.replayOf
    details.key = exchange.request.first(.idempotencyKey).map { Observation.hash(exchange.request.bytes[$0.value]) }
    if exchange.request.knownMethod == nil { details.method = exchange.request.text(exchange.request.method) }
    if exchange.request.has(.ifNoneMatch) { details.namedTags = exchange.request.namedTags }
    if exchange.destination.subject.isStream { details.lastEvent = exchange.request.lastEvent }
    // A client that did not wait for the response received nothing of it.
    if outcome == .sent || outcome == .notDeliverable {
      details.retryAfter = answer?.response.minimumWait(exchange.plan.summary)
    }
    guard let operation = exchange.operation, case .operation(_, let arguments) = exchange.target else {
      return Observation.SharedDetails(details)
    }
    if let meaning = exchange.meaning {
      details.intent = meaning.intent
      details.effect = meaning.effect ?? Observation.Effect.none
    } else if operation.effect.kind != .reads {
      let body = isWrite ? answer?.response.content ?? exchange.written : nil
      let named = exchange.destination.subject.named
      details.intent = Intent(operation, arguments, body, in: named)
      details.effect =
        Register.effect(ofWriting: operation, exchange.api ?? -1, arguments, body, in: named) ?? Observation.Effect.none
    }
    if isWrite, operation.effect.restoresAll, let api = exchange.api, let initial = exchange.sandbox?.initial {
      details.effect = .restore(api: API.all[api].name, initial: initial.judged([:]).value)
    }
    return Observation.SharedDetails(details)
  }
}

extension Exchange {
  /// The content of a write: its body as JSON, or the query's parameters of a GET that writes.
  ///
  /// A long body is parsed off the loop or not at all: it may have been refused before it was parsed.
  fileprivate var written: JSONValue? {
    guard operation?.method.isSafe == true else {
      let isRead = !request.body.isEmpty && request.body.count <= Call.maximumShortBody
      return isRead ? try? JSONValue(parsing: request.bytes[request.body]) : nil
    }
    return .object(JSONValue.Object(query.pairs.map { JSONValue.Member($0.name, .string($0.value)) }))
  }
}

extension Request {
  /// The hash of the entity tag in `Last-Event-ID`; of its text, if that is no tag of the server's.
  fileprivate var lastEvent: UInt64? {
    value(named: "Last-Event-ID").map { value in
      let text = text(value)
      return UInt64(text, radix: 16) ?? Observation.hash(text)
    }
  }

  /// The hashes of the entity tags in `If-None-Match` that may be the server's.
  fileprivate var namedTags: [UInt64] {
    guard case .tags(let tags) = EntityTagCondition(parsing: combined("if-none-match") ?? "") else { return [] }
    return tags.compactMap { UInt64($0.filter(\.isHexDigit), radix: 16) }
  }
}

extension Response {
  /// Returns the minimum wait in `Retry-After`. A date has whole seconds, so up to one second is lost.
  fileprivate func minimumWait(_ plan: PlanSummary) -> Duration? {
    guard let text = fields.first(where: { $0.name == "Retry-After" })?.value else { return nil }
    if let seconds = Int64(text) { return .seconds(seconds) }
    return plan.status?.retryAfter.map { max(.zero, $0 - .seconds(1)) }
  }
}

extension Sandbox {
  /// Judges the exchanges that ended and wait for no earlier one.
  func judge() { journal.judge(in: &checks) }

  /// Reports an event to the checks, after the exchanges that ended before it.
  func report(_ event: SandboxEvent) { journal.report(event, to: &checks) }

  /// The exchanges that ended and wait for an earlier one, for a card that counts them as they are.
  var rest: [Observation] {
    checks.waiting.map { id in
      var seen = Observation()
      journal.show(id, in: &seen)
      return seen.standalone
    }
  }

  /// The history of the audited records.
  var judgedHistory: History { checks.history(rest) }

  /// Evicts older entries of its journal; returns false if there is nothing to evict.
  func evictEntries() -> Bool {
    journal.judge(through: .max, in: &checks)
    return journal.evict()
  }
}

extension Journal {
  /// Records a request; exchanges whose entries that evicts are judged before.
  mutating func begin(
    _ exchange: borrowing Exchange, network: ExchangeRecord.NetworkMark?, at now: Instant,
    judging checks: inout CheckRunner
  ) -> Int {
    makeRoom(for: byteCount(of: exchange.request), judging: &checks)
    let id = begin(
      exchange.request, api: exchange.api, connection: exchange.connection, n: exchange.n, replayOf: exchange.replayOf,
      plan: exchange.plan.summary, network: network, at: now)
    checks.begin(id)
    return id
  }

  /// Returns the entry of an exchange whose entry has been evicted, to judge it. It is not stored.
  ///
  /// - Parameter fieldBytes: The size of the text that is added next.
  fileprivate mutating func anotherEntry(
    of exchange: borrowing Exchange, besides fieldBytes: Int, judging checks: inout CheckRunner
  ) -> ExchangeRecord {
    makeRoom(for: byteCount(of: exchange.request) + fieldBytes, judging: &checks)
    var entry = ExchangeRecord(
      id: exchange.id, seq: 0, at: Instant(seconds: 0), method: exchange.request.knownMethod, api: exchange.api,
      connection: exchange.connection, n: exchange.n, replayOf: exchange.replayOf,
      texts: storeTexts(of: exchange.request))
    if !exchange.plan.isEmpty { entry.marks.insert(.planned) }
    return entry
  }

  /// Returns the maximum size of a request's texts. A masked secret may be longer than the secret.
  private func byteCount(of request: borrowing Request) -> Int {
    let masks = request.knownFields.isDisjoint(with: .secret) ? 0 : request.fields.count * Self.mask.count
    return request.head.count + masks + min(request.body.count, Self.maximumBodyBytes)
  }

  /// Judges the exchanges whose entries are evicted when a text of this size is added.
  mutating func makeRoom(for bytes: Int, judging checks: inout CheckRunner) {
    while let first = checks.waiting.first, evicts(first, adding: bytes) { judge(through: first, in: &checks) }
  }

  mutating func judge(in checks: inout CheckRunner) {
    checks.judge { show($0, in: &$1) }
    discardParts(except: checks.unjudged)
  }

  mutating func judge(through id: Int, in checks: inout CheckRunner) {
    checks.judge(through: id) { show($0, in: &$1) }
    discardParts(except: checks.unjudged)
  }

  /// Judges an exchange whose entry is not stored, and those before it.
  fileprivate mutating func judge(_ entry: ExchangeRecord, in checks: inout CheckRunner) {
    checks.judge(through: entry.id) { id, seen in
      if id == entry.id { show(entry, in: &seen) } else { show(id, in: &seen) }
    }
    discardParts(except: checks.unjudged)
  }

  mutating func report(_ event: SandboxEvent, to checks: inout CheckRunner) {
    checks.record(event) { show($0, in: &$1) }
    discardParts(except: checks.unjudged)
  }
}
