import HTTP1
import LiveTesting
import Primitives
import Testing

@testable import Understudy

@Suite("Messages over sockets")
struct MessageTests {
  @Test("a GET is answered with a length and a date", arguments: PollerKind.allCases)
  func oneGet(poller: PollerKind) async throws {
    try await withServer(using: poller) { server in
      let response = try exchange(server, wire())
      #expect(response.status == 200)
      #expect(response["Content-Type"] == "application/json; charset=utf-8")
      #expect(response["Date"]?.hasSuffix(" GMT") == true)
      #expect(response["Connection"] == nil)
      #expect(response.text.hasPrefix("[{\"id\":\"WWM-0001-12\""))
    }
  }

  @Test("a connection serves one request after another", arguments: PollerKind.allCases)
  func keepAlive(poller: PollerKind) async throws {
    try await withServer(using: poller) { server in
      let client = try WireConnection(server.port)
      for id in 1...5 {
        try client.send(wire())
        #expect(try client.response()["Understudy-Request"] == "\(id)")
      }
    }
  }

  @Test(
    "pipelined requests are answered in order", arguments: PollerKind.allCases, [16, 1_000])
  func pipelined(poller: PollerKind, count: Int) async throws {
    try await withServer(using: poller) { server in
      let client = try WireConnection(server.port)
      let targets = (0..<count).map { "/users/\($0 % 12)" }
      try client.send(targets.map { wire("GET", $0) }.joined())
      for (index, target) in targets.enumerated() {
        let response = try client.response()
        #expect(response["Understudy-Request"] == "\(index + 1)")
        #expect(response.status == (index % 12 == 0 || index % 12 == 11 ? 404 : 200), "\(target)")
      }
    }
  }

  @Test("a request may come byte by byte", arguments: PollerKind.allCases)
  func byteByByte(poller: PollerKind) async throws {
    try await withServer(using: poller) { server in
      let client = try WireConnection(server.port)
      let request = wire("PATCH", "/devices/WWM-0001-12", body: "{\"installationDate\":\"2023-07-05T15:13:34Z\"}")
      for byte in request.utf8 { try client.send([byte]) }
      let response = try client.response()
      #expect(response.status == 200)
      #expect(response["Content-Length"] == "0")
    }
  }

  @Test("two requests may be cut at any place", arguments: PollerKind.allCases)
  func everySplit(poller: PollerKind) async throws {
    try await withServer(using: poller) { server in
      let client = try WireConnection(server.port)
      let requests = Array((wire("POST", "/book", body: "{\"name\":null}") + wire("GET", "/users/1")).utf8)
      for position in 0...requests.count {
        try client.send(Array(requests[..<position]))
        _ = await server.connectionCount()
        try client.send(Array(requests[position...]))
        #expect(try client.response().text == "{\"success\":true}", "cut at \(position)")
        #expect(try client.response().text.contains("Leanne Graham"), "cut at \(position)")
      }
    }
  }

  @Test("a response to HEAD has the head of GET, and no body", arguments: PollerKind.allCases)
  func head(poller: PollerKind) async throws {
    try await withServer(using: poller) { server in
      let client = try WireConnection(server.port)
      for target in ["/devices", "/rooms.json", "/users?_limit=2", "/image/Ljerka", "/nowhere"] {
        try client.send(wire("GET", target) + wire("HEAD", target) + wire("GET", "/state", host: "house.localhost"))
        let get = try client.response()
        let head = try client.response(toHead: true)
        #expect(head.status == get.status)
        let volatile: Set<String> = ["date", "understudy-request"]
        let left = get.fields.filter { !volatile.contains($0.name) }.map { "\($0.name): \($0.value)" }
        let right = head.fields.filter { !volatile.contains($0.name) }.map { "\($0.name): \($0.value)" }
        #expect(left == right, "\(target)")
        #expect(try client.response().text.hasPrefix("{\"temperature\""), "no byte was sent between")
      }
    }
  }

  @Test("an HTTP/1.0 client gets one response and FIN, unless it sends keep-alive", arguments: PollerKind.allCases)
  func oldVersion(poller: PollerKind) async throws {
    try await withServer(using: poller) { server in
      let client = try WireConnection(server.port)
      try client.send(wire("GET", "/users/1", host: nil, version: "1.0"))
      #expect(try client.response()["Connection"] == "close")
      #expect(client.end() == .finished(""))
      let keeper = try WireConnection(server.port)
      for _ in 0..<2 {
        try keeper.send(wire("GET", "/users/1", "Connection: Keep-Alive", version: "1.0"))
        #expect(try keeper.response()["Connection"] == "keep-alive")
      }
    }
  }

  @Test("close among the Connection tokens ends the connection after the response", arguments: PollerKind.allCases)
  func close(poller: PollerKind) async throws {
    try await withServer(using: poller) { server in
      let client = try WireConnection(server.port)
      try client.send(wire("GET", "/devices", "Connection: keep-alive, , Close , x") + wire())
      #expect(try client.response()["Connection"] == "close")
      #expect(client.end() == .finished(""), "the request after it is not answered")
    }
  }

  @Test("a client that expects 100 Continue gets it, and then the response", arguments: PollerKind.allCases)
  func expectation(poller: PollerKind) async throws {
    try await withServer(using: poller) { server in
      let client = try WireConnection(server.port)
      let body = "{\"name\":null}"
      let head = wire("POST", "/book", "Expect: 100-continue", body: body).dropLast(body.utf8.count)
      try client.send(String(head))
      #expect(try client.response().status == 100)
      try client.send(body)
      #expect(try client.response().status == 200)
      try client.send(wire("POST", "/book", "Expect: 100-continue", body: body))
      #expect(try client.response().status == 200, "no 100 Continue for a body that has arrived")
    }
  }

  @Test("unsupported methods are refused, and Upgrade is ignored")
  func unusualMethods() async throws {
    try await withServer { server in
      let options = try exchange(server, wire("OPTIONS", "*"))
      #expect(options.status == 204)
      #expect(options["Allow"]?.contains("PATCH") == true)
      #expect(options["Content-Length"] == nil)
      let trace = try exchange(server, wire("TRACE", "/devices"))
      #expect(trace.status == 405)
      #expect(trace["Allow"] == "GET, HEAD, OPTIONS")
      #expect(try exchange(server, wire("BREW", "/devices")).status == 501)
      let client = try WireConnection(server.port)
      try client.send(wire("CONNECT", "example.com:443", host: "example.com:443"))
      #expect(try client.response().status == 405)
      #expect(client.end() == .finished(""))
      let upgrade = wire("GET", "/users/1", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AA")
      #expect(try exchange(server, upgrade).status == 200)
    }
  }

  @Test("an HTTP/1.0 request without Host never sees the address that another client used")
  func noHost() async throws {
    try await withServer { server in
      let other = try exchange(server, wire("GET", "/rooms.json", host: "other.test:99"))
      #expect(other.text.contains("http://other.test:99/image/"))
      let response = try exchange(server, wire("GET", "/rooms.json", host: nil, version: "1.0"))
      #expect(response.status == 200)
      #expect(!response.text.contains("other.test"))
    }
  }

  @Test("an empty line between requests, cut in two, changes nothing", arguments: PollerKind.allCases)
  func emptyLine(poller: PollerKind) async throws {
    try await withServer(using: poller, { $0.timeouts.head = .seconds(600) }) { server in
      let client = try WireConnection(server.port)
      try client.send(wire("GET", "/users/1"))
      #expect(try client.response().status == 200)
      try client.send("\r")
      _ = await server.connectionCount()
      try client.send("\n")
      _ = await server.connectionCount()
      client.finishWriting()
      #expect(client.end() == .finished(""))
    }
  }
}
