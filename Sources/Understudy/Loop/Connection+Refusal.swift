import Contract
import HTTP1

/// Requests that are answered before all of them has been read.
extension Connection {
  /// Answers what was not read to its end, as the connection's last request.
  func refuse(_ problem: Problem) {
    begin()
    state.advance(.requestRefused)
    start(parser.refused ?? .none, refusal: .problem(problem), isIncomplete: true)
  }

  /// Gives a final answer instead of `100 Continue` where the head decides it (RFC 9110 section 10.1.1); false where it
  /// does not. The content may come all the same: it is read and discarded behind the connection's last answer.
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
