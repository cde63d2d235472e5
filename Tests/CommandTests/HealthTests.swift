import Foundation
import HTTP1
import LiveTesting
import Testing
import Understudy

@testable import UnderstudyCommand

@Suite("understudy health", .live)
struct HealthTests {
  @Test("exits with 0 while a server is healthy, in every scenario", arguments: ["calm", "mayhem"])
  func serves(scenario: String) async throws {
    var options = MockServer.Options()
    options.scenario = scenario
    options.timeouts = .patient
    let server = try await MockServer.start(options)
    let result = try Program("health", "--port", "\(server.port)").result()
    await server.stop()
    #expect(result.status == 0)
    #expect(result.output == "ok\n")
    #expect(result.errors == "")
  }

  @Test("finds the server by the variables of its options, without its token")
  func environment() throws {
    let index = ["UNDERSTUDY_HOST": "0.0.0.0", "PORT": "0", "UNDERSTUDY_ADMIN_TOKEN": "secret"]
    let server = try Program(environment: index)
    let port = try server.line().split(separator: ":").last.map(String.init) ?? ""
    let result = try Program("health", environment: ["UNDERSTUDY_HOST": "0.0.0.0", "PORT": port]).result()
    server.terminate()
    #expect(result.status == 0)
    #expect(try server.result().status == 0)
  }

  /// The port is in use, but no process listens on it.
  @Test("exits with 1 if no server listens, and names the address")
  func noListener() throws {
    let silent = try BoundListener(isOpen: false)
    let result = try Program("health", "--port", "\(silent.port)").result()
    #expect(result.status == 1)
    #expect(result.errors == "understudy: no server accepts connections at 127.0.0.1:\(silent.port)\n")
  }

  @Test(
    "exits with 1 if another program answers, and quotes its status line without control characters, or closes",
    arguments: [
      ("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", "503 Service Unavailable"),
      ("HTTP/1.1 503 \u{1B}[2J\u{7}\u{9B}gone\r\n\r\n", ": HTTP/1.1 503 \u{FFFD}[2J\u{FFFD}\u{FFFD}gone\n"),
      ("", "did not respond"),
    ])
  func stranger(answer: String, words: String) throws {
    let stranger = try BoundListener()
    defer { stranger.shut() }
    stranger.serve { link in
      link.receive()
      link.send(Array(answer.utf8))
    }
    let result = try Program("health", "--port", "\(stranger.port)").result()
    #expect(result.status == 1)
    #expect(result.errors.contains(words), "\(result.errors)")
  }

  @Test("exits with 1 if another program's response has no end")
  func endless() throws {
    let stranger = try BoundListener()
    defer { stranger.shut() }
    stranger.serve { link in
      link.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
      while link.send([UInt8](repeating: 0x61, count: 16 << 10)) {}
    }
    let result = try Program("health", "--port", "\(stranger.port)").result()
    #expect(result.status == 1)
    #expect(result.errors.hasSuffix(" is not a healthy understudy: HTTP/1.1 200 OK\n"), "\(result.errors)")
  }

  @Test("refuses port 0, and options that it does not have")
  func refusals() throws {
    #expect(try Program("health", "--port", "0").result().status == 64)
    #expect(try Program("health", "--seed", "1").result().status == 64)
  }
}
