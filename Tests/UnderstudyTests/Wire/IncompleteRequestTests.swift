import HTTP1
import JSON
import LiveTesting
import Primitives
import Testing

@testable import Understudy

/// Requests that are refused before they have been read completely.
@Suite("Requests that are refused before they are complete")
struct IncompleteRequestTests {
  struct Refused: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    /// The bytes from the method on.
    let bytes: @Sendable (_ method: String, _ path: String) -> String

    init(_ description: String, _ status: Int, _ bytes: @escaping @Sendable (String, String) -> String) {
      (testDescription, self.status, self.bytes) = (description, status, bytes)
    }

    static let all = [
      Refused("a blank before a colon", 400) { wire($0, $1, "X : y") },
      Refused("two lengths", 400) { wire($0, $1, "Content-Length: 1", "Content-Length: 2") },
      Refused("a bad chunk", 400) { wire($0, $1, "Transfer-Encoding: chunked") + "x\r\n" },
      Refused("a body that is too large", 413) { wire($0, $1, "Content-Length: 1048577") },
      Refused("a target that is too long", 414) { wire($0, $1 + "/" + String(repeating: "a", count: 9_000)) },
      Refused("an unknown expectation", 417) { wire($0, $1, "Expect: tea") },
      Refused("fields that are too large", 431) { wire($0, $1, "X: " + String(repeating: "a", count: 33_000)) },
      Refused("an unknown transfer coding", 501) { wire($0, $1, "Transfer-Encoding: tea, chunked") },
      Refused("HTTP/2.0", 505) { wire($0, $1, version: "2.0") },
    ]
  }

  @Test("get a response without a body to HEAD", arguments: Refused.all)
  func head(refused: Refused) async throws {
    try await withServer { server in
      let client = try WireConnection(server.port)
      try client.send(refused.bytes("HEAD", "/devices"))
      let head = try client.response(toHead: true)
      #expect(head.status == refused.status)
      #expect(head["Content-Length"].flatMap { Int($0) } ?? 0 > 0, "as long as the body that GET would get")
      #expect(client.end() == .finished(""))
    }
  }

  @Test("get a response without a body to HEAD for an https target or a timeout, but not to `head`")
  func otherHeads() async throws {
    try await withServer({ $0.timeouts.head = .milliseconds(50) }) { server in
      for (bytes, status) in [
        ("HEAD https://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 421), ("HEAD /devices HTTP/1.1\r\nHo", 408),
      ] {
        let client = try WireConnection(server.port)
        try client.send(bytes)
        #expect(try client.response(toHead: true).status == status)
        #expect(client.end() == .finished(""))
      }
      let client = try WireConnection(server.port)
      try client.send(wire("head", "/devices", "X : y"))
      #expect(try !client.response().body.isEmpty)
    }
  }

  private func entries(_ server: MockServer, _ sandbox: String) throws -> [JSONValue] {
    let journal = try exchange(server, wire("GET", "/@\(sandbox)/_mock/journal"))
    return try #require(try JSONValue(parsing: journal.body)["entries"]?.array)
  }

  @Test("are in the journal of the sandbox that their head names, in each way to name it", arguments: Refused.all)
  func journal(refused: Refused) async throws {
    try await withServer { server in
      let made = try exchange(server, wire("POST", "/_mock/sandboxes", body: "{\"name\":\"ci\",\"port\":0}"))
      let port = try #require(try JSONValue(parsing: made.body)["port"]?.int)
      let plain = refused.bytes("PATCH", "/devices/x")
      var ways = [(refused.bytes("PATCH", "/@ci/devices/x"), server.port), (plain, port)]
      if refused.status != 414, refused.status != 505 {
        ways.append((plain.replacing("Host: localhost", with: "Host: ci.localhost"), server.port))
        ways.append((plain.replacing("Host: ", with: "Understudy-Sandbox: ci\r\nHost: "), server.port))
      }
      for (bytes, port) in ways { #expect(try exchange(server, bytes, port: port).status == refused.status) }
      let found = try entries(server, "ci")
      #expect(found.count == ways.count)
      for entry in found {
        #expect(entry["response", "status"]?.int == refused.status)
        #expect(entry["outcome"]?.string == "sent")
        #expect(entry["n"] == .null && entry["plan"] == .null && entry["applied"] == false)
        #expect(entry["remark"]?.string?.hasPrefix("refused: ") == true)
        #expect(entry["method"]?.string == "PATCH")
      }
      #expect(try entries(server, "default").isEmpty)
      #expect(try exchange(server, plain).status == refused.status)
      #expect(try entries(server, "default").count == 1, "without a name it is the default sandbox's")
    }
  }

  @Test("are in the journal after a timeout, and are not counted in their stream")
  func timeout() async throws {
    func hurry(_ options: inout MockServer.Options) {
      (options.timeouts.head, options.timeouts.body) = (.milliseconds(50), .milliseconds(50))
    }
    try await withServer(hurry) { server in
      let device = "/@default/devices/WWM-0001-12"
      for bytes in ["PATCH \(device) HTTP/1.1\r\nHost: localhost\r\nX: ", wire("PATCH", device, "Content-Length: 9")] {
        #expect(try exchange(server, bytes).status == 408)
      }
      #expect(try exchange(server, wire("PATCH", device, body: "{}")).status == 200)
      let found = try entries(server, "default")
      #expect(found.map { $0["response", "status"]?.int } == [408, 408, 200])
      #expect(found.map { $0["n"]?.int } == [nil, nil, 1])
    }
  }

  @Test("are in no journal without a method or with an unknown sandbox")
  func nowhere() async throws {
    try await withServer { server throws in
      #expect(try exchange(server, "hello\r\n\r\n").status == 400)
      #expect(try exchange(server, wire("GET", "/@unknown/devices", "X : y")).status == 400)
      #expect(try entries(server, "default").isEmpty)
    }
  }

  @Test("have their secrets masked in the journal")
  func masked() async throws {
    try await withServer { server in
      #expect(try exchange(server, wire("GET", "/devices", "Authorization: Bearer hush ", "X : y")).status == 400)
      let entry = try #require(try entries(server, "default").first)
      #expect(entry["request", "headers", "Authorization"]?.string?.hasPrefix("(masked-") == true)
    }
  }

  @Test("get a problem that names the path, in the error shape of its API")
  func wording() async throws {
    try await withServer { server in
      let members = [("/devices/x", "type"), ("/activities/7834", "message"), ("/book", "success"), ("/users", "type")]
      for (path, member) in members {
        let response = try exchange(server, wire("POST", path + "?a=b", "Content-Length: 1048577"))
        let problem = try JSONValue(parsing: response.body)
        #expect(problem["instance"]?.string == path)
        #expect(problem[member] != nil, "\(path)")
      }
    }
  }
}
