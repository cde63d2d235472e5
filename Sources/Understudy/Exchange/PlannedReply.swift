import Contract
import Faults
import HTTP1
import JSON

/// The first interpreter of a plan: what the message says.
///
/// It turns the reply that the API would give into the one that the plan asks for. Bytes and time are none of its business.
struct PlannedReply {
  let plan: Plan

  /// Whether the handler is to act on a copy of the state that is thrown away: the fault hits before anything is done.
  var actsOnCopy: Bool { changesContent && plan.phase == .before && plan.damage?.isStale != true }

  /// True if what reaches the client is not what the API answers, so that no cache may keep it for the next one.
  var changesContent: Bool {
    switch plan.fault?.fate {
    case nil: false
    case .status, .damage: true
    // What goes on in the end is a reply like any other, only late.
    case .ending(let ending): ending.isFinal
    }
  }

  /// The reply that takes the place of the API's, when the plan has one.
  func substitute(at now: Instant) -> Reply? {
    guard let status = plan.status else { return nil }
    var reply: Reply
    if let body = status.body {
      reply = Reply(status.status, Representation(body))
    } else if status.status < 400 {
      reply = Reply(status.status)
    } else {
      reply = .problem(Problem.injected(status.status).ofServer)
      reply.problem?.type = status.problemType
      reply.problem?.violatedPolicies = status.violatedPolicies
    }
    if let wait = status.retryAfter {
      let seconds = wait.roundedUpSeconds
      // A date is so long after the reply's `Date`, which has no parts of seconds either: up to one is given away.
      let moment = now + .seconds(seconds)
      reply.fields.append(
        ReplyField("Retry-After", status.isRetryAfterDate ? HTTPDate.text(moment) : String(seconds)))
    }
    return reply
  }

  /// Whether there is something in a reply that the fault can harm.
  func canHarm(_ reply: Reply, of request: Request) -> Bool {
    guard let fate = plan.fault?.fate else { return true }
    let hasBody = MessageWriter.Context(isHead: request.knownMethod == .head).hasBody(reply)
    return fate.isDeliverable(
      bodyBytes: hasBody ? reply.representation?.bytes.count ?? 0 : 0,
      isChunkable: hasBody && request.version == .http11)
  }

  /// True if `damaged` is to be worked out off the loop. A write's reply is damaged at once, for the write is done.
  func isLongToDamage(_ reply: Reply) -> Bool {
    guard !reply.changed, let bytes = reply.representation?.bytes.count, bytes > Call.maximumShortBody else {
      return false
    }
    return plan.damage?.changesContent == true
  }

  /// The reply with the harm that the plan does to it; nil where there is nothing that it could harm.
  func damaged(_ reply: Reply) -> Reply? {
    guard let fault = plan.fault, let damage = plan.damage, damage.changesContent else { return reply }
    let sound = reply.representation
    let content = Damage.Content(sound?.bytes ?? [], sound.map { Damage.Content.Format($0.mediaType) } ?? .other)
    guard let harmed = damage.changed(content, draw: fault.draw) else { return nil }
    let mediaType = harmed.format == content.format ? sound?.mediaType ?? .text : MediaType(harmed.format)
    guard !harmed.isOtherMessage else { return Reply(200, Representation(harmed.bytes, mediaType)) }
    guard let sound else { return nil }
    var reply = reply
    reply.isAltered = harmed.tag == .ofSound
    reply.representation =
      reply.isAltered
      ? Representation(harmed.bytes, mediaType, tag: sound.tag) : Representation(harmed.bytes, mediaType)
    return reply
  }

  /// The fields that tell what was planned.
  ///
  /// - Parameters:
  ///   - actual: How long the reply was held back.
  ///   - exchange: The exchange, for what it asked for by `Prefer`.
  func fields(actual: Duration, of exchange: borrowing Exchange) -> [ReplyField] {
    var fields: [ReplyField] = []
    if let value = plan.rateLimitField { fields.append(ReplyField("RateLimit", value)) }
    if let value = plan.rateLimitPolicyField { fields.append(ReplyField("RateLimit-Policy", value)) }
    if let applied = exchange.preference?.applied {
      fields.append(ReplyField("Preference-Applied", applied))
    }
    if plan.delay > .zero {
      let timing = "plan;dur=\(Self.milliseconds(plan.delay)), actual;dur=\(Self.milliseconds(actual))"
      fields.append(ReplyField("Server-Timing", timing))
    }
    let words = [plan.words, exchange.preference?.notUnderstood.map { "not understood: \($0)" } ?? ""]
      .filter { !$0.isEmpty }
    if !words.isEmpty { fields.append(ReplyField("Understudy-Fault", words.joined(separator: "; "))) }
    return fields
  }

  private static func milliseconds(_ duration: Duration) -> String {
    let microseconds = duration.nanoseconds / 1_000
    return "\(microseconds / 1_000).\(Timestamp.padded(Int(microseconds % 1_000), 3))"
  }
}

extension Damage.Content.Format {
  fileprivate init(_ mediaType: MediaType) {
    switch mediaType {
    case .json, .bareJSON, .problem: self = .json
    case .html: self = .html
    case .png: self = .image
    default: self = .other
    }
  }
}

extension MediaType {
  fileprivate init(_ format: Damage.Content.Format) {
    switch format {
    case .json: self = .json
    case .html: self = .html
    case .image: self = .png
    case .other: self = .text
    }
  }
}
