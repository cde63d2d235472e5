import Contract
import Faults
import HTTP1
import JSON
import Primitives
import Report
import Services

/// The conversion of exchanges into observations.
extension Backend {
  /// Reports the outcome of an exchange to the sandbox's report.
  ///
  /// - Parameter answer: The response to this exchange.
  func observe(
    _ exchange: borrowing Exchange, _ answer: Answer?, _ delivery: Delivery, status: Int?, began: MonotonicInstant,
    at now: MonotonicInstant
  ) {
    guard let sandbox = exchange.sandbox else { return }
    let method = exchange.request.knownMethod
    guard method != .options else { return sandbox.checks.skip(exchange.id) }
    let route = exchange.destination
    var seen = Observation(route.subject, method: method, api: exchange.api, status: status)
    seen.id = exchange.id
    seen.connection = exchange.connection
    // A client that was terminated at the end of its run has not given up.
    seen.outcome = delivery.outcome == .peerGone && areClientsEnded ? .cut : delivery.outcome
    if let versions = answer?.versions { (seen.versions, seen.isApplied) = (versions, !versions.isEmpty) }
    seen.setTimes(arrival: exchange.arrival, began: began, end: now)
    if case let advanced = sandbox.clock.advanced, advanced != .zero || exchange.advanced != .zero {
      seen.advanced = exchange.advanced...max(exchange.advanced, advanced)
      (seen.arrival, seen.end) = (exchange.arrival + exchange.advanced, now + advanced)
    }
    if sandbox.mayHaveBeenOffline { seen.timeOffline = sandbox.timeOffline(at: realTime) }
    // A write whose data is not stored has no effect that could be duplicated or lost.
    seen.isWrite = exchange.changesState
    seen.read(exchange.request)
    if route.operation == nil {
      seen.pathHash = Subject.pathHash(exchange.api, exchange.request.bytes[exchange.request.path])
    } else {
      seen.pathHash = route.subject.pathHash
      if route.subject.isTagged || route.subject.isStream, answer?.response.isAltered == false {
        seen.tag = answer?.response.representation?.tag.hash
      }
      if route.subject.isCached, let directives = exchange.request.combined("cache-control") {
        seen.isRefresh = directives.contains("no-") || directives.contains("max-age=0")
      }
    }
    let isPlain =
      exchange.plan.isEmpty && exchange.plan.summary.rules.isEmpty && status == 200 && delivery.outcome == .sent
      && exchange.replayOf == nil && method != nil && !exchange.request.has(.ifNoneMatch) && !route.subject.isStream
    // A response that the plan changed shows nothing about the state.
    let isSound = isPlain || !exchange.plan.summary.replacesContent
    if route.subject.record != nil, isSound, status == 200, method != .head,
      let body = answer?.response.representation?.bytes
    {
      seen.show(body)
    }
    if !isPlain || !route.subject.isRead {
      seen.details = details(of: exchange, answer, delivery, isWrite: seen.isWrite)
    }
    let name = exchange.request.first(.understudyClient)
    let text = (name ?? exchange.request.first(.userAgent)).map { exchange.request.bytes[$0.value] }
    sandbox.checks.observe(
      consume seen, by: text, isNamed: name != nil, at: exchange.peer,
      target: exchange.request.bytes[exchange.request.target])
  }

  /// Returns the details that plain reads do not have.
  private func details(
    of exchange: borrowing Exchange, _ answer: Answer?, _ delivery: Delivery, isWrite: Bool
  ) -> Observation.RareDetails {
    var details = Observation.RareDetails()
    details.plan = exchange.plan.summary
    details.replayOf = exchange.replayOf
    if exchange.request.knownMethod == nil { details.method = exchange.request.text(exchange.request.method) }
    if exchange.request.has(.ifNoneMatch) { details.namedTags = exchange.request.namedTags }
    if exchange.destination.subject.isStream { details.lastEvent = exchange.request.lastEvent }
    // A client that did not wait for the response received nothing of it.
    if delivery.outcome == .sent || delivery.outcome == .notDeliverable {
      details.retryAfter = answer?.response.minimumWait(exchange.plan.summary)
    }
    guard let operation = exchange.operation, case .operation(_, let arguments) = exchange.target else {
      return details
    }
    if let meaning = exchange.meaning {
      details.intent = meaning.intent
      details.effect = meaning.effect ?? Observation.Effect.none
    } else if operation.effect.kind != .reads {
      let body = isWrite ? exchange.written : nil
      details.intent = Intent(operation, arguments, body)
      details.effect =
        Register.effect(ofWriting: operation, exchange.api ?? -1, arguments, body) ?? Observation.Effect.none
    }
    if isWrite, operation.effect.restoresAll, let api = exchange.api, let initial = exchange.sandbox?.initial {
      details.effect = .restore(api: API.all[api].name, initial: initial.judged([:]).value)
    }
    return details
  }
}

extension Observation {
  /// Reads what a request says of itself.
  fileprivate mutating func read(_ request: borrowing Request) {
    if let range = request.query { query = Self.hash(request.bytes[range]).mixed(with: 1) }
    if !request.body.isEmpty { body = Self.hash(request.bytes[request.body]) }
    isComparedByBytes = request.body.count > Call.maximumShortBody
    key = request.first(.idempotencyKey).map { Self.hash(request.bytes[$0.value]) }
    if isWrite, request.has(.ifMatch) {
      // `*` holds for every version, so it names none.
      isConditionalWrite = EntityTagCondition(parsing: request.combined("if-match") ?? "") != .any
    }
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
