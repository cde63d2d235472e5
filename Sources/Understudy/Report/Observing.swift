import Contract
import Faults
import HTTP1
import JSON

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
    guard exchange.request.knownMethod != .options else { return sandbox.examination.skip(exchange.id) }
    let request = exchange.request
    var seen = Observation()
    seen.id = exchange.id
    seen.client = request.clientHash(at: exchange.peer)
    seen.isNamed = request.first(.understudyClient) != nil
    if let field = request.first(.understudyClient) ?? request.first(.userAgent) {
      seen.clientText = request.bytes[field.value]
    }
    seen.peer = exchange.peer
    seen.connection = exchange.connection
    seen.method = request.text(request.method)
    seen.target = request.bytes[request.target]
    seen.place = UInt64(exchange.api ?? 255).mixed(with: Observation.hash(request.bytes[request.path]))
    seen.body = request.body.isEmpty ? 0 : Observation.hash(request.bytes[request.body])
    seen.key = request.first(.idempotencyKey).map { Observation.hash(request.bytes[$0.value]) }
    seen.api = exchange.api
    seen.replayOf = exchange.replayOf
    seen.plan = exchange.plan
    // A client that was terminated at the end of its run has not given up.
    seen.outcome = delivery.outcome == .peerGone && areClientsEnded ? .cut : delivery.outcome
    seen.status = status
    // A client that did not wait for the response received nothing of it.
    if delivery.outcome == .sent || delivery.outcome == .notDeliverable {
      seen.retryAfter = answer?.response.minimumWait(exchange.plan)
    }
    seen.versions = answer?.versions
    seen.isApplied = answer.map { !$0.versions.isEmpty } ?? false
    if request.first(.ifNoneMatch) != nil { seen.namedTags = request.namedTags }
    seen.arrival = exchange.arrival + exchange.advanced
    seen.end = now + sandbox.clock.advanced
    seen.advanced = exchange.advanced...max(exchange.advanced, sandbox.clock.advanced)
    seen.timeOffline = sandbox.timeOffline(at: realTime)
    seen.kept = now - exchange.arrival
    seen.held = began - exchange.arrival
    if let operation = exchange.operation, case .operation(_, let arguments) = exchange.target {
      seen.operation = operation
      // A write whose data is not stored has no effect that could be duplicated or lost.
      seen.isWrite = exchange.changesState
      seen.isConditionalWrite = seen.isWrite && request.first(.ifMatch) != nil
      if operation.lifetime != nil, let directives = request.combined("cache-control") {
        seen.isRefresh = directives.contains("no-") || directives.contains("max-age=0")
      }
      let isTagged = operation.validator != .none && answer?.response.isAltered == false
      seen.tag = isTagged ? answer?.response.representation?.tag.hash : nil
      if let meaning = exchange.meaning {
        seen.intent = meaning.intent
        seen.effect = meaning.effect ?? Observation.Effect.none
      } else {
        let body = seen.isWrite ? exchange.written : nil
        seen.intent = Intent(operation, arguments, body)
        seen.effect = Register.effect(
          of: operation, exchange.api ?? -1, arguments, body, exchange, answer, status: status)
      }
      if seen.isWrite, operation.effect.restoresAll, let api = exchange.api {
        seen.effect = .restore(api: API.all[api].name, initial: sandbox.initial.judged([:]).value)
      }
    }
    seen.identify()
    sandbox.examination.observe(seen)
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
  /// The hashes of the entity tags in `If-None-Match` that may be the server's.
  fileprivate var namedTags: [UInt64] {
    guard case .tags(let tags) = EntityTagCondition(parsing: combined("if-none-match") ?? "") else { return [] }
    return tags.compactMap { UInt64($0.filter(\.isHexDigit), radix: 16) }
  }

  /// Returns the hash of a client: by its own identification, or else by its address and `User-Agent`.
  fileprivate func clientHash(at peer: String) -> UInt64 {
    if let name = first(.understudyClient) { return Observation.hash(bytes[name.value]) }
    return Observation.hash(peer).mixed(with: first(.userAgent).map { Observation.hash(bytes[$0.value]) } ?? 0)
  }
}

extension Response {
  /// Returns the minimum wait in `Retry-After`. A date has whole seconds, so up to one second is lost.
  fileprivate func minimumWait(_ plan: Plan) -> Duration? {
    guard let text = fields.first(where: { $0.name == "Retry-After" })?.value else { return nil }
    if let seconds = Int64(text) { return .seconds(seconds) }
    return plan.status?.retryAfter.map { max(.zero, $0 - .seconds(1)) }
  }
}
