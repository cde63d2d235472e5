import Contract
import HTTP1

/// Requests that get a response before they are complete.
extension Connection {
  /// Answers an incomplete request, as the connection's last one.
  func refuse(_ problem: Problem) {
    begin()
    state.advance(.requestRefused)
    start(parser.refused ?? .none, refusal: .problem(problem), isIncomplete: true)
  }

  /// Sends a final response instead of `100 Continue` if the head is sufficient to refuse the request (RFC 9110 section
  /// 10.1.1); returns false if it is not. Content that still arrives is read and discarded after the connection's last
  /// response.
  func refuseBeforeContent() -> Bool {
    guard let request = parser.unfinished, let refusal = backend.refusal(beforeContentOf: request, by: link) else {
      return false
    }
    parser.giveUp()
    headBegan = nil
    state.advance(.requestRefused)
    start(request, refusal: refusal)
    return true
  }
}
