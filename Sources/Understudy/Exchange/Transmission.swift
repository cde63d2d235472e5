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

  private enum Task: Sendable {
    case release(upTo: Int)
    case hold(Hold)
    case end, finish, reset
  }

  let extent: MessageWriter.Extent
  private let pace: Pace?
  private var tasks: ArraySlice<Task>
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
    if isDeliverable, let tasks = Self.tasks(plan, extent) {
      self.tasks = tasks[...]
      self.isDeliverable = true
    } else {
      tasks = [.release(upTo: extent.end), .end]
      self.isDeliverable = false
    }
  }

  private static func tasks(_ plan: Plan, _ extent: MessageWriter.Extent) -> [Task]? {
    let whole = Task.release(upTo: extent.end)
    if plan.silenceBefore != nil { return [whole, .end] }
    switch plan.ending {
    case nil: return [whole, .end]
    case .reset: return [.release(upTo: extent.fields), .reset]
    case .resetBare, .offline: return [.reset]
    case .empty: return [.finish]
    case .hang(let hold): return [.hold(hold), whole, .end]
    case .badChunk, .garbage: return [whole, .finish]
    case .truncate(let at):
      return at.offset(in: extent.end - extent.body).map { [.release(upTo: extent.body + $0), .finish] }
    case .stall(let at, let hold):
      return at.offset(in: extent.end - extent.body).map {
        [.release(upTo: extent.body + $0), .hold(hold), whole, .end]
      }
    }
  }

  mutating func next() -> Step {
    guard let task = tasks.first else { return .end }
    switch task {
    case .release(let place):
      if let step = pacedStep(upTo: place) { return step }
      tasks = tasks.dropFirst()
      released = place
      return .release(upTo: place)
    case .hold(let hold):
      held += hold.duration ?? .zero
      switch hold.then {
      case .goOn: tasks = tasks.dropFirst()
      case .close: tasks = [.finish]
      case .reset: tasks = [.reset]
      }
      return .hold(hold.duration)
    case .end: return .end
    case .finish: return .finish
    case .reset: return .reset
    }
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

extension Plan {
  /// A silence that is over before the state is touched, and so is waited for rather than transmitted.
  var silenceBefore: Duration? {
    guard case .hang(let hold) = ending, hold.then == .goOn, phase == .before else { return nil }
    return hold.duration
  }

  /// What passes before the state is touched.
  var waitBefore: Duration { ending == .offline ? .zero : delayBefore + (silenceBefore ?? .zero) }

  /// What passes before the reply's first byte. Who is out of reach is so at once, whatever else was planned.
  var waitAfter: Duration { ending == .offline ? .zero : delayAfter }
}
