import Faults
import HTTP1
import Primitives
import Report
import Services

/// A response that continues as long as there are new entries.
struct Streaming {
  var follower: Follower
  /// True if the peer supports chunks; otherwise the end of the connection ends the response.
  let isChunked: Bool
  var lastOutput: MonotonicInstant
  /// The current silence, if the plan requires one; `wakeUp` is its end.
  var silence: Hold?

  /// The interval of comments that keep proxies from closing a silent stream.
  static let heartbeat = Duration.seconds(15)
}

extension Connection {
  /// True if `follow(within:)` must be called in each turn of the loop.
  var isStreaming: Bool { phase == .streaming }

  /// Writes the head of a response that continues as a stream, and records the exchange.
  mutating func stream(_ exchange: consuming Exchange, _ answer: Backend.Answer, _ follower: Follower) {
    var response = answer.response
    response.representation = nil
    // HTTP/1.0 has no chunks, so only the end of the connection can end a stream.
    let isLast = exchange.request.version == .http10
    let isChunked = state.option(for: exchange.request.version, closing: isLast) == .unneeded
    let delivery = write(response, of: exchange, isLast: isLast)
    output.releaseAll()
    timeout = .distantFuture
    if exchange.id > 0 {
      var outgoing = OutgoingResponse(delivery, at: backend.tick)
      outgoing.released = delivery.layout.end
      conclude(exchange, answer, outgoing, .sent)
    }
    hold(.streaming(Streaming(follower: follower, isChunked: isChunked, lastOutput: backend.tick)))
  }

  /// Appends the new events to the response.
  ///
  /// - Parameter budget: The amount that this turn may still spend on streams.
  mutating func follow(within budget: inout JournalFollower.Budget) {
    guard output.byteCount < Self.highWater else { return }
    switch takeProgress() {
    case .streaming(var streaming):
      guard !isDraining, !hasPeerFinished, let sandbox = backend.sandboxes[streaming.follower.sandbox] else {
        let outcome: ExchangeOutcome = isDraining ? .cut : .peerGone
        backend.recordEnd(of: streaming.follower, outcome, isSilent: streaming.silence != nil)
        return endStream(isChunked: streaming.isChunked)
      }
      let now = backend.tick
      if let silence = streaming.silence {
        guard silence.duration != nil, wakeUp == nil else { return hold(.streaming(streaming)) }
        guard silence.then == .resume else {
          hold(.streaming(streaming))
          return breakStream(by: silence.then == .reset ? .reset : .closed)
        }
        streaming.silence = nil
        streaming.lastOutput = now
      }
      var events = streaming.follower.events(from: sandbox, within: &budget)
      if events.isEmpty, now - streaming.lastOutput >= Streaming.heartbeat { events = Array(":\n\n".utf8) }
      if !events.isEmpty {
        streaming.lastOutput = now
        if output.pending == 0 { timeout = now + timeouts.writing }
        append(events, isChunked: streaming.isChunked)
      }
      let fault = streaming.follower.takeFault()
      streaming.silence = fault?.hold
      wakeUp = fault?.hold?.duration.map { now + $0 }
      hold(.streaming(streaming))
      if let fault, fault.hold == nil { breakStream(by: fault.last == .reset ? .reset : .closed) }
    case let other: hold(other)
    }
  }

  /// Ends the connection in the middle of a stream, by RST or FIN, when the events so far are sent.
  private mutating func breakStream(by outcome: ExchangeOutcome) {
    abandon(outcome)
    isReset = outcome == .reset
  }

  private mutating func append(_ events: [UInt8], isChunked: Bool) {
    if isChunked {
      ChunkedEncoder.appendChunk(events, to: &output.bytes)
    } else {
      output.bytes += events
    }
    output.releaseAll()
    state.advance(.responseContinued)
  }

  private mutating func endStream(isChunked: Bool) {
    if isChunked { ChunkedEncoder.appendEnd(to: &output.bytes) }
    output.releaseAll()
    state.advance(.responseEnded)
  }
}
