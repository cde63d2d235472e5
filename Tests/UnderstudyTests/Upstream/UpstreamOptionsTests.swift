import Foundation
import HTTP1
import JSON
import LiveTesting
import Platform
import Report
import Testing

@testable import Understudy

@Suite("The options of an upstream", .live, .temporaryFiles)
struct UpstreamOptionsTests {
  private static let created = ScriptedBackend.response("201 Created", #"{"id":1}"#, "Location: /v1/orders/1")

  @Test("a sandbox has its own faults and journal, and the label is not the backend's")
  func sandboxes() async throws {
    let backend = try ScriptedBackend(answering: Self.created)
    try await Stage.inFrontOf(backend.url + "/v1") { stage in
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"ci"}"#)
      let answer = try exchange(stage.server, wire("POST", "/@ci/orders", body: "{}"))
      #expect(answer.status == 201 && answer["Location"] == "/@ci/orders/1")
      #expect(backend.requests.withLock { $0.last }?.hasPrefix("POST /v1/orders HTTP/1.1\r\n") == true)
      #expect(try stage.json("/@ci/_mock/journal")["entries"]?.array?.count == 1)
      #expect(try exchange(stage.server, wire("GET", "/orders", "Understudy-Sandbox: none")).status == 404)
    }
  }

  @Test("a host that names no sandbox is no label, however many names it has, and one that does is")
  func hosts() async throws {
    let backend = try ScriptedBackend(answering: Self.created)
    try await Stage.inFrontOf(backend.url) { stage in
      for host in ["shop.localhost", "a.b.localhost", "a.b.c.localhost"] {
        #expect(try exchange(stage.server, wire("GET", "/orders", host: host)).status == 201, "\(host)")
      }
      let client = try WireConnection(stage.server.port)
      func ask(_ field: String = "X-a: b", host: String) throws -> Int {
        try client.send(wire("GET", "/orders", field, host: host))
        return try client.response().status
      }
      #expect(try ask(host: "a.b.localhost") == 201)
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"b"}"#)
      #expect(try ask(host: "a.b.localhost") == 201)
      #expect(try ask("Understudy-Sandbox: b", host: "a.localhost") == 201)
      #expect(try exchange(stage.server, wire("GET", "/@b/orders", host: "a.localhost")).status == 201)
      #expect(try stage.json("/@b/_mock/journal")["entries"]?.array?.count == 3)
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"a"}"#)
      #expect(try ask(host: "a.b.localhost") == 400)
      #expect(try exchange(stage.server, wire("GET", "/_mock/journal", host: "none.localhost")).status == 404)
    }
  }

  @Test("a sandbox in front of a backend has no URLs of the five APIs")
  func urls() async throws {
    try await Stage.inFrontOf(try ScriptedBackend(answering: Self.created)) { stage in
      let sandbox = try stage.json("/_mock/sandboxes", "POST", #"{"name":"ci"}"#)
      #expect(sandbox["urls"] == [:] && sandbox["url"]?.string?.hasSuffix("/@ci") == true)
    }
  }

  @Test("a preview has the plans that the server would decide")
  func preview() throws {
    var options = MockServer.Options()
    (options.upstream, options.upstreamName, options.scenario, options.seed) = (
      "http://localhost:1", "users", "train", 3
    )
    let here = try MockServer.preview(options, method: "GET", path: "/users/1", count: 40)
    (options.upstream, options.upstreamName) = (nil, MockServer.Options().upstreamName)
    #expect(try MockServer.preview(options, method: "GET", path: "/users/1", count: 40) == here)
  }

  @Test("a preview of a backend with https, which sends it nothing, is that of one with http")
  func encryptedPreview() throws {
    var options = MockServer.Options()
    options.scenario = "train"
    let previews = try ["http://api.example", "https://api.example"].map { url in
      options.upstream = url
      return try MockServer.preview(options, method: "POST", path: "/orders", count: 40)
    }
    #expect(previews[0] == previews[1])
  }

  @Test(
    "what needs a state of the server's own is refused with 409",
    arguments: [
      ("GET", "/_mock/state", ""), ("PATCH", "/_mock/state", "{}"), ("PUT", "/_mock/snapshots/a", ""),
      ("GET", "/_mock/snapshots/a", ""), ("POST", "/_mock/snapshots/a/restore", ""),
      ("POST", "/_mock/sandboxes", #"{"api":"devices"}"#), ("POST", "/_mock/sandboxes", #"{"data":{}}"#),
    ])
  func ownState(method: String, path: String, body: String) async throws {
    try await Stage.inFrontOf(try ScriptedBackend(answering: Self.created)) { stage in
      let answer = try exchange(stage.server, wire(method, path, body: body))
      #expect(answer.status == 409 && answer.text.contains("state-of-upstream"), "\(answer.text)")
    }
  }

  @Test("a rule that needs a state is refused, and those of a built-in scenario are left out")
  func rules() async throws {
    try await Stage.inFrontOf(try ScriptedBackend(answering: Self.created)) { stage in
      let stale = #"{"name":"x","rules":[{"effect":{"latency":"1ms"}},{"effect":{"fault":"stale"}}]}"#
      let answer = try exchange(stage.server, wire("PUT", "/_mock/scenario", body: stale))
      #expect(answer.status == 400 && answer.text.contains("/rules/1/effect"), "\(answer.text)")
      _ = try stage.json("/_mock/scenario", "PUT", "\"rush-hour\"")
      #expect(try stage.json("/_mock/scenario")["rules"]?.array?.allSatisfy { $0["match", "api"] == nil } == true)
      let card = try stage.json("/_mock/report")["checks"]?.array?.first { $0["id"] == "faults-delivered" }
      #expect(card?["sentence"]?.string?.contains("not apply to the backend: ") == true, "\(card ?? .null)")
      let any = #"{"name":"x","rules":[{"match":{"path":"/orders/**"},"effect":{"latency":"1ms"}}]}"#
      #expect(try exchange(stage.server, wire("PUT", "/_mock/scenario", body: any)).status == 200)
      let plan = try stage.json("/_mock/plan?method=POST&path=/orders/1")["plan"]?.array
      #expect(plan?.first?["delay"] == "1ms")
    }
  }

  @Test("a rule that names an API is refused, in a scenario, in a fault by hand and in a file at the start")
  func namedAPI() async throws {
    let rule = #"{"match":{"api":"devices"},"effect":{"status":503}}"#
    let backend = try ScriptedBackend(answering: Self.created)
    try await Stage.inFrontOf(backend) { stage in
      for (method, path, body, pointer) in [
        ("PUT", "/_mock/scenario", #"{"rules":[\#(rule)]}"#, "/rules/0/match/api"),
        ("PATCH", "/_mock/scenario", #"{"rules":[\#(rule)]}"#, "/rules/0/match/api"),
        ("POST", "/_mock/sandboxes", #"{"scenario":{"rules":[\#(rule)]}}"#, "/scenario/rules/0/match/api"),
        ("POST", "/_mock/faults", rule, "/match/api"),
        ("POST", "/_mock/faults", #"{"effect":{"fault":"stale"}}"#, "/effect"),
      ] {
        let answer = try exchange(stage.server, wire(method, path, body: body))
        #expect(answer.status == 400 && answer.text.contains("\"pointer\":\"\(pointer)\""), "\(answer.text)")
      }
    }
    let file = try TemporaryFiles.newFile()
    try Data(#"{"rules":[{"effect":{"latency":"1ms"}},\#(rule)]}"#.utf8).write(to: file)
    var options = MockServer.Options()
    (options.upstream, options.scenario) = (backend.url, file.path)
    let error = await #expect(throws: StartError.self) { _ = try await MockServer.start(options) }
    #expect("\(try #require(error))".contains("/rules/1/match/api: expected none"), "\(String(describing: error))")
  }

  @Test("a fault by hand may match any path of the backend")
  func manualFault() async throws {
    try await Stage.inFrontOf(try ScriptedBackend(answering: Self.created)) { stage in
      let fault = #"{"match":{"path":"/cart","method":"POST"},"effect":{"status":503}}"#
      let answer = try exchange(stage.server, wire("POST", "/_mock/faults", body: fault))
      #expect(answer.status == 201, "\(answer.text)")
      #expect(try exchange(stage.server, wire("POST", "/cart", body: "{}")).status == 503)
    }
  }

  @Test("the rules of a built-in scenario that do not apply are named by the response, which can be sent again")
  func inapplicable() async throws {
    try await Stage.inFrontOf(try ScriptedBackend(answering: Self.created)) { stage in
      let armed = try stage.json("/_mock/scenario", "PUT", "\"rush-hour\"")
      #expect(armed["inapplicable"] == ["colleagues", "busy"] && armed["rules"] == [])
      #expect(try stage.json("/_mock/scenario", "PUT", armed.text) == armed)
      #expect(try stage.json("/_mock/scenario", "PATCH", #"{"seed":5}"#)["inapplicable"] == ["colleagues", "busy"])
      let checks = try stage.json("/_mock/report")["checks"]?.array
      let card = try #require(checks?.first { $0["id"] == "faults-delivered" })
      #expect(card["verdict"] == "warn")
      #expect(card["sentence"]?.string?.hasPrefix("2 rules do not apply to the backend: colleagues, busy.") == true)
      #expect(try stage.json("/_mock/scenario", "PUT", "\"lost-ack\"")["inapplicable"] == nil)
      let made = try stage.json("/_mock/sandboxes", "POST", #"{"name":"ci","scenario":"rush-hour"}"#)
      #expect(made["inapplicable"] == ["colleagues", "busy"] && made["urls"] == [:])
      #expect(try stage.json("/_mock/sandboxes/ci") == made)
      #expect(try stage.json("/_mock/sandboxes/default")["inapplicable"] == nil)
    }
    try await withServer { server in
      let armed = try Stage(server: server).json("/_mock/scenario", "PUT", "\"rush-hour\"")
      #expect(armed["inapplicable"] == nil)
    }
  }

  @Test(
    "options that contradict each other are refused with their names",
    arguments: [
      ("https://a", nil, "docker/tls.py"), ("ftp://a", nil, "the scheme is ftp"), ("http://a", "data", "dataDirectory"),
      ("http://a", "state", "stateDirectory"), ("http://a", "ports", "apiPorts"), (nil, "host", "upstreamHost"),
      ("http://a", "semantics", "semanticsFile"), (nil, "timeout", "upstreamTimeout"), (nil, "body", "maximumBody"),
    ] as [(String?, String?, String)])
  func refused(url: String?, option: String?, word: String) async throws {
    var options = MockServer.Options()
    options.upstream = url
    switch option {
    case "data": options.dataDirectory = "/tmp"
    case "state": options.stateDirectory = "/tmp"
    case "ports": options.apiPorts = 0
    case "host": options.upstreamHost = "a"
    case "timeout": options.upstreamTimeout = .seconds(5)
    case "body": options.maximumBody = 1
    case "semantics": options.semanticsFile = "/nonexistent/semantics.json"
    default: break
    }
    let error = await #expect(throws: StartError.self) { _ = try await MockServer.start(options) }
    #expect("\(try #require(error))".contains(word), "\(String(describing: error))")
  }

  @Test(
    "a timeout has a millisecond at least, and a day at most",
    arguments: [
      (.microseconds(999), false), (.milliseconds(1), true), (.seconds(86_400), true), (.seconds(86_401), false),
    ] as [(Duration, Bool)])
  func timeouts(timeout: Duration, isAccepted: Bool) {
    var options = MockServer.Options()
    (options.upstream, options.upstreamTimeout) = ("http://a", timeout)
    let lines = try? MockServer.preview(options, method: "GET", path: "/orders", count: 1)
    #expect((lines != nil) == isAccepted)
  }

  @Test(
    "an upstream that is certainly the server itself is refused at the start",
    arguments: [
      ("http://localhost:8083", nil, 8083, true), ("http://127.0.0.1:8083/base", nil, 8083, true),
      ("http://0.0.0.0:8083", nil, 8083, true),
      ("http://127.0.0.1:8083", "0.0.0.0", 8083, true), ("http://127.0.0.1", nil, 80, true),
      ("http://localhost:8084", nil, 8083, false), ("http://127.0.0.2:8083", nil, 8083, false),
      ("http://192.0.2.1:8083", "0.0.0.0", 8083, false), ("http://127.0.0.1:8083", "127.0.0.2", 8083, false),
      ("http://[::1]:8083", "0.0.0.0", 8083, false), ("http://[::]:8083", "0.0.0.0", 8083, false),
    ] as [(String, String?, Int, Bool)])
  func itself(url: String, host: String?, port: Int, isRefused: Bool) throws {
    let configuration = Upstream.Configuration(address: try BaseURL(url))
    let addresses = SocketAddress.resolve(configuration.address.host, port: configuration.address.port)
    let result = Result { try configuration.refuseOwnAddress(addresses, port: port, host: host) }
    if case .failure(let error) = result {
      #expect(isRefused && "\(error)".hasPrefix("upstream \(configuration.name) is the address of this server itself"))
    } else {
      #expect(!isRefused)
    }
  }

  @Test(
    "an upstream with an address of the server's own is refused unless another one, tried before, accepts connections",
    arguments: [true, false])
  func severalAddresses(isOpen: Bool) throws {
    let backend = try BoundListener(isOpen: isOpen)
    let configuration = Upstream.Configuration(address: try BaseURL("http://shop:\(backend.port)"))
    let addresses = ["127.0.0.1", "::1"].flatMap { SocketAddress.resolve($0, port: backend.port) }
    withExtendedLifetime(backend) {
      let refused = [addresses, addresses.reversed()].map { addresses in
        (try? configuration.refuseOwnAddress(addresses, port: backend.port, host: "::1")) == nil
      }
      #expect(refused == [!isOpen, true])
    }
  }

  @Test(
    "an answer as long as the limit is held for its fault, and a longer one is not",
    arguments: [(1_000, "sent"), (1_001, "not deliverable")])
  func held(length: Int, outcome: String) async throws {
    let content = "\"" + String(repeating: "a", count: length - 2) + "\""
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", content))
    try await Stage.inFrontOf(backend.url, #"{"effect":{"fault":"corrupt"}}"#) { options in
      options.maximumBody = 1_000
    } body: { stage in
      _ = try exchange(stage.server, wire("GET", "/orders"))
      #expect(try await stage.lastEnded()["outcome"] == .string(outcome))
    }
  }

  @Test("a request that comes back by way of another server is refused, and is passed on once")
  func loop() async throws {
    let port = Observed(0)
    let relay = try ScriptedBackend { request, link in
      guard let server = LiveTesting.Link(to: port.withLock { $0 }) else { return }
      server.send(Array(request.utf8))
      while server.receive() {}
      link.send(server.received)
    }
    try await Stage.inFrontOf(relay) { stage in
      port.withLock { $0 = stage.server.port }
      let answer = try exchange(stage.server, wire("GET", "/orders"))
      #expect(answer.status == 508 && answer.text.contains("upstream-loop"), "\(answer.text)")
      #expect(relay.requests.withLock { $0.count } == 1)
      // Another server's name is no loop.
      let via = wire("GET", "/orders", "Via: 1.1 understudy, 1.1 understudy-0123456789abcdef")
      _ = try exchange(stage.server, via)
      #expect(relay.requests.withLock { $0.count } == 2)
    }
  }
}
