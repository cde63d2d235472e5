/// One of the backends that Understudy stands in for, as a value: what can be asked of it and what it answers.
///
/// The router, the document, the client and the conformance suite all read this one declaration.
package struct API: Sendable {
  /// The label that selects it, as in `/@booking/rooms` and `booking.localhost`.
  package let name: String
  package let title: String
  package let about: String
  /// The host names of the real service; in a `Host` field they select this API too.
  package let hosts: [String]
  /// How this API words an error.
  package let errors: ErrorShape
  package let operations: [Operation]
  /// What its data file, and its part of `/_mock/state`, must look like.
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

  /// The body that comes with an error status.
  package enum ErrorShape: Sendable, CaseIterable {
    /// `application/problem+json` (RFC 9457).
    case problem
    /// The same, and a `message` that says it once more: older clients read that name.
    case problemWithMessage
    /// The same after `"success": false`, for clients that look at nothing else.
    case unsuccessfulProblem
    /// `{}`, whatever went wrong.
    case emptyObject
  }
}
