import Foundation
import JSON
import LiveTesting
import Testing

@Suite("understudy run in front of a backend", .live, .enabled(if: ReadmeTests.hasCurl))
struct UpstreamRunTests {
  private static let environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]

  private func program(_ words: String...) throws -> Program {
    try Program(["run"] + words, environment: Self.environment)
  }

  @Test("a run whose backend answered nothing fails and says so, unless --fail-on is never")
  func deadBackend() throws {
    let closed = try BoundListener(isOpen: false)
    let url = "http://127.0.0.1:\(closed.port)"
    let script = "for i in 1 2 3; do curl -s $UNDERSTUDY_URL/a.txt -o /dev/null; done; true"
    let scratch = try ScratchDirectory()
    let card = scratch.path + "/card.json"
    let result = try program("--upstream", url, "--report", card, "--", "sh", "-c", script).result()
    let sentence = "The backend answered none of 3 requests to \(url)"
    #expect(result.status == 3 && result.errors.contains(sentence + ", so the run fails"), "\(result)")
    #expect(result.output.contains("\nThe backend did not answer any of 3 requests.\n"), "\(result.output)")
    let report = try JSONValue(parsing: Array(scratch.read("card.json").utf8))
    let run = try #require(report["runs"]?.array?.first)
    #expect(run["cards"]?.array?.first?["upstream"] == ["requests": 3, "unanswered": 3])
    #expect(run["upstream"]?.string == url)
    let merged = try Program(["report", "--merge", card], environment: Self.environment).result()
    #expect(merged.output.contains("\nThe backend did not answer any of 3 requests.\n"), "\(merged.output)")
    let lenient = try program("--upstream", url, "--fail-on", "never", "--", "sh", "-c", script).result()
    #expect(lenient.status == 0 && lenient.errors.contains(sentence + "\n"), "\(lenient)")
    let sweep = try program("--upstream", url, "--sweep", "1...2", "--", "sh", "-c", script).result()
    #expect(sweep.status == 3 && sweep.output.contains("seed 2: failed without an answer of the backend"), "\(sweep)")
    // Where the scenario answers in its place, the backend is not asked.
    try scratch.write(#"{"rules":[{"effect":{"status":404}}]}"#, to: "all.json")
    let unasked = try program("--upstream", url, "--scenario", scratch.path + "/all.json", "--", "sh", "-c", script)
      .result()
    #expect(unasked.status == 0 && !unasked.errors.contains("The backend"), "\(unasked)")
    #expect(unasked.output.contains("3 requests"), "\(unasked)")
  }

  @Test("a command gets each rule of --semantics, with the number of requests to which it applied")
  func semantics() throws {
    let (scratch, backend) = (try ScratchDirectory(), try BoundListener())
    defer { backend.shut() }
    backend.serve { link in
      link.receive()
      link.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
    }
    let charge = #""match": "POST /rpc", "where": {"/method": "charge"}, "name": "charge", "effect": "add""#
    let read = #""match": "GET /**", "effect": "read""#
    try scratch.write("[{\(charge)}, {\(read)}]", to: "semantics.json")
    let client = """
      for method in charge list charge; do
        curl -s -H 'Content-Type: application/json' -d "{\\"method\\": \\"$method\\"}" $UNDERSTUDY_URL/rpc
      done
      curl -s $UNDERSTUDY_URL/orders
      curl -s $UNDERSTUDY_URL/_mock/upstream
      """
    let (url, file) = ("http://127.0.0.1:\(backend.port)", scratch.path + "/semantics.json")
    let result = try program(
      "--upstream", url, "--semantics", file, "--fail-on", "never", "--", "sh", "-c", client
    ).result()
    let line = try #require(result.output.split(separator: "\n").first, "\(result)")
    let expected = "[{\(charge), \"requests\": 2}, {\(read), \"requests\": 1}]"
    #expect(
      try JSONValue(parsing: Array(line.utf8))["semantics"] == JSONValue(parsing: Array(expected.utf8)), "\(result)")
  }

  @Test("a run of a scenario whose rules do not apply to the backend says which they are")
  func inapplicable() throws {
    let closed = try BoundListener(isOpen: false)
    let words = ["--upstream", "http://127.0.0.1:\(closed.port)", "--scenario", "rush-hour", "--fail-on", "never"]
    let result = try Program(
      ["run"] + words + ["--", "sh", "-c", "curl -s $UNDERSTUDY_URL/a.txt"], environment: Self.environment
    ).result()
    #expect(result.output.contains("faults-delivered          2 rules do not apply to the backend: colleagues, busy."))
    let end = "No rule of rush-hour applies to the backend: this run did not test any failure.\n"
    #expect(result.output.hasSuffix(end), "\(result.output)")
  }
}
