import Contract
import ControlAPI
import HTTP1
import JSON
import LiveTesting
import Primitives
import Testing

@testable import Understudy

@Suite("Names of this machine")
struct LoopbackTests {
  @Test(
    "are localhost, its subdomains and the addresses of the loopback network",
    arguments: [
      ("localhost", true), ("LOCALHOST:8080", true), ("localhost.", true), ("ci-1.localhost", true),
      ("a.b.localhost", true),
      ("[::1]", true), ("[::1]:81", true), ("127.0.0.1", true), ("127.255.0.3:8080", true), ("127.0.0.1.5", false),
      ("127.0.0", false), ("127.0.0.", false), ("127.1", false), ("2130706433", false), ("127.0.0.256", false),
      ("127.0.0.+1", false), ("127.0.0.a", false), ("128.0.0.1", false), ("0.0.0.0", false), ("[::]", false),
      ("[::2]", false), ("[::2]:80", false), ("[::ffff:127.0.0.1]", false), ("notlocalhost", false),
      ("comgy.io", false),
      ("localhost.example", false), ("127.0.0.1.example", false), ("127.0.0.1@example", false),
      ("\u{FF11}27.0.0.1", false), ("", false),
    ])
  func names(authority: String, isLoopback: Bool) {
    #expect(HostField(authority.utf8).isLoopback == isLoopback)
  }
}

private func path(_ text: String) -> NormalizedPath {
  var path = NormalizedPath()
  let bytes = Array(text.utf8)
  path.read(bytes, 0..<bytes.count)
  return path
}

@Suite("Addresses")
struct AddressTests {
  @Test(
    "a path is its decoded segments, without the empty ones",
    arguments: [
      ("/", [], "/"), ("", [], "/"), ("//", [], "/"), ("//users/", ["users"], "/users"),
      ("/a%2Fb/c", ["a/b", "c"], "/a/b/c"),
      ("/living%20room//tv/on/", ["living room", "tv", "on"], "/living room/tv/on"),
      ("/%C3%A9", ["é"], "/é"), ("/100%25", ["100%"], "/100%"), ("/a%", ["a%"], "/a%"), ("/%4", ["%4"], "/%4"),
      ("/+", ["+"], "/+"), ("/%zz", ["%zz"], "/%zz"),
    ] as [(String, [String], String)])
  func segments(text: String, segments: [String], canonical: String) {
    let path = UnderstudyTests.path(text)
    #expect((0..<path.count).map { path.text($0) } == segments)
    #expect(path.canonical == canonical)
  }

  @Test("labels are removed from the front of a path only")
  func pathLabels() {
    var path = UnderstudyTests.path("/@booking//@ci-42/rooms/@x")
    #expect(path.takeLabel() == "booking")
    #expect(path.takeLabel() == "ci-42")
    #expect(path.takeLabel() == nil)
    #expect(path.canonical == "/rooms/@x")
    let bytes = Array("/a".utf8)
    path.read(bytes, 0..<2)
    #expect(path.canonical == "/a", "the labels of the previous request are removed")
  }

  @Test("a cached route has the labels and the origin of each request's own host, port and path")
  func hosts() throws {
    let router = RequestRouter(apis: API.all, control: .control)
    for round in 1...2 {
      for host in ["localhost", "a.localhost", "b.localhost:81", "users.localhost"] {
        for port in [Labels(), Labels(sandbox: "c")] {
          for path in ["/devices", "/@d/devices"] {
            let names =
              [host.hasPrefix("localhost") || host.hasPrefix("users") ? nil : String(host.prefix(1))]
              + [port.sandbox, path == "/devices" ? nil : "d"]
            let address = router.address(
              of: try parsed(wire("GET", path, host: host)), by: Link(number: 1, peer: "", port: port))
            let sandboxes = names.compactMap(\.self)
            let note = "\(host) \(port) \(path) in round \(round)"
            #expect(sandboxes.count > 1 || address.labels.sandbox == sandboxes.first, "\(note)")
            #expect(sandboxes.count > 1 || address.origin == "http://" + host, "\(note)")
            let isRefused = sandboxes.count > 1 || host.hasPrefix("users")
            #expect((address.destination.operation == nil) == isRefused, "\(note)")
          }
        }
      }
    }
  }

  @Test("a path is routed if a request for it reaches an operation")
  func routed() {
    for (path, isRouted) in [
      ("/devices", true), ("/@devices/devices?a=b", true), ("/@ci-1/@devices/devices", true),
      ("/@users/devices", false),
      ("/@devices/@devices/devices", false), ("/@a/@b/devices", false), ("/nowhere", false),
    ] {
      #expect(MockServer.isRouted(method: "HEAD", path: path) == isRouted, "\(path)")
    }
  }

  private static let devices = 0
  private static let booking = 4

  @Test(
    "a host selects labels before localhost, or the API of a real service",
    arguments: [
      ("localhost", nil, nil), ("LOCALHOST:8080", nil, nil), ("127.0.0.1:1", nil, nil), ("example.com", nil, nil),
      ("booking.localhost:8080", 4, nil), ("ci-42.localhost", nil, "ci-42"), ("CI-42.Localhost.:1", nil, "ci-42"),
      ("booking.ci-42.localhost", 4, "ci-42"), ("ci-42.booking.localhost", 4, "ci-42"), ("comgy.io:80", 0, nil),
      ("jsonplaceholder.typicode.com", 3, nil), ("booking.example.com", nil, nil), ("[::1]:8080", nil, nil),
      ("notlocalhost", nil, nil), (".localhost", nil, nil),
    ] as [(String, Int?, String?)])
  func hostLabels(host: String, api: Int?, sandbox: String?) throws {
    #expect(try HostField(host.utf8).labels(API.all) == Labels(api: api, sandbox: sandbox))
  }

  @Test(
    "two labels of one kind conflict, even if they are equal",
    arguments: [
      "booking.users.localhost", "booking.booking.localhost", "a.b.localhost", "a.a.localhost",
    ])
  func conflicts(host: String) {
    #expect(throws: Labels.Conflict.self) { try HostField(host.utf8).labels(API.all) }
  }

  @Test("each URL of a sandbox leads to that API and that sandbox, with and without an API or a port of its own")
  func urlsLead() async throws {
    let paths = [
      "devices": "/devices", "activities": "/activities", "house": "/state", "users": "/users", "booking": "/rooms",
    ]
    try await withServer { server in
      for (number, further) in ["", #","api":"booking""#, #","port":0"#, #","api":"house","port":0"#].enumerated() {
        let name = "s\(number)"
        let host = "localhost:\(server.port)"
        let made = try exchange(
          server, wire("POST", "/_mock/sandboxes", host: host, body: #"{"name":"\#(name)"\#(further)}"#))
        let urls = try #require(JSONValue(parsing: made.body)["urls"]?.object)
        #expect(urls.members.map(\.name) == API.all.map(\.name))
        for url in urls.members {
          let text = try #require(url.value.string)
          let rest = text.dropFirst("http://localhost:".count)
          let (port, prefix) = (try #require(Int(rest.prefix { $0 != "/" })), rest.drop { $0 != "/" })
          let target = String(prefix) + (paths[url.name] ?? "")
          let response = try exchange(server, wire("GET", target, host: "localhost:\(port)"), port: port)
          #expect(response.status == 200, "\(text)")
          let entries = await server.ask { loop in loop.application.state.sandboxes[name]?.traffic.journal.lastID }
          #expect(entries == (urls.members.firstIndex { $0.name == url.name } ?? 0) + 1, "\(text) is of \(name)")
        }
      }
    }
  }
}

@Suite("The router")
struct RouterTests {
  private static func operation(
    _ id: String, _ method: Method, _ path: PathTemplate, isMerged: Bool = true
  ) -> Contract.Operation {
    Contract.Operation(
      id, method, path, semantics: .changesNothing(isMerged: isMerged),
      documentation: .init(summary: "", responses: []))
  }

  private static let first = API(
    name: "first", title: "", about: "",
    operations: [
      operation("list", .get, "/things"), operation("special", .get, "/things/special"),
      operation("get", .get, "/things/{id}"), operation("put", .put, "/things/{id}"),
      operation("deep", .post, "/things/special/deep"), operation("part", .get, "/things/{id}/parts/{part}"),
      operation("own", .get, "/own", isMerged: false),
    ], data: .any)
  private static let second = API(
    name: "second", title: "", about: "",
    operations: [operation("any", .get, "/{room}/{fixture}/on"), operation("state", .get, "/state")], data: .any)

  private let merged = Router([(0, first), (1, second)], isMerged: true)
  private let own = Router([(0, first)], isMerged: false)

  private func id(_ text: String, _ method: Method = .get) -> String? {
    guard let route = merged.match(path(text))?.route(for: method) else { return nil }
    return [Self.first, Self.second][route.api].operations[route.operation].id
  }

  @Test("a literal segment takes precedence over a variable, unless it matches no operation")
  func literals() {
    #expect(id("/things") == "list")
    #expect(id("/things/special") == "special")
    #expect(id("/things/7") == "get")
    #expect(id("/things/special/parts/2") == "part")
    #expect(id("/things/lamp/on") == "any")
    #expect(id("/things/special/deep", .post) == "deep")
    #expect(id("/state") == "state")
    #expect(id("/nothing") == nil)
    #expect(id("/things/7/parts") == nil)
    #expect(id("/") == nil)
  }

  @Test("the variables have their positions in the path, even after backtracking")
  func variables() {
    #expect(merged.match(path("/things/special/parts/2"))?.variables.positions == [1, 3])
    #expect(merged.match(path("/things/lamp/on"))?.variables.positions == [0, 1])
    #expect(merged.match(path("/things"))?.variables.positions == [])
  }

  @Test("Allow names the methods of the path, HEAD with GET, and OPTIONS")
  func allow() {
    #expect(merged.match(path("/things/7"))?.allowed == "GET, HEAD, PUT, OPTIONS")
    #expect(merged.match(path("/things/special/deep"))?.allowed == "POST, OPTIONS")
  }

  @Test("the 404 has the error shape of the API that owns the first segment")
  func owner() {
    #expect(merged.owner(of: path("/things/7/nothing")) == 0)
    #expect(merged.owner(of: path("/state/x")) == 1)
    #expect(merged.owner(of: path("/elsewhere")) == nil)
    #expect(merged.owner(of: path("/")) == nil)
  }

  @Test("an operation that is not merged is on its API's own origin only")
  func isMerged() {
    #expect(merged.match(path("/own")) == nil)
    #expect(own.match(path("/own")) != nil)
  }
}
