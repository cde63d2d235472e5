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
    let (scratch, backend) = (try ScratchDirectory(), try Self.echo())
    defer { backend.shut() }
    let charge = #""match": "POST /rpc", "where": {"/method": "charge"}, "name": "charge", "effect": "add""#
    let read = #""match": "GET /**", "effect": "read""#
    try scratch.write("[{\(charge)}, {\(read)}]", to: "semantics.json")
    let client = """
      for method in charge list charge; do
        curl -s -o /dev/null -H 'Content-Type: application/json' -d "{\\"method\\": \\"$method\\"}" $UNDERSTUDY_URL/rpc
      done
      curl -s -o /dev/null $UNDERSTUDY_URL/orders
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

  /// Starts a backend that answers with the head of the request, longer than 1 KiB, and never below `/slow`.
  private static func echo() throws -> BoundListener {
    let backend = try BoundListener()
    backend.serve { link in
      guard link.receive() else { return }
      let request = String(decoding: link.received, as: UTF8.self)
      if request.contains(" /slow") {
        while link.receive() {}
      } else {
        let body = request + String(repeating: "a", count: 1 << 10)
        link.send(
          Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)".utf8))
      }
    }
    return backend
  }

  /// Options, a client, and its output without the option and with it.
  private static let options: [(option: String, client: String, without: String?, with: String)] = [
    ("--upstream-host shop.test", "curl -s $UNDERSTUDY_URL/ | grep -c '^Host: shop.test'", "0", "1"),
    (
      "--allow-host *.test", "curl -s -o /dev/null -w '%{http_code}\\n' -H 'Host: shop.test' $UNDERSTUDY_URL/", "403",
      "200"
    ),
    ("--upstream-timeout 200ms", "curl -s -o /dev/null -w '%{http_code}\\n' $UNDERSTUDY_URL/slow", nil, "504"),
    ("--maximum-body 1KiB", "curl -s -o /dev/null $UNDERSTUDY_URL/cut; echo $?", "18", "0"),
    (
      "--journal-secrets",
      "curl -s -o /dev/null -u me:7 $UNDERSTUDY_URL/; curl -s $UNDERSTUDY_URL/_mock/journal | grep -c 'Basic bWU6Nw=='",
      "0", "1"
    ),
    (
      "--journal-bodies",
      "curl -s -o /dev/null $UNDERSTUDY_URL/; curl -s $UNDERSTUDY_URL/_mock/journal | grep -c aaaaaaaa", "0", "1"
    ),
  ]

  @Test("takes each option of its server", arguments: options)
  func option(option: String, client: String, without: String?, with: String) throws {
    let (scratch, backend) = (try ScratchDirectory(), try Self.echo())
    defer { backend.shut() }
    try scratch.write(
      #"{"rules": [{"match": {"path": "/cut"}, "effect": {"fault": "truncate", "at": "1/2"}}]}"#, to: "cut.json")
    let words = ["--upstream", "http://127.0.0.1:\(backend.port)", "--scenario", scratch.path + "/cut.json"]
    func output(_ option: [String]) throws -> String? {
      let result = try Program(
        ["run", "--fail-on", "never"] + words + option + ["--", "sh", "-c", client], environment: Self.environment
      ).result()
      return result.output.split(separator: "\n").first.map(String.init)
    }
    if let without { #expect(try output([]) == without) }
    #expect(try output(option.split(separator: " ").map(String.init)) == with)
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
