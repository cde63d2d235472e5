import HTTP1

extension Check {
  static let httpRequests = [
    http("byte-by-byte", "A request may arrive byte by byte.", from: "RFC 9112 section 2.2") {
      session throws(EarlyEnd) in
      let connection = try session.connect()
      let path = session.target.samples.path
      for byte in session.request("GET", path).utf8 { try connection.send([byte]) }
      try connection.answer(to: "GET \(path)").expect(200).expect(sampleOf: session)
    },
    http("empty-line-before", "An empty line before a request is ignored.", from: "RFC 9112 section 2.2") {
      session throws(EarlyEnd) in
      let connection = try session.connect()
      let path = session.target.samples.path
      try connection.send("\r\n" + session.request("GET", path))
      try connection.answer(to: "GET \(path)").expect(200).expect(sampleOf: session)
    },
    http("absolute-form", "A target may be an absolute URI.", from: "RFC 9112 section 3.2.2") {
      session throws(EarlyEnd) in
      let connection = try session.connect()
      let path = session.target.samples.path
      let target = "http://\(session.target.base.authority)\(session.target.base.path)\(path)"
      let lines = ["GET \(target) HTTP/1.1"] + session.standardFields
      try connection.send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
      try connection.answer(to: "GET \(target)").expect(200).expect(sampleOf: session)
    },
    http(
      "field-names", "Field names ignore case, and blanks around a value are optional.",
      from: "RFC 9110 section 5.1"
    ) { session throws(EarlyEnd) in
      let connection = try session.connect()
      let path = session.target.samples.path
      let fields = (session.standardFields + ["Connection: close"]).map { field -> String in
        let sides = field.split(separator: ":", maxSplits: 1)
        return sides[0].uppercased() + ":\t" + sides[1].drop { $0 == " " } + "  "
      }
      try connection.send(
        (["GET \(session.target.base.path)\(path) HTTP/1.1"] + fields).map { $0 + "\r\n" }.joined() + "\r\n")
      let answer = try connection.answer(to: "GET \(path)").expect(200).expect(sampleOf: session)
      try require(!answer.keepsConnection, "Connection: close heard", found: answer.describe("Connection"))
    },
    http("percent-encoding", "Letters of a path may be percent-encoded.", from: "RFC 3986 section 6.2.2.2") {
      session throws(EarlyEnd) in
      let path = session.target.samples.path
      let plain = try session.get(path).expect(200).expect(sampleOf: session)
      let letter = path.dropFirst().first.map(String.init) ?? ""
      let code = letter.utf8.first.map { String($0, radix: 16) } ?? ""
      try session.get("/%\(code)" + path.dropFirst(2)).expect(200).expect(body: plain.body)
    },
    http(
      "expect-continue", "Expect: 100-continue gets 100, and after the body the final response.",
      from: "RFC 9110 section 10.1.1"
    ) { session throws(EarlyEnd) in
      let write = try session.write()
      let connection = try session.connect()
      let whole = session.request(write.method, write.path, ["Expect: 100-continue"], body: write.body)
      try connection.send(String(whole.dropLast(write.body.count)))
      try connection.answer(to: "\(write.method) \(write.path)").expect(100)
      try connection.send(write.body)
      try connection.answer(to: "\(write.method) \(write.path)").expect(200)
    },
    http(
      "unknown-expectation", "Any other expectation gets 417, or is ignored.",
      from: "RFC 9110 section 10.1.1"
    ) { session throws(EarlyEnd) in
      let answer = try session.get(session.target.samples.path, "Expect: tea")
      try require([200, 417].contains(answer.status), "417 or 200", found: answer.evidence)
      if answer.status == 200 { try answer.expect(sampleOf: session) }
    },
    http("chunked-request", "A body may be sent in chunks, with extensions and trailers.", from: "RFC 9112 section 7.1")
    {
      session throws(EarlyEnd) in
      let write = try session.write()
      let connection = try session.connect()
      let asked = "\(write.method) \(write.path)"
      let head = session.request(write.method, write.path, ["Transfer-Encoding: chunked"])
      let (front, back) = (write.body.prefix(1), write.body.dropFirst())
      try connection.send(head + "1;a=b\r\n\(front)\r\n")
      try connection.send(String(back.utf8.count, radix: 16, uppercase: true) + "\r\n\(back)\r\n0\r\nX-Sum: 1\r\n\r\n")
      try connection.answer(to: asked).expect(200)
      try connection.send(session.request("GET", session.target.samples.path))
      try connection.answer(to: "GET \(session.target.samples.path)").expect(200).expect(sampleOf: session)
    },
    http(
      "body-with-get", "The body of a GET is read, and not mistaken for the next request.",
      from: "RFC 9110 section 9.3.1"
    ) { session throws(EarlyEnd) in
      let connection = try session.connect()
      let path = session.target.samples.path
      try connection.send(session.request("GET", path, body: "GET /x HTTP/1.1\r\n\r\n") + session.request("GET", path))
      for _ in 0..<2 { try connection.answer(to: "GET \(path)").expect(200).expect(sampleOf: session) }
    },
    http("options-asterisk", "OPTIONS * succeeds.", from: "RFC 9110 section 9.3.7") {
      session throws(EarlyEnd) in
      let connection = try session.connect()
      try connection.send((["OPTIONS * HTTP/1.1"] + session.standardFields).map { $0 + "\r\n" }.joined() + "\r\n")
      let answer = try connection.answer(to: "OPTIONS *")
      try require((200..<300).contains(answer.status), "a status of success", found: answer.evidence)
    },
    http(
      "unknown-method", "An unknown method gets 501; TRACE gets 405 or 501 if it is not supported.",
      from: "RFC 9110 section 15.6.2"
    ) { session throws(EarlyEnd) in
      try session.ask("BREW", session.target.samples.path).expect(501)
      let trace = try session.ask("TRACE", session.target.samples.path)
      try require([405, 501].contains(trace.status), "405 or 501", found: trace.evidence)
    },
    http("upgrade-unheard", "A request to upgrade the protocol is ignored.", from: "RFC 9110 section 7.8") {
      session throws(EarlyEnd) in
      try session.get(session.target.samples.path, "Connection: Upgrade", "Upgrade: h2c").expect(200).expect(
        sampleOf: session)
    },
  ]
}

extension Session {
  /// Returns a write that changes nothing.
  fileprivate func write() throws(EarlyEnd) -> (method: String, path: String, body: String) {
    guard let write = target.samples.write else { throw .skipped("this API has no operation with a body") }
    return write
  }
}

extension Answer {
  /// Reads the response and expects the content of the sample route.
  @discardableResult
  fileprivate func expect(sampleOf session: Session) throws(EarlyEnd) -> Answer {
    try expect(ownOf: session.target.samples.path, by: session)
  }
}
