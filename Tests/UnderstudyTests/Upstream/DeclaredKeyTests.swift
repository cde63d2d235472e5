import Foundation
import JSON
import LiveTesting
import Report
import Testing

@testable import Understudy

@Suite("A key that a file of semantics declares", .live, .temporaryFiles)
struct DeclaredKeyTests {
  /// Returns the verdicts on a client that sends contents, the response to the first of which is lost.
  private func verdicts(
    _ contents: [String], to target: String = "/rpc", key: String, inParts: Bool = true
  ) async throws -> [String: String] {
    let file = try TemporaryFiles.newFile()
    let rules: JSONValue = [
      ["match": "POST /rpc", "effect": "add", "key": .string(key)]
    ]
    try Data(rules.bytes()).write(to: file)
    // As a backend of JSON-RPC, it answers with the id of the call.
    let backend = try ScriptedBackend { request, link in
      let body = request.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? ""
      let id = (try? JSONValue(parsing: Array(body.utf8)))?["id"] ?? .null
      let answer: JSONValue = ["jsonrpc": "2.0", "id": id, "result": 95]
      let response = Array(ScriptedBackend.response("200 OK", answer.text).utf8)
      let first = inParts ? response.count - answer.text.utf8.count : response.count
      link.send(Array(response.prefix(first)))
      if inParts { link.send(Array(response.dropFirst(first))) }
    }
    let rule = #"{"when":{"first":1},"match":{"changes":true},"phase":"after","effect":{"fault":"reset"}}"#
    var found: [String: String] = [:]
    try await Stage.inFrontOf(backend.url, rule) { options in
      options.semanticsFile = file.path
      options.clocks = ManualClock().clocks
    } body: { stage in
      for (index, content) in contents.enumerated() {
        let path = target.replacing("NUMBER", with: "\(index)")
        let type = "Content-Type: application/" + ("{[".contains(content.prefix(1)) ? "json" : "x-www-form-urlencoded")
        _ = try? exchange(stage.server, wire("POST", path, "Understudy-Client: me", type, body: content))
      }
      #expect(
        await stage.server.journalBecomes { $0.count == contents.count && $0.allSatisfy { $0.outcome != .pending } })
      for check in try stage.json("/_mock/report?final=true")["checks"]?.array ?? [] {
        found[check["id"]?.string ?? ""] = check["verdict"]?.string
      }
    }
    return found
  }

  private static func call(_ id: String, _ key: String, amount: Int = 5) -> String {
    #"{"jsonrpc": "2.0", "id": \#(id), "method": "charge", "params": {"requestId": "\#(key)", "amount": \#(amount)}}"#
  }

  private static func positional(_ key: String) -> String {
    #"{"jsonrpc": "2.0", "id": 1, "method": "charge", "params": ["\#(key)", 5]}"#
  }

  @Test(
    "stands for one write, whatever id the call of JSON-RPC around it has, and in how many parts the answer comes",
    arguments: [false, true])
  func callID(inParts: Bool) async throws {
    let contents = [Self.call("1", "k"), Self.call(#""two""#, "k")]
    let found = try await verdicts(contents, key: "/params/requestId", inParts: inParts)
    #expect(found["key-reuse"] == "pass" && found["no-duplicate-effect"] == "pass", "\(found)")
    #expect(found["lost-reply-followed-up"] == "pass")
    // Content that comes later than its head is passed on, and its result is not read.
    let accepted = inParts ? ["pass", "not exercised"] : ["pass"]
    #expect(accepted.contains(found["backend-keeps-keys"] ?? ""), "\(found)")
  }

  @Test("must not stand for another write")
  func otherWrite() async throws {
    let contents = [Self.call("1", "k"), Self.call("2", "k", amount: 6)]
    #expect(try await verdicts(contents, key: "/params/requestId")["key-reuse"] == "fail")
  }

  @Test(
    "is no part of the write: with another one it is sent again, and takes effect twice",
    arguments: [
      ([call("1", "k"), call("2", "l")], "/rpc", "/params/requestId"),
      (["[\(call("1", "k"))]", "[\(call("2", "l"))]"], "/rpc", "/params/requestId"),
      ([positional("k"), positional("l")], "/rpc", "/params/0"),
      (["k=1&amount=5", "amount=5&k=2"], "/rpc", "/k"),
      ([#"{"amount": 5}"#, #"{"amount": 5}"#], "/rpc?k=NUMBER", "?k"),
    ])
  func newKey(contents: [String], target: String, key: String) async throws {
    let found = try await verdicts(contents, to: target, key: key)
    #expect(found["no-duplicate-effect"] == "fail", "\(found)")
  }

  @Test("is missing where no call has one, and a call with a new id is the same write")
  func noKey() async throws {
    let contents = ["1", "2"].map { #"{"jsonrpc": "2.0", "id": \#($0), "method": "charge", "params": [5]}"# }
    #expect(try await verdicts(contents, key: "Idempotency-Key")["no-duplicate-effect"] == "fail")
  }
}
