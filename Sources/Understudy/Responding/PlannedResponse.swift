import Contract
import Faults
import HTTP1
import JSON
import Primitives
import Services

/// The first interpreter of a plan: the content of the message.
///
/// It turns the API's response into the planned one. Bytes and time are the task of the second interpreter.
struct PlannedResponse {
  let plan: Plan

  /// True if the handler must act on a copy of the state that is discarded: the fault precedes the change. A response that
  /// still says what was done is sent only after that was done.
  var actsOnCopy: Bool {
    plan.withholdsResponse && plan.phase == .before && plan.versionsAgo == 0 && plan.damage?.isTruthful != true
  }

  /// Returns the response that replaces the API's, if the plan has one.
  func substitute(at now: Instant) -> Response? {
    guard let status = plan.status else { return nil }
    var response: Response
    if let body = status.body {
      response = Response(status.status, Representation(body))
    } else if status.status < 400 {
      // A client must not take it for the API's own success.
      let about = "Understudy injected this response in place of the API's."
      let hasContent = status.status >= 200 && ![204, 205, 304].contains(status.status)
      response =
        hasContent ? Response(status.status, Representation(["injected": .string(about)])) : Response(status.status)
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

  /// Returns the reason for which the fault cannot be applied to a response, as far as its content does not matter.
  func obstacle(to response: Response, of request: borrowing Request) -> UndeliverableReason? {
    let hasBody = MessageWriter.Context(isHead: request.knownMethod == .head).hasBody(response)
    return plan.obstacle(
      bodyBytes: hasBody ? response.representation?.bytes.count ?? 0 : 0, hasChunks: request.version == .http11,
      isStream: response.isStream)
  }

  /// Returns true if `damaged` must be computed off the loop. A write's response is damaged at once, because the write
  /// is done.
  func isLongToDamage(_ response: Response) -> Bool {
    guard !response.changed, let bytes = response.representation?.bytes.count, bytes > Call.maximumShortBody else {
      return false
    }
    return plan.changesBytes
  }

  /// Returns the response with the plan's fault; nil if the fault cannot be applied.
  func damaged(_ response: Response) -> Response? {
    if let coding = plan.coding { return coded(response, coding) }
    guard plan.damage?.changesContent == true else { return response }
    let original = response.representation
    let format = original.map { BodyFault.Content.Format($0.mediaType) } ?? .other
    let content = BodyFault.Content(original?.bytes ?? [], format)
    // Only data can be called a page without harm: other content of a backend may be one.
    if response.forwarded != nil, plan.damage == .wrongType, content.format != .json { return nil }
    guard let changed = plan.changed(content) else { return nil }
    let mediaType = changed.format == content.format ? original?.mediaType ?? .text : MediaType(changed.format)
    guard !changed.isOtherMessage else {
      return Response(200, Representation(changed.bytes, mediaType)).replacing(response)
    }
    guard let original else { return nil }
    var response = response
    response.isAltered = changed.tag == .ofOriginal
    if let change = changed.change { response.bodyChange = change }
    response.representation =
      response.isAltered
      ? Representation(changed.bytes, mediaType, tag: original.tag) : Representation(changed.bytes, mediaType)
    let tag = response.isAltered ? nil : response.representation?.tag
    response.forwarded?.adapt(tag: tag, mediaType: changed.format == content.format ? nil : mediaType)
    return response
  }

  private func coded(_ response: Response, _ coding: Plan.Coding) -> Response? {
    var response = response
    switch coding {
    case .garbage(let bytes):
      response.representation = Representation(bytes, .text)
      response.isAltered = true
    case .brokenChunks(let chunks):
      guard let body = response.representation else { return nil }
      response.representation = Representation(chunks(body.bytes), body.mediaType, tag: body.tag, isChunked: true)
    }
    return response
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
