/// One of the backends that Understudy stands in for, as a value: its operations and their responses.
///
/// The router, the OpenAPI document, the client and the conformance suite all read this declaration.
package struct API: Sendable {
  /// The label that selects the API, as in `/@booking/rooms` and `booking.localhost`.
  package let name: String
  package let title: String
  package let about: String
  /// The host names of the real service; in a `Host` field they select this API, too.
  package let hosts: [String]
  /// The form of this API's error bodies.
  package let errors: ErrorShape
  package let operations: [Operation]
  /// The schema of its data file and of its part of `/_mock/state`.
  package let data: Schema

  package init(
    name: String, title: String, about: String, hosts: [String] = [], errors: ErrorShape = .problem,
    operations: [Operation], data: Schema
  ) {
    self.name = name
    self.title = title
    self.about = about
    self.hosts = hosts
    self.errors = errors
    self.operations = operations
    self.data = data
  }

  /// The body of a response with an error status.
  package enum ErrorShape: Sendable, CaseIterable {
    /// `application/problem+json` (RFC 9457).
    case problem
    /// A problem with an additional `message` of the same text, which older clients read.
    case problemWithMessage
    /// A problem after `"success": false`, for clients that read only this member.
    case unsuccessfulProblem
    /// `{}` for every error.
    case emptyObject
  }
}
