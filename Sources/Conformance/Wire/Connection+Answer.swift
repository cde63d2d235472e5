extension Connection {
  /// Reads one response and skips the interim responses before it.
  func finalAnswer(to asked: String) throws(Finding) -> ReceivedResponse {
    for _ in 0...Bound.interims {
      let answer = try answer(to: asked)
      if !(100..<200).contains(answer.status) { return answer }
    }
    throw .failed(
      expected: "a final answer to \(asked)", found: "more than \(Bound.interims) interim responses")
  }

  /// Reads exactly one response, which may be an interim one.
  ///
  /// - Parameter asked: The request's method and target: a response to HEAD has no body, whatever its fields say.
  func answer(to asked: String) throws(Finding) -> ReceivedResponse {
    let blank = Array("\r\n\r\n".utf8)
    var searched = 0
    while true {
      if let end = received[searched...].firstRange(of: blank) {
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        guard var answer = ReceivedResponse(head: head, asked: asked) else {
          throw .failed(expected: "a status line and fields to \(asked)", found: "«\(head.prefix(120))»")
        }
        drop(end.upperBound)
        if !asked.hasPrefix("HEAD ") { answer.body = try body(of: answer) }
        return answer
      }
      searched = max(0, received.count - 3)
      try require(
        received.count <= Bound.head, "a head of at most \(Bound.head >> 10) KiB to \(asked)",
        found: "more: \(beginning)")
      try wait(for: "an answer to \(asked)")
    }
  }

  private func body(of answer: ReceivedResponse) throws(Finding) -> [UInt8] {
    if (100..<200).contains(answer.status) || answer.status == 204 || answer.status == 304 { return [] }
    if answer["Transfer-Encoding"]?.lowercased() == "chunked" { return try chunks(of: answer) }
    guard let field = answer["Content-Length"] else { return try rest(answer) }
    guard let length = ReceivedResponse.number(field) else {
      throw .failed(expected: "a Content-Length that is a number", found: "\(field.prefix(80)) to \(answer.asked)")
    }
    try bound(length, answer)
    return try take(length, answer)
  }

  private func bound(_ length: Int, _ answer: ReceivedResponse) throws(Finding) {
    try require(
      length <= Bound.body, "a body of at most \(Bound.body >> 20) MiB",
      found: "a longer one in the \(answer.status) to \(answer.asked)")
  }

  /// Reads content without a length, which ends with the connection.
  private func rest(_ answer: ReceivedResponse) throws(Finding) -> [UInt8] {
    while !hasFinished {
      try bound(received.count, answer)
      try wait(for: "a body without a length, followed by FIN, to \(answer.asked)", orFinish: true)
    }
    return try take(received.count, answer)
  }

  private func chunks(of answer: ReceivedResponse) throws(Finding) -> [UInt8] {
    var body: [UInt8] = []
    while true {
      let line = try self.line(answer)
      guard let size = ReceivedResponse.number(line.prefix { $0 != ";" }, radix: 16) else {
        throw .failed(
          expected: "a chunk's size in hexadecimal digits", found: "«\(line.prefix(80))» to \(answer.asked)")
      }
      if size == 0 { break }
      try bound(min(size, Bound.body + 1) + body.count, answer)
      body += try take(size, answer)
      guard try self.line(answer).isEmpty else {
        throw .failed(expected: "CRLF after a chunk", found: "other bytes to \(answer.asked)")
      }
    }
    var length = 0
    while true {
      let trailer = try line(answer)
      if trailer.isEmpty { return body }
      length += trailer.utf8.count + 2
      try require(
        length <= Bound.trailers, "trailers of at most \(Bound.trailers >> 10) KiB to \(answer.asked)",
        found: "more")
    }
  }

  private func line(_ answer: ReceivedResponse) throws(Finding) -> String {
    while true {
      if let end = received.firstRange(of: [0x0D, 0x0A]) {
        defer { drop(end.upperBound) }
        return String(decoding: received[..<end.lowerBound], as: UTF8.self)
      }
      try require(
        received.count <= Bound.line,
        "a chunk's size or a trailer in at most \(Bound.line >> 10) KiB to \(answer.asked)",
        found: "more: \(beginning)")
      try wait(for: "the chunked body to \(answer.asked)")
    }
  }

  private func take(_ count: Int, _ answer: ReceivedResponse) throws(Finding) -> [UInt8] {
    while received.count < count { try wait(for: "\(count) bytes of body to \(answer.asked)") }
    defer { drop(count) }
    return Array(received[..<count])
  }
}
