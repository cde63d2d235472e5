import Contract
import Services

/// The outcome of performing an exchange, or one of its steps: a response, or work with the step that follows from its
/// result.
///
/// A step that comes to work has changed nothing; its changes are all made by the step that returns the response.
enum Performance {
  case response(Response)
  case work(Work)
}

/// Work that an exchange waits for, with the step that follows from its result.
struct Work {
  let task: Task
  let next: Next

  enum Task {
    /// A function of values that another thread computes. It has no effect, so its result is dropped if the client has left.
    case job(Job)
    /// A question that is answered later. It may have an effect, so it goes on if the client has left.
    ///
    /// Stored apart, because the results of all steps would be as large.
    indirect case question(Question, to: any Respondent)
  }

  /// A step of an exchange.
  typealias Step = (inout Exchange, Application, ClockReading) -> Performance
  /// The step that follows from a result.
  typealias Next = (any Sendable, inout Exchange, Application, ClockReading) -> Performance
}

/// A function that an exchange waits for.
struct Job {
  let place: Place
  /// Returns the rendering that the job would make now; nil if its result serves no other exchange.
  let rendering: () -> RenderingKey?
  /// Makes the function from the state at the time at which the job begins, on the loop's thread. A job that waits holds no
  /// copy of the state, which may be as large as its result.
  let prepare: () -> @Sendable () -> any Sendable

  /// The thread that computes a job.
  enum Place: Sendable {
    /// The loop's own: a bound keeps the job to a few milliseconds.
    case loop
    /// A worker, for whose time jobs wait.
    case worker
  }
}

/// The identity of a rendering. Equal renderings that are wanted at the same time are made once.
struct RenderingKey: Hashable, Sendable {
  /// The sandbox; nil if the rendering does not depend on one.
  let sandbox: ObjectIdentifier?
  /// The version of the state, or the number of the last change of the journal.
  let version: Int
  /// The operation, its arguments and all else on which the bytes depend.
  let content: [String]
}

extension Work {
  var isQuestion: Bool { if case .question = task { true } else { false } }

  /// The number of bytes of the message that a backend is asked, which is stored besides the request.
  var messageBytes: Int {
    if case .question(let question, _) = task { question.forwarding?.message.count ?? 0 } else { 0 }
  }

  /// Returns the work, followed by a further step.
  func then(
    _ step: @escaping (Response, inout Exchange, Application, ClockReading) -> Performance
  ) -> Work {
    Work(task: task) { [next] result, exchange, application, now in
      switch next(result, &exchange, application, now) {
      case .response(let response): step(response, &exchange, application, now)
      case .work(let work): .work(work.then(step))
      }
    }
  }

  /// Returns the work, with its next step inside of a further one.
  func within(
    _ outer: @escaping (inout Exchange, Application, ClockReading, Step) -> Performance
  ) -> Work {
    Work(task: task) { [next] result, exchange, application, now in
      outer(&exchange, application, now) { next(result, &$0, $1, $2) }
    }
  }
}

extension Performance {
  /// True if it is a response that no further step has to render.
  var isRendered: Bool {
    switch self {
    case .response(let response): !response.hasProblem
    case .work: false
    }
  }

  /// Returns what follows from its response by a further step: at once, or after its work.
  func then(
    _ step: @escaping (Response, inout Exchange, Application, ClockReading) -> Performance,
    for exchange: inout Exchange, _ application: Application, at now: ClockReading
  ) -> Performance {
    switch self {
    case .response(let response): step(response, &exchange, application, now)
    case .work(let work): .work(work.then(step))
    }
  }

  /// Returns a job with the step that follows from its result.
  ///
  /// - Parameter prepare: Makes the function when the job begins.
  static func job<Value: Sendable>(
    _ place: Job.Place, as rendering: @escaping @autoclosure () -> RenderingKey? = nil,
    _ prepare: @escaping () -> @Sendable () -> Value,
    then next: @escaping (Value, inout Exchange, Application, ClockReading) -> Performance
  ) -> Performance {
    let job = Job(place: place, rendering: rendering) {
      let body = prepare()
      return { body() }
    }
    return .work(
      Work(task: .job(job)) { result, exchange, application, now in
        guard let value = result as? Value else { preconditionFailure("a job has the result of its own function") }
        return next(value, &exchange, application, now)
      })
  }

  /// Returns a job that renders a response.
  static func rendering(
    _ place: Job.Place, as rendering: @escaping @autoclosure () -> RenderingKey? = nil,
    _ prepare: @escaping () -> @Sendable () -> Response
  ) -> Performance {
    job(place, as: rendering(), prepare) { response, _, _, _ in .response(response) }
  }

  /// Returns a job whose result is valid for one version of a state only. If the state has changed, it is computed again;
  /// at last on the loop, because otherwise a state that changes again and again would delay the exchange forever.
  static func evaluation<Value: Sendable>(
    _ place: Job.Place, attempt: Int = 0, at version: @escaping () -> Int,
    _ prepare: @escaping () -> @Sendable () -> Value,
    then next: @escaping (Value, inout Exchange, Application, ClockReading) -> Performance
  ) -> Performance {
    evaluation(place, at: version, prepare) { exchange, application, now in
      guard attempt + 1 < maximumEvaluations else { return next(prepare()(), &exchange, application, now) }
      return evaluation(place, attempt: attempt + 1, at: version, prepare, then: next)
    } then: { value, exchange, application, now in
      next(value, &exchange, application, now)
    }
  }

  /// Returns a job whose result is valid for one version of a state only.
  ///
  /// - Parameter again: The step to take if the state has changed.
  static func evaluation<Value: Sendable>(
    _ place: Job.Place, at version: @escaping () -> Int, _ prepare: @escaping () -> @Sendable () -> Value,
    again: @escaping Work.Step, then next: @escaping (Value, inout Exchange, Application, ClockReading) -> Performance
  ) -> Performance {
    job(place) {
      let (current, body) = (version(), prepare())
      return { Versioned(version: current, value: body()) }
    } then: { (result: Versioned<Value>, exchange, application, now) in
      result.version == version()
        ? next(result.value, &exchange, application, now) : again(&exchange, application, now)
    }
  }

  /// The number of times that a value is computed elsewhere before it is computed on the loop.
  static let maximumEvaluations = 4

  private struct Versioned<Value: Sendable>: Sendable {
    let version: Int
    let value: Value
  }

  /// Creates the outcome of a body; a problem is a response.
  init(_ body: () throws(Problem) -> Performance) {
    do throws(Problem) { self = try body() } catch { self = .response(.problem(error)) }
  }
}

extension RenderingKey {
  init(_ content: String..., of sandbox: Sandbox? = nil, version: Int = 0) {
    self.init(content, of: sandbox, version: version)
  }

  init(_ content: [String], of sandbox: Sandbox?, version: Int) {
    self.init(sandbox: sandbox.map { ObjectIdentifier($0) }, version: version, content: content)
  }
}
