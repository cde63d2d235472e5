import Contract
import Faults
import HTTP1
import Primitives
import Report
import Services

/// The source of a streamed response: server-sent events (HTML standard, section 9.2).
enum Follower: Sendable {
  case journal(JournalFollower)
  case state(StateFollower)
  case content(ContentFollower)

  /// Returns the plan's fault once, when the stream has had the events that precede it; otherwise nil.
  mutating func takeFault() -> TransportFault? {
    switch self {
    case .journal: return nil
    case .state(var follower):
      defer { self = .state(follower) }
      return follower.takeFault()
    case .content(var follower):
      defer { self = .content(follower) }
      return follower.takeFault()
    }
  }

  /// The end of the content, if all of it was returned; nil if more may follow.
  var end: ContentPipe.End? { if case .content(let follower) = self { follower.end } else { nil } }

  /// Returns the time that the plan's pace gives to a piece of this size; nil if there is no pace.
  func duration(ofBytes count: Int) -> Duration? {
    guard case .content(let follower) = self, let pace = follower.pace else { return nil }
    return Duration.seconds(1) * count / pace.bytesPerSecond
  }

  /// The number of bytes of content that wait to be sent on.
  var waitingBytes: Int { if case .content(let follower) = self { follower.pipe.byteCount } else { 0 } }

  /// The journal's id of its request; nil if it has none.
  var request: Int? {
    switch self {
    case .journal: nil
    case .state(let follower): follower.request
    case .content(let follower): follower.request
    }
  }

  /// True if the content has an end, up to which the stream goes on.
  var isFinite: Bool { if case .content(let follower) = self { !follower.isEndless } else { false } }

  /// The way of the client's bytes, if the response begins another protocol; nil if it does not.
  var tunnel: ContentPipe? {
    if case .content(let follower) = self { follower.tunnel } else { nil }
  }

  /// True if comments may keep the stream alive.
  var allowsComments: Bool { if case .content = self { false } else { true } }

  /// Returns the events since the last call; none if there are none, or if `budget` is spent.
  mutating func events(from sandbox: Sandbox, within budget: inout JournalFollower.Budget) -> [UInt8] {
    switch self {
    case .journal(var follower):
      defer { self = .journal(follower) }
      return follower.events(from: sandbox.traffic.journal, within: &budget)
    case .state(var follower):
      defer { self = .state(follower) }
      return follower.events(from: sandbox, within: &budget)
    case .content(var follower):
      defer { self = .content(follower) }
      return follower.content(within: &budget)
    }
  }
}

/// A reader of an API's state: each event is the whole state after a change, so a client that missed events is up to
/// date after the next one.
struct StateFollower: Sendable {
  /// The journal's id of its request.
  let request: Int
  private let api: Int
  private let call: Call
  /// The fault that follows an event of the stream; nil if the plan has none, or if it has occurred.
  private var fault: TransportFault?
  private(set) var eventCount = 0
  /// The hashes of the tags of the last events.
  private(set) var tags: [UInt64] = []
  /// The tag of the state that the client has.
  private var shown: EntityTag?
  /// The version of the sandbox's state in which the tag was last compared.
  private var version: Int?

  /// - Parameter shown: The tag of the state that the client already has.
  init(request: Int, api: Int, _ call: Call, shown: EntityTag?, fault: TransportFault?) {
    self.request = request
    self.api = api
    self.call = call
    self.shown = shown
    self.fault = fault
  }

  mutating func takeFault() -> TransportFault? {
    guard let limit = fault?.eventLimit, eventCount >= limit else { return nil }
    defer { fault = nil }
    return fault
  }

  mutating func events(from sandbox: Sandbox, within budget: inout JournalFollower.Budget) -> [UInt8] {
    guard version != sandbox.state.store.version, !budget.isSpent else { return [] }
    let event = sandbox.state.store.respond(api: api, to: call).representation
    version = sandbox.state.store.version
    budget.countReader(bytes: event?.bytes.count ?? 0)
    guard let event, event.tag != shown else { return [] }
    shown = event.tag
    eventCount += 1
    if tags.count == StreamEnd.maximumTags { tags.removeFirst() }
    tags.append(event.tag.hash)
    return event.bytes
  }
}

extension Follower: ResponseStream {}

extension Response {
  /// The source of a streamed body; nil for other bodies.
  var follower: Follower? {
    get {
      guard let stream else { return nil }
      return stream as? Follower
    }
    set { stream = newValue }
  }
}

extension StateHandlers {
  /// Returns a response as a stream. If the plan has a fault that needs a finite body, the body is the event so far,
  /// and the stream ends with it.
  func followed(
    _ response: Response, of exchange: borrowing Exchange, _ call: Call, _ api: Int
  ) -> Response {
    guard response.status == 200, let event = response.representation else { return response }
    let last = exchange.lastEventID
    let isKnown = last == event.tag.digits
    var response = response
    guard exchange.plan.allowsStream else {
      if isKnown { response.representation = Representation([], event.mediaType, tag: event.tag) }
      return response
    }
    response.follower = .state(
      StateFollower(
        request: exchange.id, api: api, call, shown: isKnown ? event.tag : nil,
        fault: exchange.plan.ending))
    return response
  }
}

extension Application {
  /// Records in the journal that a stream has ended. The entry of its request ended with the response's head.
  func recordEnd(of streaming: Streaming, _ outcome: ExchangeOutcome, at now: ClockReading) {
    switch streaming.follower {
    case .journal: break
    case .state(let stream):
      guard streaming.sandbox.isListed else { return }
      streaming.sandbox.traffic.exchangeLog.journal.update(stream.request) { entry in
        entry.setContent(bytes: streaming.byteCount, of: nil)
      }
      recordEnd(ofState: stream, in: streaming.sandbox, outcome, isSilent: streaming.isSilent, at: now)
    case .content(let content):
      content.pipe.close()
      recordEnd(ofContent: content, in: streaming.sandbox, outcome, bytes: streaming.byteCount, at: now)
    }
  }

  /// Records the end of a stream of an API as an event of the sandbox.
  ///
  /// - Parameter isSilent: True if the plan or the network switch kept the stream silent at that time.
  private func recordEnd(
    ofState stream: StateFollower, in sandbox: Sandbox, _ outcome: ExchangeOutcome, isSilent: Bool, at now: ClockReading
  ) {
    let events = "\(stream.eventCount) event\(stream.eventCount == 1 ? "" : "s")"
    let text = "the stream of request \(stream.request) ended after \(events): \(outcome.word)"
    sandbox.traffic.record(text, versions: nil, at: now.real)
    let end = StreamEnd(
      request: stream.request, tags: stream.tags, isPartial: stream.eventCount > stream.tags.count,
      isBroken: outcome != .peerGone || isSilent, time: now.tick + sandbox.state.clock.advanced)
    sandbox.traffic.report(.streamEnded(end))
  }

  /// Records the end of content in the entry of its request, which was stored with the response's head.
  private func recordEnd(
    ofContent content: ContentFollower, in sandbox: Sandbox, _ outcome: ExchangeOutcome, bytes: Int,
    at now: ClockReading
  ) {
    let body = secrets.masked(content: (content.journaled ?? [])[...])
    let failure: UpstreamOutcome.Failure? = if case .cut(let failure)? = content.end { failure } else { nil }
    let advanced = sandbox.state.clock.$advanced
    guard content.hasRecordedEnd else {
      sandbox.traffic.exchangeLog.journal.update(content.request) { entry in
        entry.endContent(body, bytes: bytes, of: content.length, at: now.tick, advanced)
        if outcome != .sent, outcome != .peerGone { entry.outcome = outcome }
        if let failure { entry.details?.upstream?.cut(failure) }
      }
      return
    }
    sandbox.traffic.exchangeLog.endContent(of: content.request) { entry in
      entry.endContent(body, bytes: bytes, of: content.length, at: now.tick, advanced)
      entry.contentHash = content.pipe.hash?.value
      if let failure {
        entry.details?.upstream?.cut(failure)
        entry.forgetEffect()
      }
      guard outcome != .sent else { return }
      entry.outcome = outcome
      // A client that leaves in the middle of the content knows the status.
      if outcome != .peerGone { entry.judgedOutcome = outcome }
    }
    if !sandbox.isListed { sandbox.traffic.exchangeLog.moveCounts(to: &state.sandboxes.counts) }
  }
}
