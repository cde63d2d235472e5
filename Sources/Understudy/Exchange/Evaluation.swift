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
    meaning = operation.map { Meaning($0, api, call.arguments, call.body) }
  }
}

/// The meaning of a write's body, as the report uses it.
struct Meaning: Sendable {
  let intent: Intent?
  let effect: Observation.Effect?

  /// - Parameter api: The API's index in the catalogue.
  init(_ operation: Contract.Operation, _ api: Int, _ arguments: [String], _ body: ArraySlice<UInt8>) {
    let json = body.isEmpty ? nil : try? JSONValue(parsing: body)
    intent = Intent(operation, arguments, json)
    effect = Register.effect(ofWriting: operation, api, arguments, json)
  }
}
