import Contract

@testable import Understudy

/// A simulated client: it sends in pieces, reads at its own pace, and ends its connection in one of several ways.
final class Peer {
  enum Leaving: CaseIterable {
    /// Waits for its responses, and then closes.
    case politely
    /// Sends FIN after its last request, and continues to read.
    case halfClosing
    case resetting
    /// Stops reading and writing without FIN or RST.
    case vanishing
  }

  private let cable: SimulatedConnection
  private let loop: SimulatedLoop
  private let timeline: Timeline
  private let leaving: Leaving
  private var isGone = false
  private var isReading = false
  /// The number of bytes of each read.
  private let mouthful: Int
  private let pause: Int
  private let patience: Duration

  init(_ cable: SimulatedConnection, _ loop: SimulatedLoop, leaving: Leaving) {
    self.cable = cable
    self.loop = loop
    self.leaving = leaving
    timeline = loop.timeline
    let isSlow = timeline.oneIn(4)
    mouthful = isSlow ? timeline.integer(1...400) : 1 << 20
    pause = isSlow ? 40 : 1
    patience = .milliseconds(timeline.pick([300, 3_000, 20_000]))
    cable.notify = { [self] in takeBytes() }
  }

  /// Begins to send its requests, one after another.
  func begin(pipelined: Bool) {
    var delay = Duration.zero
    for request in cable.requests {
      delay += send(request.bytes, after: delay)
      if !pipelined { delay += timeline.pause(upTo: 1_500) }
    }
    switch leaving {
    case .politely: timeline.after(delay + patience) { [self] in close() }
    case .halfClosing:
      timeline.after(delay) { [self] in halfClose() }
      timeline.after(delay + patience) { [self] in close() }
    case .resetting: timeline.after(timeline.pause(upTo: 2_000)) { [self] in vanish(isBroken: true) }
    case .vanishing: timeline.after(timeline.pause(upTo: 2_000)) { [self] in vanish(isBroken: false) }
    }
  }

  /// Sends bytes in pieces, and returns the time that it takes.
  private func send(_ bytes: [UInt8], after delay: Duration) -> Duration {
    var taken = Duration.zero
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(timeline.oneIn(3) ? timeline.integer(1...rest.count) : rest.count)
      rest = rest.dropFirst(piece.count)
      timeline.after(delay + taken) { [self] in
        guard !isGone, !cable.hasFinArrived else { return }
        cable.arrived += piece
        loop.wake(cable)
      }
      taken += .nanoseconds(1) + timeline.pause(upTo: 20)
    }
    return taken
  }

  private func halfClose() {
    guard !isGone, !cable.hasFinArrived else { return }
    cable.hasFinArrived = true
    loop.wake(cable)
  }

  /// Closes in both directions: later bytes from the server cause a reset.
  private func close() {
    guard !isGone else { return }
    halfClose()
    vanish(isBroken: true)
  }

  private func vanish(isBroken: Bool) {
    guard !isGone else { return }
    isGone = true
    guard isBroken else { return }
    timeline.after(timeline.pause(upTo: 5)) { [self] in
      cable.isBroken = true
      loop.wake(cable)
    }
  }

  /// Handles arrived bytes.
  private func takeBytes() {
    guard !isGone else { return }
    if cable.end != nil { return timeline.after(timeline.pause(upTo: 50)) { [self] in close() } }
    guard !isReading, cable.taken < cable.sent.count else { return }
    isReading = true
    timeline.after(timeline.pause(upTo: pause)) { [self] in
      isReading = false
      guard !isGone else { return }
      cable.taken = min(cable.sent.count, cable.taken + mouthful)
      loop.drained(cable)
      takeBytes()
    }
  }
}
