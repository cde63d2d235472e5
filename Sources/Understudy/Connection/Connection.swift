import Contract
import HTTP1
import Platform
import Primitives
import Report
import Services

/// One client's connection: the machine of its messages, and its current exchange.
///
/// It has no socket. The loop calls it with bytes and readings of the clocks, then sends the machine's output, and waits
/// for what `progress` and the machine's timeout say.
struct Connection: ~Copyable {
  let link: Link
  let application: Application
  var http: ServerConnection
  private(set) var suspended: Suspended?
  /// The sandbox of the last exchange with an API.
  var sandbox: String?
  /// The way of content that comes in parts, from this connection; nil if none does.
  var upload: ContentPipe?
  /// Responses that are released, and are cut short if the peer leaves now.
  var unsent: [Application.Unsent] = []
  private var begun = TurnBudget.Begun()

  init(peer: String, port: Labels, application: Application, timeouts: Timeouts, at now: ClockReading) {
    link = Link(number: application.nextConnection(), peer: peer, port: port)
    self.application = application
    http = ServerConnection(limits: application.requestLimits, timeouts: timeouts, at: now.tick)
  }

  /// Work that an exchange waits for.
  struct TakenWork {
    /// The ordinal of the exchange.
    let exchange: Int
    /// True if it is with the driver of the test, whose work comes first.
    let isOfDriver: Bool
    let task: Work.Task
  }

  /// Returns the work to begin; each piece of work is returned once.
  mutating func takeWork() -> TakenWork? {
    guard case .work = event, case .working(var working) = takeProgress() else { return nil }
    working.isTaken = true
    if working.work.isQuestion { application.recordQuestion(of: working.exchange) }
    let pending = TakenWork(
      exchange: working.exchange.ordinal, isOfDriver: working.exchange.traits.contains(.isOfDriver),
      task: working.work.task)
    suspend(.working(working))
    return pending
  }

  /// True if the connection is between requests, and can be closed without loss.
  var isIdle: Bool { http.isIdle }
}

extension Connection {
  /// An exchange that waits, stored apart: most exchanges end within their event, so most connections have none and are small.
  final class Suspended {
    fileprivate(set) var progress: Progress
    /// The event for which it waits, which does not change.
    let event: Progress.Event
    /// The number of stored bytes of its request.
    let requestBytes: Int
    /// The body of its response, if that waits to be written. It is stored, because to read it from `progress` costs each
    /// request 150 instructions.
    let body: Representation?
    /// True if content passes through, which comes while it waits.
    fileprivate let passesContent: Bool

    fileprivate init(_ progress: consuming Progress) {
      event = progress.event
      requestBytes = progress.requestBytes
      body = progress.waitingBody
      passesContent = progress.passesContent
      self.progress = progress
    }
  }

  /// Stores the current exchange until its next event.
  mutating func suspend(_ next: consuming Progress) { suspended = Suspended(next) }

  /// Moves the current exchange out, and leaves none.
  mutating func takeProgress() -> Progress {
    guard let suspended else { return .none }
    self.suspended = nil
    return exchange(&suspended.progress, with: .none)
  }

  /// True while an exchange waits for an event.
  var hasExchange: Bool { suspended != nil }

  /// The event for which the exchange waits.
  var event: Progress.Event { suspended?.event ?? .instant(nil) }

  /// The number of stored bytes of the request whose exchange waits.
  var suspendedBytes: Int { suspended?.requestBytes ?? 0 }

  /// The body of the response that waits to be written; other connections may share it.
  var suspendedBody: Representation? { suspended?.body }

  /// The number of stored bytes of content that passes through.
  var passingBytes: Int { if let suspended, suspended.passesContent { suspended.progress.passingBytes } else { 0 } }

  /// The earliest instant at which the loop is to call `resume(at:)`.
  var wakeUp: MonotonicInstant? { event.instant }

  /// True if `follow(within:at:)` must be called in each turn of the loop.
  var isStreaming: Bool { if case .entries = event { true } else { false } }

  /// True if the plan or the network switch keeps the connection silent.
  var isSilent: Bool { suspended?.progress.isSilent == true }

  /// True if the network switch holds the response.
  var isHeldByNetwork: Bool { suspended?.progress.isHeldByNetwork == true }

  /// True if the network switch holds the response until it is online.
  var isHeldUntilOnline: Bool { suspended?.progress.isHeldUntilOnline == true }

  /// True if an exchange waits that can be refused.
  private var isRefusable: Bool { suspended?.progress.isRefusable == true }

  /// True if the response waits for the disk.
  var awaitsDisk: Bool { if case .disk = event { true } else { false } }

  /// True if its response is sent, and the peer, which sends nothing more, may have left before.
  var awaitsReceipt: Bool { suspended?.progress.awaitsReceipt == true }

  /// The ordinal of the exchange that waits for the result of its work; nil if none does.
  var working: Int? { suspended?.progress.working }
}

extension Connection {
  /// Receives bytes from the peer.
  mutating func receive(_ bytes: consuming ArraySlice<UInt8>, at now: ClockReading) {
    http.receive(bytes, isBusy: hasExchange)
    if http.awaitsContent { return passContentOn(at: now) }
    if !hasExchange { advance(at: now) }
  }

  /// Records that the peer will send no more bytes.
  mutating func finish(at now: ClockReading) {
    if http.awaitsContent, hasExchange {
      // The rest of a request will never come, so it has no response.
      guard http.isTunnel else { return disconnect(at: now) }
      upload?.finish(.complete)
    }
    if http.finish(), !hasExchange { advance(at: now) }
    endNeedlessSilence(at: now)
  }

  /// Records that the socket accepted some of the output; returns true if there is more to send.
  @discardableResult
  mutating func didSend(_ count: Int, at now: ClockReading) -> Bool {
    let mayAdvance = http.didSend(count, at: now.tick, isBusy: hasExchange)
    // Mostly there is one, which is cheaper to take out than a range.
    if http.output.pending == 0 { while unsent.popLast() != nil {} }
    if mayAdvance, !hasExchange { advance(at: now) }
    return http.output.pending > 0
  }

  /// Records that FIN was sent.
  mutating func didShutDown(at now: ClockReading) { http.didShutDown(at: now.tick) }

  /// Records that the connection has ended, or must end at once.
  mutating func disconnect(at now: ClockReading) {
    guard http.state.phase != .closed else { return }
    leave(takeProgress(), http.isDraining ? .cut : .peerGone, at: now)
    recordUnsent()
    upload?.finish(.cut(.malformed))
    discard(http.disconnect())
  }

  mutating func recordUnsent(_ outcome: ExchangeOutcome = .peerGone) {
    if http.output.pending > 0 { application.recordUnsent(unsentResponses, outcome) }
  }

  /// The released responses of which the peer has not accepted all.
  var unsentResponses: [Application.Unsent] {
    let sent = http.output.sent
    return unsent.filter { $0.end > sent }
  }

  /// Frees the storage of dropped output. Workers free it if it is long: a turn in which hundreds of peers vanish would
  /// take long.
  func discard(_ storage: [[UInt8]]) {
    if storage.contains(where: { $0.capacity >= OutputBuffer.minimumLongBody }) {
      application.state.loop.workers?.discard(storage)
    }
  }

  /// Ends the connection by RST at once, also during an exchange, because a fault makes its sandbox unreachable.
  mutating func reset(at now: ClockReading) {
    leave(takeProgress(), .reset, at: now)
    recordUnsent()
    upload?.finish(.cut(.malformed))
    discard(http.reset())
  }

  /// Records that the machine's timeout has passed.
  mutating func expire(at now: ClockReading) {
    switch http.expire() {
    case .idle: break
    case .request: startRefused(with: .problem(.timeout), at: now)
    case .content: advance(at: now)
    case .stalled: disconnect(at: now)
    }
  }

  /// Begins the exchange of a request of which the rest is not read.
  private mutating func startRefused(with refusal: Response, at now: ClockReading) {
    start(http.takeRefusedRequest(), refusal: refusal, isIncomplete: true, at: now)
  }

  /// Gives up the request whose content is arriving or whose exchange waits, because the requests of all connections take
  /// too much memory. If a refusal would be untrue, or would have to wait with the request, the connection is reset.
  mutating func refuseRequest(at now: ClockReading) {
    if !hasExchange {
      http.giveUpRequest()
      startRefused(with: .requestsTooLong, at: now)
    } else if isRefusable {
      refuseWaiting(at: now)
    } else {
      reset(at: now)
    }
  }

  /// Releases the memory that only a busy connection needs; the next request allocates it again.
  mutating func rest() {
    guard isIdle else { return }
    http.rest()
    unsent = []
  }

  /// Makes the connection end after the owed response. A silence that the plan requires ends now.
  mutating func drain(at now: ClockReading) {
    http.drain()
    // No response is owed, and no recent output could be overtaken by a reset, so there is no need to wait for the
    // peer.
    if isIdle { return disconnect(at: now) }
    endNeedlessSilence(at: now)
  }
}

extension Connection {
  /// Answers the received requests, until an exchange takes time, no complete request is left, or too much output is
  /// unsent.
  mutating func advance(at now: ClockReading) {
    while true {
      switch http.next(at: now.tick, isDeferred: isTurnFull) {
      case nil: return
      case .request?: start(http.takeRequest(), at: now)
      case .contentIsLong? where application.passesContentOn(http.unfinishedRequest, by: link, at: now):
        startWithPart(at: now)
      case .contentIsLong?: http.awaitContent(atMost: Limits.standard.body)
      case .expectsContinue?: respondBeforeContent(at: now)
      case .rejected(let rejection)?: startRefused(with: .problem(.rejected(rejection)), at: now)
      }
    }
  }

  /// Continues when the loop begins another turn.
  mutating func advanceDeferred(at now: ClockReading) {
    http.endDeferral()
    if !hasExchange { advance(at: now) }
  }

  /// True if this turn begins no more requests, or none of this connection.
  private var isTurnFull: Bool { application.budget.isSpent(for: begun) }

  /// Counts a request against the turn's budget.
  mutating func countBegunRequest() { begun = application.budget.countRequest(after: begun) }

  /// Sends `100 Continue`, or a final response instead if the request's content cannot change it (RFC 9110 section
  /// 10.1.1).
  private mutating func respondBeforeContent(at now: ClockReading) {
    let refusal: Response?
    switch application.expectation(of: http.unfinishedRequest, by: link, at: now) {
    case .content: return http.sendContinue()
    case .final: refusal = nil
    case .refused(let response): refusal = response
    }
    http.giveUpRequest()
    start(http.takeRefusedRequest(), refusal: refusal, at: now)
  }
}
