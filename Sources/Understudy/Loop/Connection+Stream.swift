import HTTP1

/// A reply that goes on as long as there is something to tell.
struct Streaming {
  var follower: JournalFollower
  /// Whether the peer understands chunks; if not, the end of the connection ends the reply.
  let isChunked: Bool
  var lastSign: Tick

  /// A sign of life keeps proxies from cutting a silent stream.
  static let heartbeat = Duration.seconds(15)
}

extension Connection {
  /// True if `follow(within:)` is to be called at each turn of the loop.
  var isStreaming: Bool {
    switch progress {
    case .streaming: true
    default: false
    }
  }

  /// Takes what the journal has gained into the reply.
  ///
  /// - Parameter budget: What a turn may still spend on streams.
  func follow(within budget: inout JournalFollower.Budget) {
    guard output.weight < Self.highWater else { return }
    switch progress.take() {
    case .streaming(var streaming):
      guard !isDraining, !hasPeerFinished, let sandbox = backend.sandboxes[streaming.follower.sandbox] else {
        return endStream(isChunked: streaming.isChunked)
      }
      let now = backend.tick
      var events = streaming.follower.events(from: sandbox.journal, within: &budget)
      if events.isEmpty, now - streaming.lastSign >= Streaming.heartbeat { events = Array(":\n\n".utf8) }
      if !events.isEmpty {
        streaming.lastSign = now
        if output.pending == 0 { timeout = now + timeouts.writing }
        append(events, isChunked: streaming.isChunked)
      }
      progress = .streaming(streaming)
    case let other: progress = other
    }
  }

  private func append(_ events: [UInt8], isChunked: Bool) {
    if isChunked {
      ChunkedEncoder.appendChunk(events, to: &output.bytes)
    } else {
      output.bytes += events
    }
    output.releaseAll()
    state.advance(.replyContinued)
  }

  private func endStream(isChunked: Bool) {
    if isChunked { ChunkedEncoder.appendEnd(to: &output.bytes) }
    output.releaseAll()
    state.advance(.replyEnded)
  }
}
