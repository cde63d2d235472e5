import Foundation
import LiveTesting
import Testing
import Understudy

@testable import UnderstudyCommand

@Suite("The program", .live)
struct ProgramTests {
  private static func devices(_ index: String) -> String {
    """
    [{"id": "A", "type": "heating", "meterPointDescription": "\(index)", "installationDate": null}]
    """
  }

  private static let ready = "listening on http://127.0.0.1:"

  @Test("prints its address, writes the port file, and drains at a signal", arguments: [SIGTERM, SIGINT])
  func signals(signal: Int32) throws {
    let scratch = try ScratchDirectory()
    let program = try Program("--port", "0", "--port-file", scratch.path + "/port")
    let line = try program.line()
    #expect(line.hasPrefix(Self.ready))
    let port = line.dropFirst(Self.ready.count)
    #expect(try scratch.read("port") == port + "\n")
    if signal == SIGTERM { program.terminate() } else { program.interrupt() }
    let result = try program.result()
    #expect(result.status == 0)
    #expect(result.errors == "")
  }

  @Test("prints the ports of the APIs, one per line")
  func apiPorts() throws {
    let program = try Program("serve", "--api-ports", "0", environment: ["PORT": "0"])
    #expect(try program.line().hasPrefix(Self.ready))
    program.terminate()
    let result = try program.result()
    let lines = result.output.split(separator: "\n").map { $0.prefix { $0 != ":" } }
    #expect(lines == ["devices", "activities", "house", "users", "booking"].map { "\($0) on http" })
  }

  @Test("refuses an invalid command line in one line, and exits with 64")
  func usage() throws {
    let cases = [
      (["--prot", "1"], "did you mean --port?"), (["--port", "x"], "expected a port"), (["--watch"], "--data"),
      (["--host", "0.0.0.0", "--port", "0"], "--admin-token"), (["--data", "/no/such/place"], "no such directory"),
    ]
    for (words, expected) in cases {
      let result = try run(words)
      #expect(result.status == 64, "\(words)")
      #expect(result.errors.hasPrefix("understudy: ") && result.errors.contains(expected), "\(result.errors)")
      #expect(result.errors.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
      #expect(result.output == "")
    }
  }

  private func run(_ words: [String]) throws -> Program.Result {
    switch words.count {
    case 1: try Program(words[0]).result()
    case 2: try Program(words[0], words[1]).result()
    default: try Program(words[0], words[1], words[2], words[3]).result()
    }
  }

  @Test("exits with 69 if its port is in use")
  func usedPort() async throws {
    let server = try await MockServer.start()
    let result = try Program("--port", "\(server.port)").result()
    await server.stop()
    #expect(result.status == 69)
    #expect(result.errors.contains("port \(server.port) is in use"))
  }

  @Test("exits with 64 for an invalid data file, and names the file, the position and the expectation")
  func badData() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(Self.devices("Kitchen").replacingOccurrences(of: "heating", with: "steam"), to: "devices.json")
    let shape = try Program("--port", "0", "--data", scratch.path).result()
    #expect(shape.status == 64)
    for part in [scratch.path + "/devices.json", " /0/type", "expected", "heating"] {
      #expect(shape.errors.contains(part), "\(shape.errors)")
    }
    try scratch.write("[\n  nonsense", to: "devices.json")
    let syntax = try Program("--port", "0", "--data", scratch.path).result()
    #expect(syntax.status == 64)
    #expect(syntax.errors.contains("/devices.json: line 2: "))
  }

  @Test("exits with 73 if it cannot write the port file")
  func portFile() throws {
    let result = try Program("--port", "0", "--port-file", "/no/such/place/port").result()
    #expect(result.status == 73)
    #expect(result.errors.contains("/no/such/place/port"))
  }

  @Test("reads changed data files again with --watch, and ignores invalid ones")
  func watch() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(Self.devices("Kitchen"), to: "devices.json")
    let program = try Program("--port", "0", "--data", scratch.path, "--watch")
    #expect(try program.line().hasPrefix(Self.ready))
    try scratch.write(Self.devices("Attic"), to: "devices.json")
    #expect(try program.errorLine() == "data files have changed and were read again")
    try scratch.write("{", to: "devices.json")
    let complaint = try program.errorLine()
    #expect(
      complaint.contains(scratch.path + "/devices.json: line 1") && complaint.hasSuffix("the earlier data stays in use")
    )
    try scratch.write(Self.devices("Cellar"), to: "devices.json")
    #expect(try program.errorLine() == "data files have changed and were read again")
    program.terminate()
    #expect(try program.result().status == 0)
  }

  @Test("logs malformed requests with the rule that refused them")
  func refusedInLog() throws {
    let program = try Program("--port", "0", "--log", "text")
    let port = try #require(try program.line().split(separator: ":").last.flatMap { Int($0) })
    let refusals = [
      ("GET /users HTTP/1.1\r\n\r\n", " default GET /users 400 ", "RFC 9112 3.2)"),
      ("\u{1B}[31m\r\n\r\n", " - - - 400 ", "RFC 9112 3.1)"),
      ("POST /book HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{", " default POST /book 400 ", "RFC 9112 8)"),
    ]
    for (bytes, middle, end) in refusals {
      try #require(Caller(port: port)).leave(after: bytes, by: .halfCloses)
      let line = try program.errorLine()
      #expect(line.contains(middle) && line.contains(" ms refused: ") && line.hasSuffix(end), "\(line)")
      #expect(line.utf8.allSatisfy { 0x20..<0x7F ~= $0 }, "no client drives a terminal by it")
    }
    program.terminate()
    #expect(try program.result().status == 0)
  }
}
