package import Contract
package import Faults
package import JSON

/// A handler's response, independent of the connection.
package struct Response: Sendable {
  package var status: Int
  package var representation: Representation?
  /// The fields that the operation adds, such as `Location`.
  package var fields: [ResponseField] = []
  /// True if the API's state has changed.
  package var changed = false
  /// True if the body is not the one that its entity tag identifies, so that the tag is not sent (RFC 9110 section
  /// 8.8.3).
  package var isAltered = false
  /// The reason for which the plan's fault could not be applied to this response; nil if it was, or if there is none.
  package var undeliverableReason: UndeliverableReason?
  private var details: Details?

  /// Returns an error; the responder renders it in the error shape of the API.
  package static func problem(_ problem: Problem) -> Response {
    var response = Response(problem.status)
    response.problem = problem
    return response
  }

  /// The content of the request, if the operation parsed it: its body, or its query as an object.
  package var content: JSONValue? {
    get { details?.contents.content }
    set { contents.content = newValue }
  }

  /// A remark for the journal, such as a booking that booked nothing.
  package var remark: String? {
    get { details?.contents.remark }
    set { contents.remark = newValue }
  }

  /// The change that the plan's fault made in the body, for people.
  package var bodyChange: String? {
    get { details?.contents.bodyChange }
    set { contents.bodyChange = newValue }
  }

  /// The problem to render in the error shape of the API.
  package var problem: Problem? {
    get { details?.contents.problem }
    set { contents.problem = newValue }
  }

  /// True if there is more to it than a status, fields and a representation.
  package var hasDetails: Bool { details != nil || isUndeliverable }

  /// The head of the backend's response that is sent on; nil for a response of this server.
  package var forwarded: ForwardedHead? {
    get { details?.contents.forwarded }
    set { contents.forwarded = newValue }
  }

  /// True if the head is that of a backend's response.
  package var isForwarded: Bool { details?.isForwarded == true }

  /// The result of asking the backend; nil if it was not asked.
  package var upstream: UpstreamOutcome? {
    get { details?.contents.upstream }
    set { contents.upstream = newValue }
  }

  /// True if it is unknown whether the backend carried the request out.
  package var leavesEffectUnknown: Bool { details?.contents.upstream?.leavesEffectUnknown == true }

  /// True if a problem is to be rendered.
  package var hasProblem: Bool { details?.hasProblem == true }

  /// True if the body is a stream.
  package var isStream: Bool { details?.isStream == true }

  /// The source of a streamed body; nil for other bodies.
  package var stream: (any ResponseStream)? {
    get { details?.contents.stream }
    set { contents.stream = newValue }
  }

  private var contents: Details.Contents {
    get { details?.contents ?? Details.Contents() }
    set { details = Details(newValue) }
  }

  /// The details that most responses do not have, stored separately, because responses are copied often.
  private final class Details: Sendable {
    struct Contents: Sendable {
      var content: JSONValue?
      var remark: String?
      var bodyChange: String?
      var problem: Problem?
      var stream: (any ResponseStream)?
      var forwarded: ForwardedHead?
      var upstream: UpstreamOutcome?
    }

    let contents: Contents
    /// True if there is one. These are asked of every response, and the contents would be copied for the answer.
    let hasProblem, isStream, isForwarded: Bool

    init(_ contents: Contents) {
      self.contents = contents
      hasProblem = contents.problem != nil
      isStream = contents.stream != nil
      isForwarded = contents.forwarded != nil
    }

    /// Creates the details of a write, without copies of contents that it does not have.
    init(content: JSONValue) {
      contents = Contents(content: content)
      (hasProblem, isStream, isForwarded) = (false, false, false)
    }
  }

  /// Returns the response with the effect of another one, in whose place it is sent.
  package func replacing(_ original: Response) -> Response {
    var response = self
    response.changed = original.changed
    if let upstream = original.upstream { response.upstream = upstream }
    return response
  }

  package var isUndeliverable: Bool { undeliverableReason != nil }

  /// Returns the response, marked as one to which the plan's fault could not be applied.
  package func undeliverable(_ reason: UndeliverableReason) -> Response {
    var response = self
    response.undeliverableReason = response.undeliverableReason ?? reason
    return response
  }
}

extension Response {
  // Both delegate to the memberwise initializer; one that sets variable members by itself copies the whole value.
  package init(
    _ status: Int, _ representation: Representation? = nil, fields: [ResponseField] = [], changed: Bool = false,
    remark: String? = nil
  ) {
    self.init(
      status: status, representation: representation, fields: fields, changed: changed,
      details: remark.map { Details(Details.Contents(remark: $0)) })
  }

  /// Creates the response of an operation that may have changed the state of its API.
  ///
  /// - Parameter content: The request's content.
  package init(_ status: Int, _ representation: Representation? = nil, changed: Bool, content: JSONValue?) {
    self.init(
      status: status, representation: representation, changed: changed,
      details: content.map { Details(content: $0) })
  }
}

/// A source of events, which the server continues for as long as the client reads them. No service has one: a service
/// returns one event.
package protocol ResponseStream: Sendable {}

/// A header field of a response.
package struct ResponseField: Sendable, Equatable {
  package let name: String
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
