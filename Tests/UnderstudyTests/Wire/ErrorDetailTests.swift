import JSON
import LiveTesting
import Testing

@testable import Primitives
@testable import Understudy

@Suite("The details of an error", .live)
struct ErrorDetailTests {
  @Test(
    "say that a body is a form where JSON is expected, with the content type to send",
    arguments: [
      ("POST", "/book", "application/x-www-form-urlencoded", "name=Ljerka"),
      ("PATCH", "/devices/WWM-0001-12", "application/x-www-form-urlencoded; charset=utf-8", "type=heating"),
      ("POST", "/_mock/sandboxes", "application/x-www-form-urlencoded", "name=ci"),
      ("PUT", "/_mock/scenario", "Application/X-WWW-Form-URLEncoded", "scenario=basement"),
      ("PATCH", "/_mock/state", "application/x-www-form-urlencoded", "a=b"),
      (
        "POST", "/book", "multipart/form-data; boundary=x",
        "--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--\r\n"
      ),
    ])
  func form(method: String, target: String, mediaType: String, body: String) async throws {
    try await withServer { server in
      let response = try exchange(server, wire(method, target, "Content-Type: \(mediaType)", body: body))
      let detail = try JSONValue(parsing: response.body)["detail"]?.string ?? ""
      #expect(response.status == 400)
      #expect(
        detail.hasPrefix("The body is a form (") && detail.contains("Content-Type: application/json"), "\(detail)")
    }
  }

  @Test(
    "still describe JSON that a client labels as a form",
    arguments: [("POST", "/book", "{\"name\": Ljerka}"), ("PUT", "/_mock/scenario", "basement")])
  func labelled(method: String, target: String, body: String) async throws {
    try await withServer { server in
      let type = "Content-Type: application/x-www-form-urlencoded"
      let detail = try JSONValue(parsing: exchange(server, wire(method, target, type, body: body)).body)["detail"]
      #expect(detail?.string?.hasPrefix("At byte ") == true)
    }
  }

  @Test("name the target as the instance, even if it is not a path", arguments: [("PATCH", "*"), ("CONNECT", "a:1")])
  func instance(method: String, target: String) async throws {
    try await withServer { server in
      let response = try exchange(server, wire(method, target, host: target == "*" ? "localhost" : target))
      #expect(response.status >= 400)
      #expect(try JSONValue(parsing: response.body)["instance"]?.string == target, "\(response.text)")
    }
  }

  @Test(
    "have the form of the API that the request names, even if it has two labels of one kind",
    arguments: ["/@booking/@a/@b/book", "/@a/@booking/@b/book", "/@booking/@users/book"])
  func twoLabels(target: String) async throws {
    try await withServer { server in
      let response = try exchange(server, wire("POST", target, body: "{}"))
      #expect(response.status == 400)
      #expect(try JSONValue(parsing: response.body)["success"] == false, "\(response.text)")
    }
  }

  @Test("suggest the scenario, the fault or the word that was probably meant")
  func suggestions() async throws {
    try await withServer { server in
      func detail(_ body: String) throws -> String {
        try JSONValue(parsing: exchange(server, wire("PUT", "/_mock/scenario", body: body)).body)["detail"]?.string
          ?? ""
      }
      #expect(try detail("\"basemnt\"").hasSuffix("; did you mean basement?"))
      #expect(try detail("{\"rules\":[{\"effect\":{\"fault\":\"rest\"}}]}").hasSuffix("; did you mean reset?"))
      #expect(try detail("{\"rules\":[{\"efect\":{}}]}").hasSuffix("; did you mean effect?"))
      #expect(
        try detail("{\"rules\":[{\"effect\":{\"fault\":\"hang\",\"then\":\"rset\"}}]}").hasSuffix(
          "; did you mean reset?"))
      #expect(try !detail("\"quite-another\"").contains("did you mean"))
      let after = "{\"rules\":[{\"phase\":\"after\",\"effect\":{\"fault\":\"stale\"}}]}"
      #expect(try detail(after).contains("expected before with stale: only a response"))
      let preferred = try exchange(server, wire("GET", "/devices", "Prefer: fault=hang; then=rset"))
      #expect(preferred["Understudy-Fault"]?.contains("did you mean reset?") == true, "\(preferred.head)")
    }
    #expect(throws: StartError.self) { try Scenarios.load("basemnt") }
    do throws(StartError) {
      _ = try Scenarios.load("basemnt")
    } catch {
      #expect("\(error)".hasSuffix("; did you mean basement?"), "\(error)")
    }
  }
}
