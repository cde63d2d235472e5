import JSON
import Testing

@testable import Understudy

@Suite("The names of sandboxes")
struct SandboxNameTests {
  @Test("are generated once, even if the sandbox is deleted, and differ from those that clients chose")
  func names() async throws {
    try await withStage { stage in
      func make(_ body: String = "{}") throws -> String {
        try #require(try stage.json("/_mock/sandboxes", "POST", body)["name"]?.string)
      }
      #expect(try make() == "sandbox-1")
      #expect(try make() == "sandbox-2")
      _ = try stage.json("/_mock/sandboxes/sandbox-2", "DELETE")
      #expect(try make() == "sandbox-3")
      #expect(try make(#"{"name":"sandbox-4"}"#) == "sandbox-4")
      #expect(try make() == "sandbox-5")
    }
  }

  @Test("are refused if they are in use, and the existing sandbox does not change")
  func taken() async throws {
    try await withStage { stage throws in
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"ci","seed":7}"#)
      let again = try exchange(stage.server, wire("POST", "/_mock/sandboxes", body: #"{"name":"ci","seed":8}"#))
      #expect(again.status == 409 && again.text.contains("urn:understudy:problem:sandbox-exists"))
      #expect(try stage.json("/_mock/sandboxes/ci")["seed"] == 7)
      for name in ["default", "booking"] {
        let body = "{\"name\":\"\(name)\"}"
        #expect(try exchange(stage.server, wire("POST", "/_mock/sandboxes", body: body)).status == 400)
      }
    }
  }

  @Test("include the default one, which cannot be deleted")
  func keepsDefault() async throws {
    try await withStage { stage throws in
      let response = try exchange(stage.server, wire("DELETE", "/_mock/sandboxes/default"))
      #expect(response.status == 409 && response.text.contains("/_mock/reset"))
      #expect(try exchange(stage.server, wire("GET", "/devices")).status == 200)
    }
  }

  @Test("are not generated again after a restart")
  func restart() throws {
    let disk = MemoryDisk(seed: 1)
    func make(_ server: DurableServer) throws -> String {
      try #require(JSONValue(parsing: server.ask(wire("POST", "/_mock/sandboxes", body: "{}")).text)["name"]?.string)
    }
    let first = try DurableServer(on: disk)
    #expect(try make(first) == "sandbox-1")
    #expect(try make(first) == "sandbox-2")
    #expect(first.ask(wire("DELETE", "/_mock/sandboxes/sandbox-2")).status == 204)
    let second = try DurableServer(on: disk)
    #expect(try make(second) == "sandbox-3")
    #expect(second.ask(wire("DELETE", "/_mock/sandboxes/sandbox-3")).status == 204)
    let third = try DurableServer(on: disk)
    #expect(try make(third) == "sandbox-4")
    #expect(try make(third) == "sandbox-5")
  }

  @Test(
    "are counted only if the server could have generated them",
    arguments: [
      ("sandbox-7", 7), ("sandbox-07", nil), ("sandbox-", nil), ("sandbox-x", nil), ("box-7", nil),
      ("sandbox-9223372036854775807", nil), ("sandbox--7", nil),
    ] as [(String, Int?)])
  func chosen(name: String, number: Int?) { #expect(Sandboxes.number(in: name) == number) }
}
