import JSON
import LiveTesting
import Testing

@testable import Understudy

@Suite("Preconditions without an entity tag, and conflicting keys")
struct PreconditionTests {
  @Test(
    "a tag in If-Match refuses an operation with effects and without a tag, before the body is read",
    arguments: [
      ("POST", "/book", "{\"name\":\"Ljerka\"}"), ("POST", "/book", "{"), ("POST", "/bookRoom.json", nil),
      ("GET", "/bedroom/AC/on", nil), ("GET", "/bedroom/AC/off", nil), ("HEAD", "/bedroom/AC/on", nil),
      ("GET", "/reset", nil), ("PATCH", "/reset", nil), ("PATCH", "/devices/WWM-0001-12", "{"),
      ("POST", "/activities/7834", nil), ("PATCH", "/_mock/clock", "{\"frozen\":true}"), ("POST", "/_mock/reset", nil),
      ("POST", "/_mock/sandboxes", "{\"name\":\"made\"}"),
    ] as [(String, String, String?)])
  func tagless(method: String, path: String, body: String?) async throws {
    try await withStage { stage in
      _ = try stage.json("/activities/7834", "POST", "{\"is_archived\":true}")
      let before = try stage.json("/_mock/state")
      for condition in ["\"x\"", "W/\"x\"", "\"x\", \"y\"", ""] {
        let response = try exchange(stage.server, wire(method, path, "If-Match: \(condition)", body: body))
        #expect(response.status == 412, "\(condition)")
      }
      #expect(try stage.json("/_mock/state") == before)
      #expect(try stage.json("/_mock/sandboxes")["sandboxes"]?.array?.count == 1)
      #expect(try stage.json("/_mock/clock")["frozen"] == false)
    }
  }

  @Test("If-Match: * fails for effects without a representation, and is met by one without a tag")
  func anyState() async throws {
    try await withServer { server throws in
      for request in [wire("POST", "/book", "If-Match: *"), wire("GET", "/reset", "If-Match: *")] {
        #expect(try exchange(server, request).status == 412)
      }
      #expect(try exchange(server, wire("PUT", "/_mock/scenario", "If-Match: *", body: "\"calm\"")).status == 200)
    }
  }

  @Test("If-Match on a missing resource gives 404")
  func anyTag() async throws {
    try await withServer { server throws in
      #expect(try exchange(server, wire("PATCH", "/devices/x", "If-Match: \"x\"", body: "{}")).status == 404)
      for request in [wire("GET", "/nowhere", "If-Match: \"x\""), wire("PUT", "/users", "If-Match: \"x\"", body: "{}")]
      {
        #expect(try exchange(server, request).status == 404)
      }
    }
  }

  @Test("two different Idempotency-Keys are refused, and the same key on two lines is accepted")
  func twoKeys() async throws {
    try await withServer { server throws in
      func book(_ second: String) -> String {
        wire("POST", "/book", "Idempotency-Key: a", "Idempotency-Key: \(second)", body: "{\"name\":\"Ljerka\"}")
      }
      #expect(try exchange(server, book("b")).status == 400)
      #expect(try exchange(server, book("")).status == 400)
      #expect(try exchange(server, book("a")).status == 200)
    }
  }
}
