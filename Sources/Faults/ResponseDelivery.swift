/// The second interpreter of a plan: when the bytes of a message are sent, and how it ends.
///
/// It is a state machine that returns one step at a time. It neither writes nor waits itself.
package struct ResponseDelivery: Sendable {
  package enum Step: Sendable, Equatable {
    /// Release the output up to this index to the socket.
    case release(upTo: Int)
    /// Continue when this time has passed since the first step.
    case wait(until: Duration)
    /// Send nothing, for this time or until the peer closes the connection.
    case hold(Duration?)
    /// The message is complete.
    case end
    /// Close with FIN although the message is incomplete.
    case finish
    case reset
  }

  /// The whole delivery: a part of the message, a silence, more of the message, the end.
  private struct Schedule: Sendable {
    var first: Int?
    var hold: Hold?
    var second: Int?
    var last: Step
  }

  private let layout: MessageLayout
  private let pace: Pace?
  private var script: Schedule
  private var released: Int
  /// True if the pace's wait for the next piece has been returned.
  private var hasWaited = false
  /// The duration of planned silence so far; afterwards a pace continues at its old position.
  private var held: Duration = .zero

  /// False if the plan's ending cannot be applied to the message: then the whole message is sent.
  package let isDeliverable: Bool

  /// Creates the delivery of a message.
  ///
  /// - Parameter isDeliverable: True if the message could be made as planned.
  package init(_ plan: Plan, _ layout: MessageLayout, isDeliverable: Bool) {
    self.layout = layout
    pace = plan.pace
    released = layout.start
    let script = isDeliverable ? Self.script(plan, layout) : nil
    self.script = script ?? Schedule(first: layout.end, last: .end)
    self.isDeliverable = script != nil
  }

  private static func script(_ plan: Plan, _ layout: MessageLayout) -> Schedule? {
    let whole = layout.end
    if plan.silenceBefore != nil || plan.silenceAfter != nil { return Schedule(first: whole, last: .end) }
    guard let fault = plan.ending else { return Schedule(first: whole, last: .end) }
    let first: Int?
    switch fault.first {
    case .nothing: first = nil
    case .statusLine: first = layout.fields
    case .whole: first = whole
    // Only a stream has events.
    case .events: return nil
    case .body(let at):
      guard let offset = at.offset(in: whole - layout.body) else { return nil }
      first = layout.body + offset
    }
    return Schedule(first: first, hold: fault.hold, second: fault.hold.map { _ in whole }, last: Step(fault.last))
  }

  package mutating func next() -> Step {
    if let index = script.first {
      if let step = pacedStep(upTo: index) { return step }
      script.first = nil
      return release(upTo: index)
    }
    if let hold = script.hold {
      script.hold = nil
      return begin(hold)
    }
    if let index = script.second {
      if let step = pacedStep(upTo: index) { return step }
      script.second = nil
      return release(upTo: index)
    }
    return script.last
  }

  private mutating func release(upTo index: Int) -> Step {
    released = index
    return .release(upTo: index)
  }

  private mutating func begin(_ hold: Hold) -> Step {
    held += hold.duration ?? .zero
    switch hold.then {
    case .resume: break
    case .close: script = Schedule(last: .finish)
    case .reset: script = Schedule(last: .reset)
    }
    return .hold(hold.duration)
  }

  /// Returns the next wait or piece of a paced delivery; nil if the rest may be sent at once, or there is no pace.
  private mutating func pacedStep(upTo index: Int) -> Step? {
    guard let pace, index > released else { return nil }
    let end = min(index, released + pace.chunk)
    if !hasWaited {
      hasWaited = true
      return .wait(until: held + pace.delay(untilByte: end - layout.start))
    }
    hasWaited = false
    guard end < index else { return nil }
    released = end
    return .release(upTo: end)
  }
}

extension ResponseDelivery.Step {
  fileprivate init(_ last: TransportFault.Last) {
    switch last {
    case .end: self = .end
    case .close: self = .finish
    case .reset: self = .reset
    }
  }
}

/// The layout of a written message in the output: the offsets of its parts.
package struct MessageLayout: Sendable, Equatable {
  package let start: Int
  /// The end of the status line.
  package let fields: Int
  package let body: Int
  package let end: Int

  package init(start: Int, fields: Int, body: Int, end: Int) {
    self.start = start
    self.fields = fields
    self.body = body
    self.end = end
  }

  /// The field lines, without the empty line that ends them.
  package var fieldLines: Range<Int> { fields..<max(fields, body - 2) }
}
