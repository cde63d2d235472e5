import HTTP1

extension Check {
  static func http(
    _ id: String, _ sentence: String, from source: String, needs: Requirement = .nothing,
    run: @escaping @Sendable (Session) throws(EarlyEnd) -> Void
  ) -> Check {
    Check("http-" + id, in: "http", sentence, from: .ours(source), needs: needs, run: run)
  }

  private static func isFinished(_ connection: Connection, _ what: String) throws(EarlyEnd) {
    let end = connection.end()
    try require(end == .finished(""), "FIN, and no byte before it, \(what)", found: "\(end)")
  }

  static let httpConnections = [
    http("keep-alive", "A connection serves one request after another.", from: "RFC 9112 section 9.3") {
      session throws(EarlyEnd) in
      let connection = try session.connect()
      let path = session.target.samples.path
      for _ in 0..<5 {
        try connection.send(session.request("GET", path))
        let answer = try connection.answer(to: "GET \(path)").expect(200)
        try require(answer.keepsConnection, "a persistent connection", found: answer.describe("Connection"))
      }
    },
    http("pipelining", "Pipelined requests are answered in their order.", from: "RFC 9112 section 9.3.2") {
      session throws(EarlyEnd) in
      let connection = try session.connect()
      let path = session.target.samples.path
      let unknown = path + "/no/such/path"
      let paths = (0..<16).map { $0 % 3 == 0 ? unknown : path }
      try connection.send(paths.map { session.request("GET", $0) }.joined())
      for path in paths {
        let status = path == unknown ? 404 : 200
        let answer = try connection.answer(to: "GET \(path)")
        try require(answer.status == status, "\(status) in its turn", found: answer.evidence)
      }
    },
    http(
      "close", "Connection: close ends the connection after the response; later requests get no response.",
      from: "RFC 9112 section 9.6"
    ) { session throws(EarlyEnd) in
      let connection = try session.connect()
      let path = session.target.samples.path
      try connection.send(session.request("GET", path, ["Connection: close"]) + session.request("GET", path))
      let answer = try connection.answer(to: "GET \(path)").expect(200)
      try require(!answer.keepsConnection, "Connection: close in the answer", found: answer.describe("Connection"))
      try isFinished(connection, "after the response")
    },
    http(
      "old-version", "HTTP/1.0 gets one response and FIN, unless both sides agree on keep-alive.",
      from: "RFC 9112 section 9.3"
    ) {
      session throws(EarlyEnd) in
      let path = session.target.samples.path
      let single = try session.connect()
      try single.send(session.request("GET", path, version: "1.0"))
      try single.answer(to: "GET \(path)").expect(200)
      try isFinished(single, "after the response")
      let several = try session.connect()
      for _ in 0..<2 {
        try several.send(session.request("GET", path, ["Connection: keep-alive"], version: "1.0"))
        let answer = try several.answer(to: "GET \(path)").expect(200)
        if !answer.keepsConnection { return try isFinished(several, "after the response") }
      }
    },
    http("content-length", "Content-Length is exactly the length of the body.", from: "RFC 9112 section 6.2") {
      session throws(EarlyEnd) in
      for path in [session.target.samples.path, session.target.samples.path + "/no/such/path"] {
        let connection = try session.connect()
        try connection.send(session.request("GET", path, ["Connection: close"]))
        var parser = ResponseParser(toHead: true)
        if case .finished(let text) = connection.end() { parser.receive(Array(text.utf8)) }
        guard case .head(let head)? = try? parser.next() else {
          throw .failed(expected: "an answer and FIN", found: "something else to GET \(path)")
        }
        let (answer, length) = (Answer(asked: "GET \(path)", head: head), parser.unread.count)
        guard answer["Transfer-Encoding"] == nil else { throw .skipped("the body has another framing") }
        try require(
          answer["Content-Length"] == "\(length)", "Content-Length: \(length)", found: answer.describe("Content-Length")
        )
      }
    },
    http(
      "head-has-no-body", "The response to HEAD has no body, and the next response follows at once.",
      from: "RFC 9110 section 9.3.2"
    ) { session throws(EarlyEnd) in
      let connection = try session.connect()
      let path = session.target.samples.path
      for path in [path, path + "/no/such/path"] {
        try connection.send(session.request("HEAD", path) + session.request("GET", path))
        let head = try connection.answer(to: "HEAD \(path)")
        let get = try connection.answer(to: "GET \(path)").expect(head.status)
        try require(
          head["Content-Length"] == get["Content-Length"], get.describe("Content-Length"),
          found: head.describe("Content-Length"))
      }
    },
    http("head-refused", "A refused HEAD request gets a response without a body, too.", from: "RFC 9110 section 9.3.2")
    {
      session throws(EarlyEnd) in
      let path = session.target.samples.path
      for request in [
        session.request("HEAD", path, ["X-Field : 1"]), session.request("HEAD", path, ["Content-Length: 99999999999"]),
        session.request("HEAD", path, version: "2.0"),
      ] {
        let connection = try session.connect()
        try connection.send(request)
        let head = try connection.answer(to: "HEAD \(path)")
        try require(head.status >= 400, "a refusal", found: head.evidence)
        let end = connection.end()
        try require(end == .finished(""), "FIN without content after \(head.status)", found: "\(end)")
      }
    },
    http("304-has-no-body", "304 has no body, and does not announce one.", from: "RFC 9110 section 15.4.5") {
      session throws(EarlyEnd) in
      let connection = try session.connect()
      let path = session.target.samples.path
      let tag = try session.get(path).expect(200).field("ETag")
      try connection.send(session.request("GET", path, ["If-None-Match: \(tag)"]) + session.request("GET", path))
      let answer = try connection.answer(to: "GET \(path)").expect(304)
      try require(answer["Content-Length"] == nil, "no Content-Length", found: answer.describe("Content-Length"))
      try require(answer["Content-Type"] == nil, "no Content-Type", found: answer.describe("Content-Type"))
      try connection.answer(to: "GET \(path)").expect(200)
    },
    http("date", "Every response has Date, in the format of HTTP.", from: "RFC 9110 section 6.6.1") {
      session throws(EarlyEnd) in
      let path = session.target.samples.path
      for path in [path, path + "/no/such/path"] {
        let date = try session.get(path).field("Date")
        let shape = date.map { $0.isASCII && $0.isNumber ? "0" : $0.isLetter ? "a" : String($0) }.joined()
        try require(
          shape == "aaa, 00 aaa 0000 00:00:00 aaa" && date.hasSuffix(" GMT"), "Date as Sun, 06 Nov 1994 08:49:37 GMT",
          found: date)
      }
    },
  ]
}
