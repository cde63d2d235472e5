import Foundation
import LiveTesting
import Testing

/// Another server of the program is the backend: one whose data stays from run to run.
@Suite("understudy explore in front of a backend", .live, .enabled(if: ReadmeTests.hasCurl))
struct ExploreUpstreamTests {
  private static let environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]

  private func explore(_ words: String...) throws -> Program.Result {
    try Program(["explore"] + words, environment: Self.environment).result()
  }

  /// Starts a backend, and returns it with its URL.
  private func backend() throws -> (program: Program, url: String) {
    let program = try Program("--port", "0", environment: Self.environment)
    let line = try program.line()
    return (program, String(line.dropFirst("listening on ".count)))
  }

  private static let naive = """
    for attempt in 1 2 3; do
      curl -sf -m 2 -o /dev/null -d '{"name":"Ljerka"}' $UNDERSTUDY_URL/book && exit 0
    done
    exit 1
    """

  @Test("finds a write that takes effect twice where it is declared, and otherwise warns, and says how to declare it")
  func semantics() throws {
    let (server, url) = try backend()
    defer { server.kill() }
    let scratch = try ScratchDirectory()
    try scratch.write(#"[{"match": "POST /book", "effect": "add"}]"#, to: "api.json")
    let words = ["--faults", "reset,reset@after", "--", "sh", "-c", Self.naive]
    let declared = try Program(
      ["explore", "--upstream", url, "--semantics", scratch.path + "/api.json"] + words, environment: Self.environment
    ).result()
    #expect(declared.status == 3, "\(declared)")
    #expect(declared.output.hasSuffix("2 runs, 1 cell fails: POST /book#1: reset@after\n"), "\(declared)")
    #expect(declared.output.contains("      #1 POST /book: no response, reset after commit\n"), "\(declared)")
    #expect(declared.output.contains("explore --upstream \(url) --semantics "), "\(declared)")
    let undeclared = try Program(["explore", "--upstream", url] + words, environment: Self.environment).result()
    #expect(undeclared.status == 0, "\(undeclared)")
    #expect(
      undeclared.output.contains("\nWithout --semantics FILE a write that takes effect twice only warns: "),
      "\(undeclared)")
    #expect(undeclared.output.hasSuffix("2 runs, 1 warned, no cell fails\n"), "\(undeclared)")
    try scratch.write(#"[{"match": "POST /boook", "effect": "add"}]"#, to: "misspelt.json")
    let misspelt = try Program(
      ["explore", "--upstream", url, "--semantics", scratch.path + "/misspelt.json"] + words,
      environment: Self.environment
    ).result()
    #expect(misspelt.errors.contains("applied to no request; did you mean POST /book?"), "\(misspelt)")
  }

  @Test("fails if the backend answers nothing, and says so")
  func deadBackend() throws {
    let closed = try BoundListener(isOpen: false)
    let url = "http://127.0.0.1:\(closed.port)"
    let result = try explore("--upstream", url, "--", "sh", "-c", "curl -s -o /dev/null $UNDERSTUDY_URL/a; true")
    #expect(result.status == 3 && result.output.isEmpty, "\(result)")
    #expect(result.errors.contains("The backend did not answer the only request to \(url)"), "\(result)")
  }

  @Test("names the backend in its report")
  func report() throws {
    let (server, url) = try backend()
    defer { server.kill() }
    let scratch = try ScratchDirectory()
    let result = try explore(
      "--upstream", url, "--faults", "reset", "--report", scratch.path + "/table.json", "--", "sh", "-c",
      "curl -s -o /dev/null $UNDERSTUDY_URL/users; true")
    #expect(try scratch.read("table.json").contains(#""upstream": "\#(url)""#), "\(result)")
  }

  @Test(
    "restores the backend's data before each run, and proposes that to a client that the data of its last run fails")
  func reset() throws {
    let (server, url) = try backend()
    defer { server.kill() }
    let client = """
      curl -s --retry 3 --retry-delay 0 --retry-all-errors -d '{"name":"Ljerka"}' -o /dev/null $UNDERSTUDY_URL/book
      curl -s --retry 3 --retry-delay 0 --retry-all-errors $UNDERSTUDY_URL/rooms.json | grep -q '"Ljerka","spots":42'
      """
    let dirty = try explore("--upstream", url, "--faults", "reset", "--", "sh", "-c", client)
    #expect(dirty.status == 1 && dirty.output.isEmpty, "\(dirty)")
    #expect(dirty.errors.contains("\n  POST /book: 200\n  GET /rooms.json: 200\n"), "\(dirty)")
    #expect(dirty.errors.contains("--reset COMMAND runs before each run"), "\(dirty)")
    let reset = "curl -sf -o /dev/null -X POST \(url)/_mock/reset"
    let clean = try explore("--upstream", url, "--reset", reset, "--faults", "reset", "--", "sh", "-c", client)
    #expect(clean.status == 0 && clean.output.hasSuffix("2 runs, no cell fails\n"), "\(clean)")
  }
}
