import Foundation
import JSON
import LiveTesting
import Report
import Testing

@testable import Understudy

@Suite("In front of a backend", .live)
struct UpstreamTests {
  private static let created = ScriptedBackend.response("201 Created", #"{"id":1}"#, "Location: /v1/orders/1", "X-a: b")

  @Test("a request is passed on as it was sent, and so is the answer, with the exchange's id")
  func passes() async throws {
    let backend = try ScriptedBackend(answering: Self.created)
    try await Stage.inFrontOf(backend.url + "/v1") { stage in
      let answer = try exchange(
        stage.server, wire("POST", "/orders?a=%20b", "Understudy-Client: me", "X-Mine: 1", body: #"{"item":"lamp"}"#))
      #expect(answer.status == 201 && answer.text == #"{"id":1}"#)
      #expect(answer["Location"] == "/orders/1" && answer["X-a"] == "b" && answer["Understudy-Request"] == "1")
      #expect(
        answer["Vary"] == nil && answer["X-Content-Type-Options"] == nil && answer["Content-Security-Policy"] == nil)
      let request = try #require(backend.requests.withLock { $0.first })
      #expect(request.hasPrefix("POST /v1/orders?a=%20b HTTP/1.1\r\nHost: localhost\r\n"))
      #expect(
        request.contains("X-Mine: 1\r\n") && !request.contains("Understudy-") && request.hasSuffix(#"{"item":"lamp"}"#))
      let entry = try await stage.lastEnded()
      #expect(entry["applied"] == true && entry["upstream", "status"] == 201 && entry["upstream", "failure"] == nil)
      #expect(entry["path"] == "/orders" && entry["n"] == 1)
    }
  }

  @Test(
    "every path and method is the backend's, and only /_mock is not",
    arguments: [
      "GET /openapi.yaml", "OPTIONS /orders", "PROPFIND /x", "GET /@none/orders", "GET /devices", "DELETE /",
      "GET /%5Fmock/state", "GET /@default/orders", "GET /q?a=100%", "GET /%zz%", "GET /café?q=ü", "frobnicate /x",
    ])
  func paths(line: String) async throws {
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", "{}"))
    try await Stage.inFrontOf(backend.url) { stage in
      let words = line.split(separator: " ").map(String.init)
      let fields = ["Origin: http://page", "Access-Control-Request-Method: PUT"]
      let answer = try exchange(stage.server, wire(words[0], words[1], fields[0], fields[1]))
      #expect(answer.text == "{}")
      #expect(backend.requests.withLock { $0.first }?.hasPrefix(line + " HTTP/1.1\r\n") == true)
      #expect(try exchange(stage.server, wire("GET", "/_mock/health")).status == 200)
      #expect(backend.requests.withLock { $0.count } == 1)
    }
  }

  @Test("a fault without content takes the place of the question before, and of the answer after it")
  func phases() async throws {
    let backend = try ScriptedBackend(answering: Self.created)
    for (effect, phase, calls) in [
      (#"{"status":503}"#, "before", 0), (#"{"fault":"reset"}"#, "before", 0), (#"{"fault":"empty"}"#, "before", 0),
      (#"{"status":503}"#, "after", 1), (#"{"fault":"reset"}"#, "after", 1), (#"{"fault":"empty"}"#, "after", 1),
      (#"{"fault":"corrupt"}"#, "after", 1), (#"{"fault":"truncate","at":"1/2"}"#, "after", 1),
    ] {
      backend.requests.withLock { $0 = [] }
      let rule = #"{"name":"r","match":{"method":"POST"},"phase":"\#(phase)","effect":\#(effect)}"#
      try await Stage.inFrontOf(backend.url, rule) { stage in
        let answer = try? exchange(stage.server, wire("POST", "/orders", body: "{}"))
        #expect(answer?.text != #"{"id":1}"# || answer?.status != 201, "\(effect) \(phase)")
        let entry = try await stage.lastEnded()
        #expect(backend.requests.withLock { $0.count } == calls, "\(effect) \(phase)")
        #expect(entry["applied"] == .bool(calls == 1), "\(effect) \(phase)")
      }
    }
  }

  @Test(
    "damage of a read is delivered in both phases, and before a write it is not deliverable: the backend is asked once")
  func damage() async throws {
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", #"{"id":1,"name":"lamp"}"#))
    let rule = #"{"name":"r","effect":{"fault":"corrupt"}}"#
    try await Stage.inFrontOf(backend.url, rule) { stage in
      let read = try exchange(stage.server, wire("GET", "/orders/1"))
      #expect(read.text != #"{"id":1,"name":"lamp"}"#)
      #expect(try await stage.lastEnded()["outcome"] == "sent")
      #expect(backend.requests.withLock { $0.first }?.contains("Accept-Encoding: identity\r\n") == true)
      #expect(try exchange(stage.server, wire("POST", "/orders", body: "{}")).text == #"{"id":1,"name":"lamp"}"#)
      #expect(try await stage.lastEnded()["outcome"] == "not deliverable")
      #expect(backend.requests.withLock { $0.count } == 2)
    }
  }

  @Test("a backend that is down gets the client 502, and is asked as soon as it is there")
  func unreachable() async throws {
    let closed = try BoundListener(isOpen: false)
    try await Stage.inFrontOf("http://127.0.0.1:\(closed.port)") { stage in
      let answer = try exchange(stage.server, wire("GET", "/orders"))
      #expect(answer.status == 502 && answer.text.contains("upstream-unreachable"))
      let entry = try await stage.lastEnded()
      #expect(entry["upstream", "failure"] == "unreachable" && entry["applied"] == false && entry["plan"] == .null)
    }
  }

  @Test("a backend that does not answer in time gets the client 504")
  func timeout() async throws {
    let silent = try BoundListener()
    try await Stage.inFrontOf("http://127.0.0.1:\(silent.port)") { options in
      options.upstreamTimeout = .milliseconds(100)
    } body: { stage in
      let answer = try exchange(stage.server, wire("GET", "/orders"))
      #expect(answer.status == 504 && answer.text.contains("upstream-timeout") && answer.text.contains("100ms"))
      #expect(try await stage.lastEnded()["upstream", "failure"] == "timeout")
    }
  }

  @Test(
    "an answer that is no HTTP, or from which two readers could see different messages, gets the client 502",
    arguments: [
      "hello", "", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\nContent-Length: 0\n\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 100_000),
    ])
  func malformed(bytes: String) async throws {
    let backend = try ScriptedBackend(answering: bytes)
    try await Stage.inFrontOf(backend.url) { stage in
      let client = try WireConnection(stage.server.port)
      for _ in 1...2 {
        try client.send(wire("GET", "/orders"))
        let answer = try client.response()
        #expect(answer.status == 502 && answer.text.contains("upstream-malformed"), "\(bytes.prefix(40))")
      }
      #expect(try await stage.lastEnded()["upstream", "failure"] == "malformed")
    }
  }

  @Test("content where none may be does not become another answer")
  func smuggled() async throws {
    let backend = try ScriptedBackend(
      answering: "HTTP/1.1 204 No Content\r\nContent-Length: 40\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    )
    try await Stage.inFrontOf(backend.url) { stage in
      let client = try WireConnection(stage.server.port)
      for _ in 1...2 {
        try client.send(wire("GET", "/orders"))
        let answer = try client.response()
        #expect(answer.status == 204 && answer["Content-Length"] == nil)
      }
    }
  }

  @Test(
    "an answer that comes when its client has left is recorded as late, and until then it is unknown whether it was applied",
    arguments: [true, false])
  func late(isReset: Bool) async throws {
    let mayAnswer = DispatchSemaphore(value: 0)
    let backend = try ScriptedBackend { _, link in
      mayAnswer.wait()
      link.send(Array(Self.created.utf8))
    }
    try await Stage.inFrontOf(backend.url) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("POST", "/orders", body: "{}"))
      #expect(await backend.requests.becomes { $0.count == 1 })
      let pending = try #require(try stage.requests().last)
      #expect(pending["outcome"] == "pending" && pending["applied"] == .null)
      if isReset {
        client.reset()
        #expect(await stage.server.journalBecomes { $0.last?.outcome == .peerGone })
        #expect(try stage.requests().last?["applied"] == .null)
      } else {
        client.hangUp()
      }
      mayAnswer.signal()
      #expect(await stage.server.journalBecomes { $0.last?.isApplied == true })
      let entry = try #require(try stage.requests().last)
      #expect(entry["applied"] == true && entry["outcome"] == "peer gone")
      #expect(entry["upstream", "late"] == true && entry["upstream", "status"] == 201)
    }
  }

  @Test("the control API counts the requests that the backend has answered, and those for which it failed")
  func counts() async throws {
    let backend = try ScriptedBackend { request, link in
      if request.hasPrefix("GET /orders ") { link.send(Array(Self.created.utf8)) }
    }
    try await Stage.inFrontOf(backend) { stage in
      #expect(try stage.json("/_mock/upstream")["reachable"] == .null)
      for path in ["/orders", "/broken", "/orders"] { _ = try exchange(stage.server, wire("GET", path)) }
      _ = try await stage.lastEnded()
      let upstream = try stage.json("/_mock/upstream")
      #expect(upstream["reachable"] == true && upstream["answered"] == 2 && upstream["failed"] == 1)
    }
  }

  @Test("a write whose answer never comes may have been applied")
  func unanswered() async throws {
    let backend = try ScriptedBackend(answering: "")
    try await Stage.inFrontOf(backend.url) { stage in
      for (method, applied) in [("POST", .null), ("GET", false)] as [(String, JSONValue)] {
        let answer = try exchange(stage.server, wire(method, "/orders"))
        #expect(answer.status == 502)
        #expect(try await stage.lastEnded()["applied"] == applied)
      }
    }
  }

  @Test("an answer keeps its reason phrase, and the journal names the backend's status where a fault replaces it")
  func reason() async throws {
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("201 Made to order", "{}"))
    let rule = #"{"name":"r","match":{"path":"/b"},"phase":"after","effect":{"status":503}}"#
    try await Stage.inFrontOf(backend.url, rule) { stage in
      let kept = try exchange(stage.server, wire("POST", "/a", body: "{}"))
      #expect(kept.head.hasPrefix("HTTP/1.1 201 Made to order\r\n"))
      let replaced = try exchange(stage.server, wire("POST", "/b", body: "{}"))
      #expect(replaced.status == 503)
      let entry = try await stage.lastEnded()
      #expect(entry["response", "status"] == 503 && entry["upstream", "status"] == 201 && entry["applied"] == true)
    }
  }

  @Test("two hundred questions without an answer do not delay another one")
  func crowd() async throws {
    let backend = try ScriptedBackend { request, link in
      guard request.hasPrefix("GET /slow") else { return _ = link.send(Array(Self.created.utf8)) }
      while link.receive() {}
    }
    try await Stage.inFrontOf(backend.url) { stage in
      let waiting = try (1...200).map { _ in
        let client = try WireConnection(stage.server.port)
        try client.send(wire("GET", "/slow"))
        return client
      }
      #expect(await backend.requests.becomes { $0.count == 200 })
      let start = ContinuousClock.now
      #expect(try exchange(stage.server, wire("GET", "/fast")).status == 201)
      #expect(ContinuousClock.now - start < .seconds(2))
      for client in waiting { client.hangUp() }
    }
  }

  @Test("an event stream is passed on as it comes, and ends as the backend's does")
  func stream() async throws {
    let mayEnd = DispatchSemaphore(value: 0)
    let backend = try ScriptedBackend { _, link in
      link.send(Array("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n".utf8))
      mayEnd.wait()
      link.send(Array("data: 2\n\n".utf8))
    }
    try await Stage.inFrontOf(backend.url) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/events"))
      let text = try #require(client.text { $0.contains("data: 1\n\n") })
      #expect(text.contains("Content-Type: text/event-stream\r\n") && text.contains("Transfer-Encoding: chunked\r\n"))
      mayEnd.signal()
      #expect(client.text { $0.hasSuffix("0\r\n\r\n") }?.contains("data: 2\n\n") == true)
      #expect(try await stage.lastEnded()["response"]?["bytes"] == 18)
    }
  }

  @Test("content that is passed on has the pace of the plan, and faults that need all of it are not deliverable")
  func pace() async throws {
    let content = String(repeating: "0123456789", count: 300)
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", content))
    let pace = #"{"match":{"path":"/slow"},"effect":{"pace":{"bytesPerSecond":10000,"chunk":1000}}}"#
    let corrupt = #"{"match":{"path":"/corrupt"},"effect":{"fault":"corrupt"}}"#
    let reset = #"{"match":{"path":"/reset"},"effect":{"fault":"reset"},"phase":"after"}"#
    try await Stage.inFrontOf(backend.url, pace, corrupt, reset) { options in
      options.maximumBody = 1_000
    } body: { stage in
      let start = ContinuousClock.now
      #expect(try exchange(stage.server, wire("GET", "/slow")).text == content)
      #expect(ContinuousClock.now - start >= .milliseconds(200))
      #expect(try exchange(stage.server, wire("GET", "/corrupt")).text == content)
      #expect(try await stage.lastEnded()["outcome"] == "not deliverable")
      let client = try WireConnection(stage.server.port)
      try client.send(wire("POST", "/reset", body: "{}"))
      #expect(client.rest().end == .reset)
      #expect(try await stage.lastEnded()["applied"] == true)
    }
  }

  @Test("an answer longer than the limit is passed on whole")
  func long() async throws {
    let content = String(repeating: "0123456789", count: 300_000)
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", content))
    try await Stage.inFrontOf(backend.url) { options in
      options.maximumBody = 100_000
    } body: { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/long", version: "1.0"))
      #expect(client.text { $0.utf8.count > 3_000_000 }?.hasSuffix("0123456789") == true)
      let kept = try WireConnection(stage.server.port)
      for _ in 1...2 {
        try kept.send(wire("GET", "/long"))
        #expect(try kept.response().text == content)
      }
    }
  }
}
