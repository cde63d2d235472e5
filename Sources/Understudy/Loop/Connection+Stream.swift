import HTTP1

/// A response that continues as long as there are new entries.
struct Streaming {
  var follower: JournalFollower
  /// True if the peer supports chunks; otherwise the end of the connection ends the response.
  let isChunked: Bool
  var lastSign: MonotonicInstant

  /// The interval of comments that keep proxies from closing a silent stream.
  static let heartbeat = Duration.seconds(15)
}

extension Connection {
  /// True if `follow(within:)` must be called in each turn of the loop.
  var isStreaming: Bool {
    switch progress {
    case .streaming: true
    default: false
    }
  }

  /// Appends the journal's new entries to the response.
  ///
  /// - Parameter budget: The amount that this turn may still spend on streams.
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
