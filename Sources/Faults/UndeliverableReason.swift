/// The reason for which a fault could not be applied to a response.
package enum UndeliverableReason: Error {
  case missingBody
  case noChunks
  case noStream
  /// The content has a format, or a form, that the fault cannot change.
  case unsuitedContent
  case changesState
  case showsNoState
  case noOlderState
  /// States of the requested age were not stored until now.
  case notStoredYet
  /// The response comes from a source that has no copy on which the request could be tried.
  case noCopy
  /// The content of a backend is passed on as it comes, because it is an event stream or too long to be held.
  case passedOn
  /// The sandbox was reset while the request waited, so the response is a 409.
  case resetMeanwhile
  /// The change could not be stored, so the response is a 507.
  case notStored

  package var description: String {
    switch self {
    case .missingBody: "the response has no body"
    case .noChunks: "HTTP/1.0 has no chunked coding"
    case .noStream: "the response is not a stream of events"
    case .unsuitedContent: "the content has nothing that the fault can change"
    case .changesState: "the request changes state"
    case .showsNoState: "the response does not show the state"
    case .noOlderState: "the state has not changed yet"
    case .notStoredYet: "older states are stored from now on; change the state, and try again"
    case .noCopy: "the request would change the source of the response"
    case .passedOn: "the content is passed on as it comes"
    case .resetMeanwhile: "the sandbox was reset while the request waited"
    case .notStored: "the change could not be stored"
    }
  }
}
