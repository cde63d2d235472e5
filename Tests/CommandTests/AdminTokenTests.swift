import Foundation
import LiveTesting
import Testing
import Understudy

@testable import UnderstudyCommand

@Suite("The admin token", .live)
struct AdminTokenTests {
  private func token(_ words: [String], _ environment: [String: String]) throws -> String? {
    guard case .serve(let settings) = try Arguments(words, environment: environment) else { return nil }
    return settings.options.adminToken
  }

  @Test("is taken from the environment unless the option is given")
  func environment() throws {
    let environment = ["UNDERSTUDY_ADMIN_TOKEN": "e"]
    #expect(try token([], environment) == "e")
    #expect(try token(["--admin-token", "f"], environment) == "f")
    #expect(try token([], ["UNDERSTUDY_ADMIN_TOKEN": ""]) == nil)
  }

  @Test("is 32 new hexadecimal digits each time for the value random")
  func random() throws {
    let tokens = try (0..<20).compactMap { _ in try token(["--admin-token", "random"], [:]) }
    #expect(Set(tokens).count == 20)
    for token in tokens { #expect(token.wholeMatch(of: /[0-9a-f]{32}/) != nil, "\(token)") }
  }

  @Test("is printed after the ready line if it was generated, and the control API requires it")
  func isReported() throws {
    let server = try Program("--host", "0.0.0.0", "--port", "0", "--admin-token", "random")
    let port = try server.line().split(separator: ":").last.flatMap { Int($0) } ?? 0
    let line = try server.line()
    #expect(line.hasPrefix("admin token "))
    let state = "/_mock/state"
    #expect(Caller(port: port)?.ask("GET", state)?.status == 401)
    #expect(Caller(port: port)?.ask("GET", state, token: "random")?.status == 401)
    #expect(Caller(port: port)?.ask("GET", state, token: String(line.dropFirst(12)))?.status == 200)
    server.terminate()
    #expect(try server.result().status == 0)
  }

  @Test("is not printed if it was given")
  func isNotTold() throws {
    let server = try Program("--port", "0", environment: ["UNDERSTUDY_ADMIN_TOKEN": "secret"])
    _ = try server.line()
    server.terminate()
    #expect(try server.result().output == "")
  }

  @Test("is passed by run to its command")
  func run() throws {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
    let words = [
      "run", "--admin-token", "random", "--fail-on", "never", "--", "sh", "-c", "echo token=$UNDERSTUDY_ADMIN_TOKEN",
    ]
    let result = try Program(words, environment: ["PATH": path]).result()
    #expect(result.status == 0)
    #expect(result.output.contains(/token=[0-9a-f]{32}\n/), "\(result.output)")
  }
}
