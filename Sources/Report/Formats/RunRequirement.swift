import JSON
import Primitives

/// A requirement on a whole run, besides the verdicts on its clients. A run that does not meet it fails.
package struct RunRequirement: Sendable, Equatable {
  let id: String
  /// The reason why it is not met, as a sentence without a full stop; nil if it is met.
  package let failure: String?

  /// The run has at least one request.
  package static func requests(failure: String?) -> RunRequirement { RunRequirement(id: "requests", failure: failure) }

  /// The backend answered at least one request, if it was asked.
  package static func backend(failure: String?) -> RunRequirement { RunRequirement(id: "backend", failure: failure) }

  /// At least one fault took effect in the run.
  package static func faults(failure: String?) -> RunRequirement { RunRequirement(id: "faults", failure: failure) }

  var json: JSONValue { ["id": .string(id), "failure": failure.map { .string($0) } ?? .null] }

  var junit: JUnit.Case {
    JUnit.Case(name: id, failure.map { .failed(message: $0, text: $0) } ?? .passed())
  }
}
