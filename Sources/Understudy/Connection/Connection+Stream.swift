import Faults
import HTTP1
import Primitives
import Report
import Services

/// A response that continues as long as there are new entries.
struct Streaming {
  var follower: Follower
  /// The sandbox that it follows. A new sandbox with the same name is another one.
  let sandbox: Sandbox
  /// True if the content is in chunks; otherwise its length, or the end of the connection, ends the response.
  let isChunked: Bool
  var lastOutput: MonotonicInstant
  /// Its line in the request log; nil if requests are not logged.
  let line: RequestLog.Line?
  /// The number of bytes of the content so far, without the framing of its chunks.
  private(set) var byteCount = 0
  /// The current silence, if the plan requires one.
  var silence: Silence?

  init(
    _ follower: Follower, of sandbox: Sandbox, isChunked: Bool, line: RequestLog.Line?, at now: MonotonicInstant
  ) {
    self.follower = follower
    self.sandbox = sandbox
    self.isChunked = isChunked
    self.line = line
    lastOutput = now
  }

  /// True if the plan or the network switch keeps it silent.
  var isSilent: Bool { silence != nil || sandbox.traffic.isSilent }

  /// Counts content that is sent.
  mutating func count(_ content: [UInt8], at now: MonotonicInstant) {
    byteCount += content.count
    lastOutput = now
  }

  /// The interval of comments that keep proxies from closing a silent stream.
  static let heartbeat = Duration.seconds(15)

  /// A planned silence.
  struct Silence {
    /// Its end; nil if it lasts until the peer closes the connection.
    let end: MonotonicInstant?
    let then: Hold.Then
  }
}

extension Connection {
  /// Writes the head of a response that continues as a stream, and records the exchange.
  mutating func stream(
    _ exchange: consuming Exchange, _ answer: borrowing Application.Answer, _ follower: Follower, from sandbox: Sandbox,
    at now: ClockReading
  ) {
    var response = answer.response
    response.representation = nil
    // HTTP/1.0 has no chunks, so only the end of the connection can end a stream.
    let isLast = exchange.request.version == .http10 || follower.tunnel != nil
    let option = http.beginResponse(to: exchange.request.version, isLast: isLast)
    let layout = write(response, of: exchange, option, at: now)
    http.output.releaseAll()
    http.awaitOwner(at: now.tick)
    let transmission = Transmission(ofWhole: layout, at: now.tick)
    var delivery = delivery(answer.response.isUndeliverable ? .notDeliverable : .sent, transmission)
    delivery.isContinued = true
    if case .content(let content) = follower { delivery.awaitsContent = content.hasRecordedEnd }
    let line = application.line(of: exchange, status: response.status, transmission, at: now)
    application.conclude(
      exchange, response: answer.response, versions: answer.versions, delivery: delivery, at: now)
    let hasLength = answer.response.forwarded?.announcedLength != nil
    suspend(
      .streaming(
        Streaming(
          follower, of: sandbox, isChunked: option.allowsChunks && !hasLength, line: line,
          at: now.tick)))
    if let tunnel = follower.tunnel { beginTunnel(tunnel, at: now) }
  }

  /// Appends the new events to the response.
  ///
  /// - Parameter budget: The amount that this turn may still spend on streams.
  mutating func follow(within budget: inout JournalFollower.Budget, at now: ClockReading) {
    guard isStreaming, http.output.byteCount < ServerConnection.highWater else { return }
    switch takeProgress() {
    case .streaming(var streaming):
      let isFinite = streaming.follower.isFinite
      let isTunnel = streaming.follower.tunnel != nil
      let mayGoOn =
        isTunnel ? !http.isDraining : isFinite || !http.isDraining && !http.hasPeerFinished
      guard mayGoOn, streaming.sandbox.isListed else {
        // After a regular end, the client could take a part of the content for the whole.
        if isFinite || isTunnel { return abandon(.streaming(streaming), .reset, at: now) }
        let isChunked = streaming.isChunked
        conclude(.streaming(streaming), http.isDraining ? .cut : .peerGone, at: now)
        http.endContinuedResponse(isChunked: isChunked)
        return advance(at: now)
      }
      // The stream of a journal is the control API's, which stays reachable.
      if sandbox != nil, streaming.sandbox.traffic.isSilent {
        return suspend(.streaming(streaming))
      }
      if let silence = streaming.silence {
        guard let end = silence.end, end <= now.tick else {
          return suspend(.streaming(streaming))
        }
        guard silence.then == .resume else {
          return abandon(.streaming(streaming), silence.then == .reset ? .reset : .closed, at: now)
        }
        streaming.silence = nil
        streaming.lastOutput = now.tick
      }
      var events = streaming.follower.events(from: streaming.sandbox, within: &budget)
      if events.isEmpty, streaming.follower.allowsComments, now.tick - streaming.lastOutput >= Streaming.heartbeat {
        events = Array(":\n\n".utf8)
      }
      if !events.isEmpty {
        streaming.count(events, at: now.tick)
        http.continueResponse(events, isChunked: streaming.isChunked, at: now.tick)
      }
      let fault = streaming.follower.takeFault()
      streaming.silence = fault?.hold.map { Streaming.Silence(end: $0.duration.map { now.tick + $0 }, then: $0.then) }
      if fault == nil, !events.isEmpty, let pause = streaming.follower.duration(ofBytes: events.count) {
        streaming.silence = Streaming.Silence(end: now.tick + pause, then: .resume)
      }
      if let fault, fault.hold == nil {
        return abandon(.streaming(streaming), fault.last == .reset ? .reset : .closed, at: now)
      }
      switch streaming.follower.end {
      case nil: suspend(.streaming(streaming))
      case .complete?:
        let isChunked = streaming.isChunked
        conclude(.streaming(streaming), .sent, at: now)
        http.endContinuedResponse(isChunked: isChunked)
        advance(at: now)
      case .cut?: abandon(.streaming(streaming), .reset, at: now)
      }
    default: preconditionFailure("only a stream waits for entries")
    }
  }
}
