import HTTP1
import Testing

@testable import Understudy

@Suite("Fields with lists that would take long to parse")
struct LongListTests {
  private static func list(_ bytes: Int) -> String {
    String((0..<bytes).map { "\"tag-\($0)\"" }.joined(separator: ", ").prefix(bytes - 1)) + "\""
  }

  @Test(
    "are refused, whatever is asked for",
    arguments: [
      ("GET", "/users/1", "If-None-Match"), ("PATCH", "/devices/WWM-0001-12", "If-Match"),
      ("GET", "/_mock/report", "Accept"), ("GET", "/users", "Prefer"), ("GET", "/none", "X-Forwarded-Host"),
    ])
  func refused(method: String, target: String, field: String) throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let list = Self.list(Limits.standard.lists + 1)
    let response = server.ask(wire(method, target, "\(field): \(list)", body: method == "PATCH" ? "{}" : ""))
    #expect(response.status == 431 && response.text.contains("The lists in fields such as Accept"))
  }

  @Test("are accepted up to the limit, and so are longer fields without a list")
  func accepted() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    #expect(server.ask(wire("GET", "/users/1", "If-None-Match: \(Self.list(Limits.standard.lists))")).status == 200)
    #expect(server.ask(wire("GET", "/users/1", "X-Long: \(Self.list(20_000))")).status == 200)
  }
}
