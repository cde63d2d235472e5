import Contract
import HTTP1
import JSON
import Primitives
import Services

/// The answer of an upstream as it arrives: it is passed on in pieces, or held whole where a fault of the plan strikes in its
/// content or after its end.
struct UpstreamAnswer {
  /// The consequence of an event.
  enum Step {
    /// More must arrive.
    case wait
    /// The whole answer, or the reason for which there is none.
    case answer(Response)
    /// The head of an answer whose content is passed on, with its first bytes.
    case begin(Response, [UInt8])
    /// The next bytes of content that is passed on.
    case pass([UInt8])
    /// The end of content that is passed on.
    case finish(ContentPipe.End)
  }

  /// A reason for which no connection can be made.
  enum Obstacle {
    /// The backend's machine, or a network on the way, refused it for this reason.
    case refused(String)
    /// The name of the host has no address.
    case nameless
    /// The address of the host was not found in time.
    case unresolved
    /// The address of the host could not be searched for, because of this error.
    case notSearched(String)
    /// This server has no descriptor left for a socket.
    case noDescriptor

    var reason: String {
      switch self {
      case .refused(let reason): reason
      case .nameless: "its name does not resolve to an address"
      case .unresolved: "its name was not resolved in time"
      case .notSearched(let error): "this server cannot resolve its name: \(error)"
      case .noDescriptor: "all descriptors of this server are in use"
      }
    }

    /// The advice to the operator, as the end of a sentence.
    var advice: String {
      switch self {
      case .refused: "is the backend running?"
      case .nameless, .unresolved: "is the name right, and does the backend run?"
      case .notSearched: "raise the limit on threads (ulimit -u)"
      case .noDescriptor: "close connections, or raise the limit (ulimit -n)"
      }
    }
  }

  /// The question to which it is the answer.
  private let question: Question.Forwarding
  /// The maximum number of bytes of content to hold.
  let limit: Int
  /// The upstream, for the sentences of problems.
  let name: String
  let timeout: NanosecondDuration
  /// The reason for which the last attempt to connect failed; nil if there was none, as when time ran out.
  var obstacle: Obstacle?
  private var head: ReceivedHead?
  private var content: [UInt8] = []
  /// The number of bytes of content so far.
  private var contentCount = 0
  /// True if the content is counted only.
  private var isContentDropped = false
  /// True if the content is passed on.
  private(set) var isPassedOn = false
  /// The kind of content that is passed on.
  private(set) var kind = ContentFollower.Kind.finite
  /// The time since the question after which held content counts as endless; nil while no content is held.
  private(set) var holdLimit: NanosecondDuration?

  init(_ question: Question.Forwarding, limit: Int, name: String, timeout: NanosecondDuration) {
    self.question = question
    self.limit = limit
    self.name = name
    self.timeout = timeout
  }

  /// - Parameter elapsed: The time since the question.
  mutating func receive(_ action: ClientConnection.Action, after elapsed: NanosecondDuration) -> Step {
    switch action {
    case .resolve, .connect: return .wait
    case .head(let head):
      self.head = head
      let isLong = if case .length(let length) = head.content { length > limit } else { false }
      kind = isTunnel ? .endless : Self.kind(of: head)
      if isLong || kind != .finite { return begin(head, after: elapsed) }
      // Chunks are passed on as chunks.
      if !question.holdsAnswer, head.content == .chunked { return begin(head, after: elapsed) }
      holdLimit = elapsed + timeout
      return .wait
    case .content(let bytes) where isPassedOn: return .pass(bytes)
    case .content(let bytes):
      contentCount += bytes.count
      if !isContentDropped { content += bytes }
      guard contentCount > limit, let head else { return .wait }
      return begin(head, after: elapsed)
    case .end where isPassedOn: return .finish(.complete)
    case .end:
      guard let head else { preconditionFailure("an answer has a head") }
      return .answer(whole(head, after: elapsed))
    case .fail(let failure) where isPassedOn: return .finish(.cut(.init(failure)))
    case .fail(let failure): return .answer(failed(failure, after: elapsed))
    }
  }

  /// Returns the step after all that has arrived together: the answer begins, unless it has to be held. A short one is
  /// complete by then.
  mutating func passOn(after elapsed: NanosecondDuration) -> Step {
    guard let head, !isPassedOn, !question.holdsAnswer else { return .wait }
    return begin(head, after: elapsed)
  }

  /// Gives up holding an answer that goes on for too long: it counts as endless.
  mutating func giveUpHolding(after elapsed: NanosecondDuration) -> Step {
    guard let head, !isPassedOn else { return .wait }
    kind = .endless
    return begin(head, after: elapsed)
  }

  /// True if both ends speak another protocol after the head.
  var isTunnel: Bool { head?.status == 101 }

  /// Returns the response to a question that the backend was not asked to its end, because the client has left.
  func abandoned(after elapsed: NanosecondDuration) -> Response {
    var response = Response(400)
    response.upstream = UpstreamOutcome(
      status: nil, failure: nil, effect: .unknown, duration: elapsed)
    return response
  }

  /// The number of bytes of content that are stored.
  var storedBytes: Int { content.count }

  /// Stores no content any more.
  mutating func dropContent() {
    isContentDropped = true
    content = []
  }

  /// The announced length of content that is passed on; nil if it has none.
  var passedLength: Int? {
    guard isPassedOn, case .length(let length)? = head?.content else { return nil }
    return length
  }

  private mutating func begin(_ head: ReceivedHead, after elapsed: NanosecondDuration) -> Step {
    isPassedOn = true
    holdLimit = nil
    defer { content = [] }
    var response = response(head, nil, after: elapsed)
    if let passedLength { response.forwarded?.announcedLength = Array(String(passedLength).utf8) }
    return .begin(response, content)
  }

  private mutating func whole(_ head: ReceivedHead, after elapsed: NanosecondDuration) -> Response {
    let hasContent = head.content != .none
    return response(head, hasContent ? content : nil, after: elapsed)
  }

  private func response(
    _ head: ReceivedHead, _ content: [UInt8]?, after elapsed: NanosecondDuration
  ) -> Response {
    let forwarded = ForwardedHead(head, question.origins)
    let effect = UpstreamOutcome.Effect(
      status: head.status, isDeclared: question.isDeclared,
      asksForRetry: forwarded.has("retry-after"))
    var response = Response(
      head.status, content.map { Representation($0, forwarded.mediaType, tag: forwarded.tag) },
      changed: question.isWrite && effect == .applied)
    response.forwarded = forwarded
    response.upstream = UpstreamOutcome(
      status: head.status, failure: nil, effect: effect, duration: elapsed)
    return response
  }

  /// Returns the response to a question that has no answer.
  func failed(_ failure: ClientConnection.Failure, after elapsed: NanosecondDuration) -> Response {
    var response = Response.problem(problem(failure).ofServer)
    response.upstream = UpstreamOutcome(status: head?.status, failure: .init(failure), duration: elapsed)
    return response
  }

  private func problem(_ failure: ClientConnection.Failure) -> Problem {
    switch failure {
    case .unreachable:
      Problem(
        502, "upstream-unreachable", "The backend cannot be reached",
        "No connection to \(name) could be made\(obstacle.map { " (\($0.reason))" } ?? ""); "
          + (obstacle?.advice ?? "is the backend running?"))
    case .timeout:
      Problem(
        504, "upstream-timeout", "The backend did not respond in time",
        "Nothing arrived from \(name) within \(DurationText.text(timeout.duration)), the time of --upstream-timeout.")
    case .malformed(let error):
      Problem(
        502, "upstream-malformed", "The backend's response is not valid HTTP",
        "The response of \(name) cannot be passed on: \(error.reason)")
    }
  }

  /// Returns the kind of content that a head announces by its type.
  private static func kind(of head: ReceivedHead) -> ContentFollower.Kind {
    guard head.content != .none, let type = head["content-type"]?.lowercased() else {
      return .finite
    }
    if type.hasPrefix("text/event-stream") { return .events }
    return endlessTypes.contains { type.hasPrefix($0) } ? .endless : .finite
  }

  private static let endlessTypes = [
    "multipart/x-mixed-replace", "application/x-ndjson", "application/ndjson", "application/jsonl",
    "application/json-seq", "application/stream+json",
  ]
}
