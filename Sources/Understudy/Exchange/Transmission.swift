import Faults

/// The second interpreter of a plan: which bytes of a message go out when, and how it ends.
///
/// It is a machine that is asked for one step after the other, and neither writes nor waits itself.
struct Transmission: Sendable {
  enum Step: Sendable, Equatable {
    /// Let the socket have the bytes up to this place of the output.
    case release(upTo: Int)
    /// Go on when so much time has passed since the first step.
    case wait(until: Duration)
    /// Send nothing, for so long or until the peer gives up.
    case hold(Duration?)
    /// The message is out.
    case end
    /// Close with FIN although the message is not whole.
    case finish
    case reset
  }

  /// Everything there is to do: some of the message, a silence, more of the message, the end.
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
  /// Whether the pace's wait for the next piece has been said.
  private var hasWaited = false
  /// How long nothing was sent on purpose: a pace goes on from where it stood.
  private var held: Duration = .zero

  /// False where the message gives the plan's ending nothing to bite: then the message goes out whole.
  let isDeliverable: Bool

  /// - Parameter isDeliverable: Whether the message could be made as the plan wants it.
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

  /// The next wait or piece of a paced release; nil when what is left may go at once, or nothing is paced.
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
  /// A silence that is over before the state is touched, and so is waited for rather than transmitted.
  var silenceBefore: Duration? {
    guard let ending, ending.first == .nothing, let hold = ending.hold, hold.then == .goOn, phase == .before else {
      return nil
    }
    return hold.duration
  }

  /// What passes before the state is touched.
  var waitBefore: Duration { ending?.isImmediate == true ? .zero : delayBefore + (silenceBefore ?? .zero) }

  /// What passes before the reply's first byte. Who is out of reach is so at once, whatever else was planned.
  var waitAfter: Duration { ending?.isImmediate == true ? .zero : delayAfter }
}
