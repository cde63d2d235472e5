import LiveTesting
import Primitives
import Testing

@testable import Understudy

@Suite("Labels in requests")
struct LabelTests {
  /// A server with a sandbox `ci-42`, which is created through the loop's job queue, and not by a request.
  private func withSandbox(_ body: (MockServer) async throws -> Void) async throws {
    try await withServer { server in
      server.jobs.post { loop in
        let application = loop.application
        application.state.sandboxes.add(
          Sandbox(
            Sandbox.Configuration(identity: Sandbox.Identity(name: "ci-42")), seeds: application.state.seeds,
            at: application.realTime,
            tick: application.tick))
      }
      let patch = wire(
        "PATCH", "/devices/WWM-0001-12", "Understudy-Sandbox: ci-42", body: "{\"meterPointDescription\":\"Attic\"}")
      let response = try exchange(server, patch)
      #expect(response.status == 200)
      try await body(server)
    }
  }

  @Test("the origin of the server's own pages has the scheme that a proxy names", arguments: ["https", "http"])
  func forwarded(scheme: String) async throws {
    try await withServer { server in
      for (origin, status) in [("\(scheme)://localhost", 200), ("ftp://localhost", 403)] {
        let request = wire("GET", "/_mock/state", "X-Forwarded-Proto: \(scheme)", "Origin: \(origin)")
        let response = try exchange(server, request)
        #expect(response.status == status, "\(origin)")
      }
    }
  }

  @Test("a sandbox is reached by host, path and field, and no other request sees it")
  func sandbox() async throws {
    try await withSandbox { server in
      let inside = [
        wire("GET", "/devices", host: "ci-42.localhost:1"), wire("GET", "/@ci-42/devices"),
        wire("GET", "/devices", "Understudy-Sandbox: ci-42"), wire("GET", "/devices", "Understudy-Sandbox: CI-42"),
        wire("GET", "/@CI-42/@devices/devices"), wire("GET", "/devices", host: "devices.ci-42.localhost"),
        wire("GET", "//@ci-42//devices/"), wire("GET", "http://ci-42.localhost/devices", host: "localhost"),
        wire("GET", "/%40ci-42/devices"), wire("GET", "/@ci-42/devices", host: "comgy.io"),
      ]
      for request in inside {
        let response = try exchange(server, request)
        #expect(response.text.contains("Attic"), "\(request)")
      }
      let outside = [
        wire(), wire("GET", "/@default/devices"), wire("GET", "http://a/devices", host: "ci-42.localhost"),
      ]
      for request in outside {
        let response = try exchange(server, request)
        #expect(response.status == 200 && !response.text.contains("Attic"), "\(request)")
      }
    }
  }

  @Test("the host name that Apiary gives a visitor selects the house")
  func visitorHost() async throws {
    try await withSandbox { server throws in
      let host = "private-anon-c8ecc4b87c-house4591.apiary-mock.com"
      #expect(try exchange(server, wire("GET", "/rooms", host: host)).text.contains("Living Room"))
    }
  }

  @Test("absolute URLs lead back to the same sandbox and API")
  func bases() async throws {
    try await withSandbox { server in
      let bases = [
        (wire("GET", "/rooms.json"), "http://localhost/image/"),
        (wire("GET", "/rooms", host: "booking.ci-42.localhost:81"), "http://booking.ci-42.localhost:81/image/"),
        (wire("GET", "/@ci-42/@booking/rooms"), "http://localhost/@ci-42/@booking/image/"),
        (wire("GET", "/rooms.json", "Understudy-Sandbox: ci-42"), "http://localhost/@ci-42/image/"),
        (wire("GET", "/rooms.json", host: "wetransfer.github.io"), "http://wetransfer.github.io/image/"),
      ]
      for (request, base) in bases {
        let response = try exchange(server, request)
        #expect(response.text.contains("\"thumbnail\":\"\(base)"), "\(request)")
      }
    }
  }

  @Test("two labels of one kind are refused with 400")
  func conflicts() async throws {
    try await withSandbox { server in
      let requests = [
        wire("GET", "/@booking/rooms", host: "booking.localhost"), wire("GET", "/@ci-42/@other/devices"),
        wire("GET", "/@ci-42/devices", host: "ci-42.localhost"),
        wire("GET", "/@ci-42/devices", "Understudy-Sandbox: x"),
        wire("GET", "/devices", "Understudy-Sandbox: ci-42", "Understudy-Sandbox: ci-42"),
        wire("GET", "/devices", host: "users.devices.localhost"),
      ]
      for request in requests {
        let response = try exchange(server, request)
        #expect(response.status == 400, "\(request)")
        #expect(response.text.contains("urn:understudy:problem:two-labels"))
      }
    }
  }

  @Test("an unknown sandbox is 404 with advice how to create one")
  func unknownSandbox() async throws {
    try await withServer { server in
      for request in [wire("GET", "/@ci-7/devices"), wire("GET", "/", host: "ci-7.localhost")] {
        let response = try exchange(server, request)
        #expect(response.status == 404)
        #expect(response.text.contains("POST /_mock/sandboxes"))
        #expect(response.text.contains("ci-7"))
        #expect(response["Access-Control-Allow-Origin"] == "*")
      }
      let control = try exchange(server, wire("GET", "/@ci-7/_mock/health"))
      #expect(control["Access-Control-Allow-Origin"] == nil)
    }
  }

  @Test("an unknown sandbox whose name is like an API's gets the API's name")
  func misspeltAPI() async throws {
    try await withServer { server in
      let response = try exchange(server, wire("GET", "/@bookings/rooms"))
      #expect(response.status == 404 && response.text.contains("If you mean the API, its name is booking."))
    }
  }

  @Test("an encoded slash is part of a name, and does not end a segment")
  func encodedSlash() async throws {
    try await withServer { server in
      let response = try exchange(server, wire("GET", "/devices/a%2Fb"))
      #expect(response.status == 404)
      #expect(response.text.contains("\"instance\":\"/devices/a%2Fb\""))
      let weather = try exchange(server, wire("GET", "/living%20room/TV/on"))
      #expect(weather.text == "true")
    }
  }
}
