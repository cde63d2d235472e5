extension Mutant {
  /// Defects in HTTP and in the control API.
  static let wire = messages + conditions + connections + control

  private static let messages = [
    answering("no Date", caughtBy: "http-date") { _, answer in answer["Date"] = nil },
    answering("Content-Length off by one", caughtBy: "http-content-length") { _, answer in
      guard answer.body.count > 0 else { return }
      answer["Content-Length"] = "\(answer.body.count - 1)"
    },
    Mutant(name: "HEAD with a body", catcher: "http-head-has-no-body") { request, forward in
      var asked = request
      if request.method == "HEAD" { asked.startLine = request.startLine.replacing("HEAD ", with: "GET ") }
      return forward(asked)
    },
    answering("405 without Allow", caughtBy: "devices-405-allow") { _, answer in
      if answer.status == 405 { answer["Allow"] = nil }
    },
    answering("wrong error shape", caughtBy: "get-device-404") { _, answer in
      guard answer.status == 404 else { return }
      answer.text = "Not Found"
      answer["Content-Type"] = "text/plain"
    },
    answering("an undeclared status", caughtBy: "activities-no-undeclared-answer") { request, answer in
      if request["Range"] != nil { answer.status = 206 }
    },
    answering("HEAD says less than GET", caughtBy: "users-head-is-get") { request, answer in
      if request.method == "HEAD" { answer["Cache-Control"] = nil }
    },
    answering("a type that browsers may guess", caughtBy: "devices-inert") { _, answer in
      answer["X-Content-Type-Options"] = nil
    },
    answering("errors that may act as pages", caughtBy: "users-inert") { _, answer in
      if answer.status >= 400 { answer["Content-Security-Policy"] = nil }
    },
    answering("no CORS", caughtBy: "house-cors") { _, answer in answer["Access-Control-Allow-Origin"] = nil },
    answering("no CORS on errors", caughtBy: "activities-cors") { _, answer in
      if answer.status >= 400 { answer["Access-Control-Allow-Origin"] = nil }
    },
    answering("no credentials for pages", caughtBy: "users-cors") { request, answer in
      if request["Origin"] != nil { answer["Access-Control-Allow-Origin"] = "*" }
    },
    answering("preflight refused", caughtBy: "devices-preflight") { request, answer in
      guard request["Access-Control-Request-Method"] != nil else { return }
      // A 405 has content, as a 204 has not: without its length the judge would wait for the end of the connection.
      answer.status = 405
      answer["Content-Length"] = "0"
    },
    Mutant(name: "trailing slash 404", catcher: "devices-trailing-slash") { request, forward in
      forward(request.path.count > 1 && request.path.hasSuffix("/") ? request.astray : request)
    },
    Mutant(name: "doubled slash 404", catcher: "users-doubled-slash") { request, forward in
      forward(request.path.contains("//") ? request.astray : request)
    },
    Mutant(name: "encoded letters unknown", catcher: "http-percent-encoding") { request, forward in
      forward(request.path.hasPrefix("/%") ? request.astray : request)
    },
  ]

  private static let conditions = [
    answering("304 with a body", caughtBy: "http-304-has-no-body") { _, answer in
      if answer.status == 304 { answer.text = "{}" }
    },
    asking("If-None-Match ignored", caughtBy: "list-devices-304") { $0["If-None-Match"] = nil },
    answering("304 to any tag", caughtBy: "devices-etag-lists") { request, answer in
      guard request["If-None-Match"] != nil, answer.status == 200 else { return }
      answer.body = []
      answer.status = 304
      (answer["Content-Length"], answer["Content-Type"]) = (nil, nil)
    },
    answering("weak tag where a strong one is due", caughtBy: "devices-etag-stable") { _, answer in
      if let tag = answer["ETag"], tag.hasPrefix("\"") { answer["ETag"] = "W/" + tag }
    },
    answering("no ETag", caughtBy: "get-device-200") { _, answer in answer["ETag"] = nil },
  ]

  private static let connections = [
    Mutant(name: "keep-alive lie", catcher: "http-keep-alive", closesAfterAnswer: true),
    Mutant(name: "pipelined answers swapped", catcher: "http-pipelining", swapsPipelined: true),
    answering("close unsaid", caughtBy: "http-close") { _, answer in answer["Connection"] = nil },
    Mutant(
      name: "HEAD refused with content", catcher: "http-head-refused",
      answerToNonsense: "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"),
    asking("a tag that nothing has goes unheard", caughtBy: "book-room-412") { $0["If-Match"] = nil },
    Mutant(
      name: "nonsense answered", catcher: "http-length-and-chunked",
      answerToNonsense: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    Mutant(
      name: "nonsense refused and the connection kept", catcher: "http-no-host",
      answerToNonsense: "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
  ]

  private static let control = [
    Mutant(name: "control reset that resets nothing", catcher: "control-reset-resets") { request, forward in
      request.path == "/_mock/reset" ? Message("HTTP/1.1 204 No Content") : forward(request)
    },
    asking("sandboxes that leak", caughtBy: "control-sandboxes-are-apart") { request in
      if request.path.hasPrefix("/devices") { request["Understudy-Sandbox"] = nil }
    },
    answering("control API that may act as a page", caughtBy: "control-inert") { request, answer in
      if request.path.hasPrefix("/_mock/state") { answer["Content-Security-Policy"] = "default-src *" }
    },
    answering("control API open to pages", caughtBy: "control-closed-to-pages") { request, answer in
      if request.path.hasPrefix("/_mock") { answer["Access-Control-Allow-Origin"] = "*" }
    },
  ]
}

extension Message {
  /// The same request for a path that does not exist.
  fileprivate var astray: Message {
    var astray = self
    astray.startLine = "\(method) /no/such/path/at/all HTTP/1.1"
    return astray
  }
}
