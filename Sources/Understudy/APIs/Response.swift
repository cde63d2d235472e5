import Contract
import Faults

/// A handler's response, independent of the connection.
struct Response: Sendable {
  var status: Int
  var representation: Representation?
  /// The fields that the operation adds, such as `Location`.
  var fields: [ResponseField] = []
  /// True if the API's state has changed.
  var changed = false
  /// True if the body is not the one that its entity tag identifies, so that the tag is not sent (RFC 9110 section
  /// 8.8.3).
  var isAltered = false
  var coding = Coding.http
  /// The reason for which the plan's fault could not be applied to this response; nil if it was, or if there is none.
  var undeliverableReason: UndeliverableReason?
  private var details: Details?

  init(
    _ status: Int, _ representation: Representation? = nil, fields: [ResponseField] = [], changed: Bool = false,
    remark: String? = nil
  ) {
    self.status = status
    self.representation = representation
    self.fields = fields
    self.changed = changed
    if let remark { self.remark = remark }
  }

  /// Creates the response of an operation that may have changed the state of its API.
  init(_ status: Int, _ representation: Representation? = nil, change: Delta?) {
    self.init(status, representation, changed: change != nil)
    if let change { self.change = change }
  }

  /// The form in which the message is written.
  enum Coding {
    /// Head and body, as HTTP requires.
    case http
    /// The representation is in a chunked coding already, as a fault made it.
    case chunked
    /// The representation's bytes alone, which are not an HTTP message.
    case bare
  }

  /// A placeholder for a response that is computed off the loop.
  static let pending = Response(0)

  /// Returns an error; the responder renders it in the error shape of the API.
  static func problem(_ problem: Problem) -> Response {
    var response = Response(problem.status)
    response.problem = problem
    return response
  }

  /// The change of the API's state, if an API changed it.
  var change: Delta? {
    get { details?.contents.change }
    set { contents.change = newValue }
  }

  /// A remark for the journal, such as a booking that booked nothing.
  var remark: String? {
    get { details?.contents.remark }
    set { contents.remark = newValue }
  }

  /// The problem to render in the error shape of the API.
  var problem: Problem? {
    get { details?.contents.problem }
    set { contents.problem = newValue }
  }

  /// The source of a streamed body; nil for other bodies.
  var follower: Follower? {
    get { details?.contents.follower }
    set { contents.follower = newValue }
  }

  private var contents: Details.Contents {
    get { details?.contents ?? Details.Contents() }
    set { details = Details(newValue) }
  }

  /// The details that most responses do not have, stored separately, because responses are copied often.
  private final class Details: Sendable {
    struct Contents: Sendable {
      var change: Delta?
      var remark: String?
      var problem: Problem?
      var follower: Follower?
    }

    let contents: Contents

    init(_ contents: Contents) { self.contents = contents }
  }

  var isUndeliverable: Bool { undeliverableReason != nil }

  /// Returns the response, marked as one to which the plan's fault could not be applied.
  func undeliverable(_ reason: UndeliverableReason) -> Response {
    var response = self
    response.undeliverableReason = response.undeliverableReason ?? reason
    return response
  }
}

/// A header field of a response.
struct ResponseField: Sendable, Equatable {
  let name: String
  let value: String

  init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
