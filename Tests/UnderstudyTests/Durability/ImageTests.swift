import JSON
import Primitives
import Testing

@testable import Understudy

@Suite("A stored image")
struct ImageTests {
  private let disk = MemoryDisk(seed: 1)

  private func restart(_ server: DurableServer, scenario: String = "calm") throws -> DurableServer {
    try DurableServer(on: disk, scenario: scenario)
  }

  @Test("contains the idempotency keys with their responses, so that each is applied once")
  func keys() throws {
    let server = try DurableServer(on: disk)
    let booking = wire("POST", "/book", "Idempotency-Key: a", body: "{\"name\":\"Ljerka\"}")
    #expect(server.ask(booking).status == 200)
    let rooms = server.ask(wire("GET", "/rooms.json")).text
    let again = try restart(server)
    let replayed = again.ask(booking)
    #expect(replayed.status == 200 && replayed["Idempotent-Replayed"] == "true")
    #expect(again.ask(wire("GET", "/rooms.json")).text == rooms)
    let other = wire("POST", "/book", "Idempotency-Key: a", body: "{\"name\":\"Mostafa\"}")
    #expect(again.ask(other).status == 422)
  }

  @Test("contains the frozen clock, and a snapshot")
  func clock() throws {
    let server = try DurableServer(on: disk)
    #expect(server.ask(wire("PUT", "/_mock/snapshots/s")).status < 300)
    server.ask(wire("PATCH", "/_mock/state", body: "{\"house\":{\"temperature\":31}}"))
    server.ask(wire("PATCH", "/_mock/clock", body: "{\"frozen\":true,\"advance\":\"1h\"}"))
    let clock = try JSONValue(parsing: server.ask(wire("GET", "/_mock/clock")).body)
    let again = try restart(server)
    let kept = try JSONValue(parsing: again.ask(wire("GET", "/_mock/clock")).body)
    #expect(kept["now"] == clock["now"] && kept["frozen"] == true)
    #expect(again.ask(wire("GET", "/@house/state")).text.contains("31"))
    #expect(again.ask(wire("POST", "/_mock/snapshots/s/restore")).status < 300)
    #expect(!again.ask(wire("GET", "/@house/state")).text.contains("31"))
  }

  @Test("is overridden by the command line's scenario only if that differs from the previous start's")
  func commandLine() throws {
    let server = try DurableServer(on: disk, scenario: "lost-ack")
    #expect(server.ask(wire("PUT", "/_mock/scenario", body: "\"train\"")).status == 200)
    func scenario(_ server: DurableServer) throws -> JSONValue? {
      try JSONValue(parsing: server.ask(wire("GET", "/_mock/sandboxes/default")).body)["scenario"]
    }
    let same = try restart(server, scenario: "lost-ack")
    #expect(try scenario(same) == "train")
    let other = try restart(same, scenario: "overload")
    #expect(try scenario(other) == "overload")
    #expect(try scenario(restart(other, scenario: "overload")) == "overload")
  }
}
