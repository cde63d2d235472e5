import HTTP1

extension Connection {
  /// Reads one response and skips the interim responses before it.
  func finalAnswer(to asked: String) throws(EarlyEnd) -> Answer {
    for _ in 0...ResponseParser.maximumInterims {
      let answer = try answer(to: asked)
      if !answer.head.isInterim { return answer }
    }
    throw .failed(
      expected: "a final answer to \(asked)",
      found: "more than \(ResponseParser.maximumInterims) interim responses")
  }

  /// Reads exactly one response, which may be an interim one.
  ///
  /// - Parameter asked: The request's method and target: a response to HEAD has no body, whatever its fields say.
  func answer(to asked: String) throws(EarlyEnd) -> Answer {
    var parser = ResponseParser(toHead: asked.hasPrefix("HEAD "))
    var answer: Answer?
    beginResponse()
    while true {
      parser.receive(received)
      drop(received.count)
      if hasFinished { parser.finish() }
      switch try next(&parser, asked) {
      case .needsMore: try wait(for: "an answer to \(asked)", orFinish: true)
      case .interim(let head):
        prepend(parser.unread)
        return Answer(asked: asked, head: head)
      case .head(let head):
        try require(head.reason != nil, "a space after the status (RFC 9112 section 4)", found: beginning)
        if case .length(let length) = head.content { try bound(length, head.status, asked) }
        answer = Answer(asked: asked, head: head)
      case .content(let bytes):
        try bound((answer?.body.count ?? 0) + bytes.count, answer?.status ?? 0, asked)
        answer?.body += bytes
      case .end:
        prepend(parser.unread)
        return try require(answer, "an answer to \(asked)", found: "none")
      }
    }
  }

  private func next(_ parser: inout ResponseParser, _ asked: String) throws(EarlyEnd) -> ResponseParser.Step {
    do throws(ResponseError) {
      return try parser.next()
    } catch {
      switch error {
      case .empty, .cut:
        throw .failed(expected: "an answer to \(asked)", found: "the connection closed" + afterBeginning)
      default:
        throw .failed(expected: "a response as RFC 9112 has it to \(asked)", found: error.reason + afterBeginning)
      }
    }
  }

  private func bound(_ length: Int, _ status: Int, _ asked: String) throws(EarlyEnd) {
    try require(
      length <= Bound.body, "a body of at most \(Bound.body >> 20) MiB",
      found: "a longer one in the \(status) to \(asked)")
  }
}
