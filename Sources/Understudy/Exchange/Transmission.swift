import Faults

/// The second interpreter of a plan: when the bytes of a message are sent, and how it ends.
///
/// It is a state machine that returns one step at a time. It neither writes nor waits itself.
struct Transmission: Sendable {
  enum Step: Sendable, Equatable {
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
  private struct Script: Sendable {
    var first: Int?
    var hold: Hold?
    var second: Int?
    var last: Step
  }

  let extent: MessageWriter.Extent
  private let pace: Pace?
  private var script: Script
  private var released: Int
  /// True if the pace's wait for the next piece has been returned.
  private var hasWaited = false
  /// The duration of planned silence so far; afterwards a pace continues at its old position.
  private var held: Duration = .zero

  /// False if the plan's ending cannot be applied to the message: then the whole message is sent.
  let isDeliverable: Bool

  /// Creates the delivery of a message.
  ///
  /// - Parameter isDeliverable: True if the message could be made as planned.
  init(_ plan: Plan, _ extent: MessageWriter.Extent, isDeliverable: Bool = true) {
    self.extent = extent
    pace = plan.pace
    released = extent.start
    let script = isDeliverable ? Self.script(plan, extent) : nil
    self.script = script ?? Script(first: extent.end, last: .end)
    self.isDeliverable = script != nil
  }

  private static func script(_ plan: Plan, _ extent: MessageWriter.Extent) -> Script? {
    let whole = extent.end
    if plan.silenceBefore != nil { return Script(first: whole, last: .end) }
    guard let ending = plan.ending else { return Script(first: whole, last: .end) }
    let first: Int?
    switch ending.first {
    case .nothing: first = nil
    case .statusLine: first = extent.fields
    case .whole: first = whole
    case .body(let at):
      guard let offset = at.offset(in: whole - extent.body) else { return nil }
      first = extent.body + offset
    }
    return Script(first: first, hold: ending.hold, second: ending.hold.map { _ in whole }, last: Step(ending.last))
  }

  mutating func next() -> Step {
    if let place = script.first {
      if let step = pacedStep(upTo: place) { return step }
      script.first = nil
      return release(upTo: place)
    }
    if let hold = script.hold {
      script.hold = nil
      return keep(hold)
    }
    if let place = script.second {
      if let step = pacedStep(upTo: place) { return step }
      script.second = nil
      return release(upTo: place)
    }
    return script.last
  }

  private mutating func release(upTo place: Int) -> Step {
    released = place
    return .release(upTo: place)
  }

  private mutating func keep(_ hold: Hold) -> Step {
    held += hold.duration ?? .zero
    switch hold.then {
    case .goOn: break
    case .close: script = Script(last: .finish)
    case .reset: script = Script(last: .reset)
    }
    return .hold(hold.duration)
  }

  /// Returns the next wait or piece of a paced delivery; nil if the rest may be sent at once, or there is no pace.
  private mutating func pacedStep(upTo place: Int) -> Step? {
    guard let pace, place > released else { return nil }
    let end = min(place, released + pace.chunk)
    if !hasWaited {
      hasWaited = true
      return .wait(until: held + pace.delay(untilByte: end - extent.start))
    }
    hasWaited = false
    guard end < place else { return nil }
    released = end
    return .release(upTo: end)
  }
}

extension Transmission.Step {
  fileprivate init(_ last: Ending.Last) {
    switch last {
    case .end: self = .end
    case .close: self = .finish
    case .reset: self = .reset
    }
  }
}

extension Plan {
  /// A silence that ends before the handler runs; it is part of the wait before the handler.
  var silenceBefore: Duration? {
    guard let ending, ending.first == .nothing, let hold = ending.hold, hold.then == .goOn, phase == .before else {
      return nil
    }
    return hold.duration
  }

  /// The delay before the handler runs.
  var waitBefore: Duration { ending?.isImmediate == true ? .zero : delayBefore + (silenceBefore ?? .zero) }

  /// The delay before the response's first byte. An offline sandbox has none, whatever else is planned.
  var waitAfter: Duration { ending?.isImmediate == true ? .zero : delayAfter }
}
