import Contract
import JSON
import Report
import Services

/// The response of an operation and the resulting state, computed on a copy of the state.
struct Evaluation: Sendable {
  let response: Response
  let store: Store
  /// The meaning of a write's body.
  let meaning: Meaning?

  /// Evaluates a call.
  ///
  /// - Parameter operation: The operation, if it is a write.
  init(of call: Call, api: Int, _ operation: Contract.Operation?, on store: Store) {
    var store = store
    response = store.respond(api: api, to: call)
    self.store = store
    meaning = operation.map { operation in
      let json = call.body.isEmpty ? nil : try? JSONValue(parsing: call.body)
      return Meaning(operation, of: api, call.arguments, json)
    }
  }
}
