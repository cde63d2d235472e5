import Contract
import Faults
import HTTP1
import JSON
import Primitives

/// The first interpreter of a plan: the content of the message.
///
/// It turns the API's response into the planned one. Bytes and time are the task of the second interpreter.
struct PlannedResponse {
  let plan: Plan

  /// True if the handler must act on a copy of the state that is discarded: the fault precedes the change.
  var actsOnCopy: Bool { changesContent && plan.phase == .before && plan.damage?.isStale != true }

  /// True if the client does not get the API's response, so that caches must not store it.
  var changesContent: Bool {
    switch plan.fault?.action {
    case nil: false
    case .status, .damage: true
    // A silence that ends with the complete response only delays it.
    case .ending(let ending): ending.isFinal
    }
  }

  /// Returns the response that replaces the API's, if the plan has one.
  func substitute(at now: Instant) -> Response? {
    guard let status = plan.status else { return nil }
    var response: Response
    if let body = status.body {
      response = Response(status.status, Representation(body))
    } else if status.status < 400 {
      response = Response(status.status)
    } else {
      response = .problem(Problem.injected(status.status).ofServer)
      response.problem?.type = status.problemType
      response.problem?.violatedPolicies = status.violatedPolicies
    }
    if let wait = status.retryAfter {
      let seconds = wait.roundedUpSeconds
      // The date follows the response's `Date`, and both have whole seconds, so up to one second is lost.
      let moment = now + .seconds(seconds)
      response.fields.append(
        ResponseField("Retry-After", status.isRetryAfterDate ? HTTPDate.text(moment) : String(seconds)))
    }
    return response
  }

  /// Returns true if the fault can be applied to a response.
  func canDamage(_ response: Response, of request: Request) -> Bool {
    guard let action = plan.fault?.action else { return true }
    let hasBody = MessageWriter.Context(isHead: request.knownMethod == .head).hasBody(response)
    return action.isDeliverable(
      bodyBytes: hasBody ? response.representation?.bytes.count ?? 0 : 0,
      isChunkable: hasBody && request.version == .http11)
  }

  /// Returns true if `damaged` must be computed off the loop. A write's response is damaged at once, because the write
  /// is done.
  func isLongToDamage(_ response: Response) -> Bool {
    guard !response.changed, let bytes = response.representation?.bytes.count, bytes > Call.maximumShortBody else {
      return false
    }
    return plan.damage?.changesContent == true
  }

  /// Returns the response with the plan's fault; nil if the fault cannot be applied.
  func damaged(_ response: Response) -> Response? {
    guard let fault = plan.fault, let damage = plan.damage, damage.changesContent else { return response }
    let original = response.representation
    let format = original.map { BodyFault.Content.Format($0.mediaType) } ?? .other
    let content = BodyFault.Content(original?.bytes ?? [], format)
    guard let changed = damage.changed(content, draw: fault.draw) else { return nil }
    let mediaType = changed.format == content.format ? original?.mediaType ?? .text : MediaType(changed.format)
    guard !changed.isOtherMessage else { return Response(200, Representation(changed.bytes, mediaType)) }
    guard let original else { return nil }
    var response = response
    response.isAltered = changed.tag == .ofOriginal
    response.representation =
      response.isAltered
      ? Representation(changed.bytes, mediaType, tag: original.tag) : Representation(changed.bytes, mediaType)
    return response
  }

  /// Returns the fields that report the plan.
  ///
  /// - Parameters:
  ///   - measured: The measured delay of the response.
  ///   - exchange: The exchange, for its preferences in `Prefer`.
  func fields(measured: Duration, of exchange: borrowing Exchange) -> [ResponseField] {
    var fields: [ResponseField] = []
    if let value = plan.rateLimitField { fields.append(ResponseField("RateLimit", value)) }
    if let value = plan.rateLimitPolicyField { fields.append(ResponseField("RateLimit-Policy", value)) }
    if let applied = exchange.preference?.applied {
      fields.append(ResponseField("Preference-Applied", applied))
    }
    if plan.delay > .zero {
      let timing = "plan;dur=\(Self.milliseconds(plan.delay)), actual;dur=\(Self.milliseconds(measured))"
      fields.append(ResponseField("Server-Timing", timing))
    }
    let words = [plan.description, exchange.preference?.notUnderstood.map { "not understood: \($0)" } ?? ""]
      .filter { !$0.isEmpty }
    if !words.isEmpty { fields.append(ResponseField("Understudy-Fault", words.joined(separator: "; "))) }
    return fields
  }

  private static func milliseconds(_ duration: Duration) -> String {
    let microseconds = duration.nanoseconds / 1_000
    return "\(microseconds / 1_000).\(Timestamp.padded(Int(microseconds % 1_000), 3))"
  }
}

extension BodyFault.Content.Format {
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
  fileprivate init(_ format: BodyFault.Content.Format) {
    switch format {
    case .json: self = .json
    case .html: self = .html
    case .image: self = .png
    case .other: self = .text
    }
  }
}
