import Contract
import HTTP1
import Services

/// Requests that get a response before they are complete.
extension Connection {
  /// Answers an incomplete request, as the connection's last one.
  mutating func refuse(_ problem: Problem) {
    begin()
    state.advance(.requestRefused)
    start(parser.refused ?? .none, refusal: .problem(problem), isIncomplete: true)
  }

  /// Sends a final response instead of `100 Continue` if the request's content cannot change it (RFC 9110 section
  /// 10.1.1); returns false if it can. Content that still arrives is read and discarded after the connection's last
  /// response.
  mutating func respondBeforeContent() -> Bool {
    guard let request = parser.unfinished else { return false }
    let refusal: Response?
    switch backend.expectation(of: request, by: link) {
    case .content: return false
    case .final: refusal = nil
    case .refused(let response): refusal = response
    }
    parser.giveUp()
    headBegan = nil
    state.advance(.requestRefused)
    start(request, refusal: refusal)
    return true
  }
}
