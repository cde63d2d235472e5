import Contract
import JSON
import Primitives
import Report
import Services
import Testing

@testable import Understudy

@Suite("Operations with effects")
struct ActingTests {
  @Test(
    "HEAD changes nothing, even where GET would",
    arguments: ["/kitchen/light/on", "/living-room/tv/on", "/reset", "/book", "/book?name=Ljerka", "/bookRoom.json"])
  func head(target: String) throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    #expect(server.ask(wire("POST", "/activities/7830", body: "{\"is_archived\":true}")).status == 200)
    let (before, version) = (server.image, server.application.state.sandboxes[nil]?.state.store.version)
    let response = server.ask(wire("HEAD", target))
    #expect(response.status < 500 && response.body.isEmpty)
    #expect(server.image == before && server.application.state.sandboxes[nil]?.state.store.version == version)
    let journal = try #require(server.application.state.sandboxes[nil]).traffic.journal
    #expect(journal.entry(journal.lastID)?.isApplied == false)
  }

  @Test(
    "a write that fails its precondition changes neither the state nor its version",
    arguments: ["\"x\"", "W/\"x\"", ""])
  func failedPrecondition(tag: String) throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let (before, version) = (server.image, server.application.state.sandboxes[nil]?.state.store.version)
    let body = "{\"meterPointDescription\":\"Attic\"}"
    #expect(server.ask(wire("PATCH", "/devices/WWM-0001-12", "If-Match: \(tag)", body: body)).status == 412)
    #expect(server.image == before && server.application.state.sandboxes[nil]?.state.store.version == version)
  }

  @Test("an idempotency key is valid for its own resource only")
  func keyOfResource() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let body = "{\"meterPointDescription\":\"Attic\"}"
    for id in ["WWM-0001-12", "HEA-5513-39"] {
      #expect(server.ask(wire("PATCH", "/devices/\(id)", "Idempotency-Key: a", body: body)).status == 200)
      #expect(server.ask(wire("GET", "/devices/\(id)")).text.contains("Attic"))
    }
  }

  @Test("HEAD of an operation with effects does not match rules about changes")
  func headIsNoChange() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let rule = "{\"match\":{\"changes\":true},\"effect\":{\"status\":503}}"
    #expect(server.ask(wire("PUT", "/_mock/scenario", body: "{\"rules\":[\(rule)]}")).status == 200)
    #expect(server.ask(wire("HEAD", "/living-room/tv/on")).status == 200)
    #expect(server.ask(wire("GET", "/living-room/tv/on")).status == 503)
  }
}
