package import JSON
import Primitives

/// The declaration of one API that Understudy serves: its operations, their responses and its data.
///
/// The router, the OpenAPI document, the client and the conformance suite all read this declaration.
package struct API: Sendable {
  /// The label that selects the API, as in `/@booking/rooms` and `booking.localhost`.
  package let name: String
  package let title: String
  package let about: String
  /// The host names of the real service; in a `Host` field they select this API, too. One that begins with `*` stands
  /// for all that end like it.
  package let hosts: [String]
  /// The form of this API's error bodies.
  package let errors: ErrorShape
  package let operations: [Operation]
  /// The schema of its data file and of its part of `/_mock/state`.
  package let data: Schema
  /// The position of the records in the data.
  package let records: Records
  /// The members of a record that an operation can set individually.
  package let registers: [String]
  /// The parameter in the query with which a client delays a response, in milliseconds; nil if the API has none.
  package let delayParameter: String?
  /// The paths of the real service that have no operation here, for the detail of a 404.
  package let absences: [Absence]

  package init(
    name: String, title: String, about: String, hosts: [String] = [], errors: ErrorShape = .problem,
    operations: [Operation], data: Schema, records: Records = Records(), delayParameter: String? = nil,
    absences: [Absence] = []
  ) {
    self.name = name
    self.title = title
    self.about = about
    self.hosts = hosts
    self.errors = errors
    self.operations = operations
    self.data = data
    self.records = records
    self.delayParameter = delayParameter
    self.absences = absences
    registers = operations.flatMap(\.effect.settableMembers)
      .map(\.name).distinct()
  }

  /// Returns true if this is a host name of the real service.
  package func isHost(_ name: String) -> Bool {
    hosts.contains { $0 == name || $0.first == "*" && name.hasSuffix($0.dropFirst()) }
  }

  /// A path of the real service that has no operation.
  package struct Absence: Sendable {
    package let path: PathTemplate
    /// A sentence that says what there is instead.
    package let advice: String
  }

  /// Returns the advice for a path that has no operation, if the real service had it.
  ///
  /// - Parameter path: The segments of the path.
  package func advice(for path: [String]) -> String? {
    absences.first { absence in
      absence.path.segments.count == path.count
        && zip(absence.path.segments, path).allSatisfy { segment, text in
          if case .literal(let literal) = segment { literal == text } else { true }
        }
    }?.advice
  }

  /// The location of an API's records in its data: a list of objects, each identified by one member.
  package struct Records: Sendable {
    /// The member of the data that contains the list; nil if the data itself is the list.
    package let list: String?
    /// The member that identifies a record.
    package let name: String

    package init(in list: String? = nil, namedBy name: String = "id") {
      self.list = list
      self.name = name
    }

    /// Returns the records in the data, or none if the data has another shape.
    package func list(in data: JSONValue) -> [JSONValue] { (list.map { data[$0] ?? .null } ?? data).array ?? [] }
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

extension API {
  /// All APIs, in the order in which they get ports of their own.
  package static let all: [API] = [.devices, .activities, .house, .users, .booking]

  /// True if an API has this index in `all`. The routes of an upstream count as one more API, which is not declared here.
  package static func isDeclared(_ index: Int) -> Bool { all.indices.contains(index) }

  /// Returns the API with an index in `all`; nil if there is none.
  package static func declared(at index: Int?) -> API? { index.flatMap { isDeclared($0) ? all[$0] : nil } }
}
