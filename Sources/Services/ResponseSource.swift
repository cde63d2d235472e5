/// The source of the responses to calls. The handlers of a sandbox's state are one, `Store`; a backend behind this server
/// could be another.
///
/// The server asks it when the faults are decided, and access, content and idempotency key allow the call. It applies
/// the faults to the response, delivers it and records it in the same way for every source. A fault of phase `before`
/// takes the place of the question, unless it cannot be applied; one of phase `after` harms the response to it.
package protocol ResponseSource: Sendable {
  /// Carries a call out, and returns its response, with `changed` set if the call had an effect.
  ///
  /// - Parameters:
  ///   - api: The API's index in the catalogue.
  ///   - head: The request's head as received, from its method through its empty line.
  mutating func respond(api: Int, to call: Call, head: ArraySlice<UInt8>) -> Response
}

extension Store: ResponseSource {
  package mutating func respond(api: Int, to call: Call, head: ArraySlice<UInt8>) -> Response {
    respond(api: api, to: call)
  }
}
