import JSON
import Primitives
import Testing

@testable import Report
@testable import Understudy

/// Checks an archive against HAR 1.2, and collects the violations.
private struct ArchiveCheck {
  private(set) var violations: [String] = []

  init(_ archive: JSONValue) {
    let log = object(archive, "log", ["version", "creator", "pages", "entries", "comment"])
    text(log, "version")
    let creator = object(log, "creator", ["name", "version"])
    for name in ["name", "version"] { text(creator, name) }
    for page in elements(log, "pages") {
      allow(page, ["startedDateTime", "id", "title", "pageTimings"], "a page")
      for name in ["startedDateTime", "id", "title"] { text(page, name) }
      _ = object(page, "pageTimings", [])
    }
    let pages = log["pages"]?.array?.map { $0["id"] } ?? []
    for entry in elements(log, "entries") {
      require(pages.contains(entry["pageref"]), "pageref is the id of a page")
      check(entry: entry)
    }
  }

  private mutating func check(entry: JSONValue) {
    allow(
      entry, ["pageref", "startedDateTime", "time", "request", "response", "cache", "timings", "connection"], "an entry"
    )
    let isDate = entry["startedDateTime"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil
    require(isDate, "startedDateTime is an ISO 8601 date")
    let timings = object(entry, "timings", ["send", "wait", "receive"])
    let times = ["send", "wait", "receive"].map { timings[$0]?.double ?? -1 }
    require(times.allSatisfy { $0 >= 0 }, "the three timings that an entry must have")
    require(abs((entry["time"]?.double ?? -1) - times.reduce(0, +)) < 0.01, "time is the sum of the timings")
    _ = object(entry, "cache", [])
    check(request: object(entry, "request", nil))
    check(response: object(entry, "response", nil))
  }

  private mutating func check(request: JSONValue) {
    let names = ["method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"]
    allow(request, names + ["postData"], "a request")
    for name in ["method", "url", "httpVersion"] { text(request, name) }
    require(request["url"]?.string?.hasPrefix("http://") == true, "an absolute URL")
    for name in ["headers", "queryString"] { pairs(request, name) }
    require(request["cookies"]?.array != nil, "cookies is an array")
    for name in ["headersSize", "bodySize"] {
      require(request[name]?.int.map { $0 >= -1 } == true, "\(name) is a size")
    }
    guard request["postData"] != nil else { return }
    let data = object(request, "postData", ["mimeType", "text"])
    for name in ["mimeType", "text"] { text(data, name) }
  }

  private mutating func check(response: JSONValue) {
    let names = [
      "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize",
    ]
    allow(response, names, "a response")
    require(response["status"]?.int != nil, "a status")
    for name in ["statusText", "httpVersion", "redirectURL"] { text(response, name) }
    pairs(response, "headers")
    let content = object(response, "content", ["size", "mimeType", "text"])
    require(content["size"]?.int != nil, "a size")
    text(content, "mimeType")
    for name in ["headersSize", "bodySize"] {
      require(response[name]?.int.map { $0 >= -1 } == true, "\(name) is a size")
    }
  }

  private mutating func require(_ isSo: Bool, _ what: String) { if !isSo { violations.append(what) } }

  private mutating func text(_ parent: JSONValue, _ name: String) {
    require(parent[name]?.string != nil, "\(name) is a string")
  }

  private mutating func object(_ parent: JSONValue, _ name: String, _ members: [String]?) -> JSONValue {
    let value = parent[name] ?? .null
    require(value.object != nil, "\(name) is an object")
    if let members { allow(value, members, name) }
    return value
  }

  private mutating func elements(_ parent: JSONValue, _ name: String) -> [JSONValue] {
    require(parent[name]?.array != nil, "\(name) is an array")
    return parent[name]?.array ?? []
  }

  private mutating func pairs(_ parent: JSONValue, _ name: String) {
    for pair in elements(parent, name) {
      allow(pair, ["name", "value"], name)
      for name in ["name", "value"] { text(pair, name) }
    }
  }

  /// The names of additional members begin with an underscore.
  private mutating func allow(_ value: JSONValue, _ members: [String], _ what: String) {
    for member in value.object?.members ?? [] where !member.name.hasPrefix("_") {
      require(members.contains(member.name), "\(what) has no member \(member.name)")
    }
  }
}

@Suite("The journal as an HTTP Archive")
struct ArchiveTests {
  @Test("is valid HAR 1.2 for every outcome of the requests, selected by format or Accept")
  func isValid() async throws {
    try await withStage(
      #"{"match":{"path":"/users/2"},"effect":{"fault":"reset-bare"}}"#,
      #"{"match":{"path":"/users/3"},"effect":{"fault":"truncate","at":"1/2"}}"#,
      #"{"match":{"path":"/users/4"},"effect":{"latency":"5ms"}}"#
    ) { stage in
      _ = try exchange(stage.server, Stage.write)
      _ = try exchange(stage.server, wire("GET", "/users?q=a%20b&empty=&_limit=2", "Cookie: secret=1"))
      for user in 2...3 {
        let client = try WireConnection(stage.server.port)
        try client.send(wire("GET", "/users/\(user)"))
        _ = client.rest()
      }
      _ = try exchange(stage.server, wire("GET", "/users/4"))
      _ = try stage.json("/_mock/network", "PATCH", #"{"state":"held"}"#)
      let pending = try WireConnection(stage.server.port)
      try pending.send(wire("GET", "/users/1"))
      try #require(await stage.server.journalBecomes { $0.count == 6 })
      let response = try exchange(stage.server, wire("GET", "/_mock/journal?format=har"))
      #expect(response["Content-Type"] == "application/har+json")
      let archive = try JSONValue(parsing: response.body)
      #expect(ArchiveCheck(archive).violations.isEmpty)
      let entries = try #require(archive["log", "entries"]?.array)
      #expect(
        entries.map { $0["response", "status"]?.int } == [200, 200, 0, 200, 200], "what is under way is left out")
      #expect(entries[0]["request", "postData", "text"] == #"{"name":"Ljerka"}"#)
      #expect(entries[1]["request", "queryString"]?.array?.first == ["name": "q", "value": "a b"])
      #expect(!archive.text.contains("secret=1"), "secrets are masked")
      #expect(entries[3]["_outcome"] == "closed" && entries[4]["timings", "wait"]?.double ?? 0 >= 5)
      #expect(archive["log", "_events"]?.array?.count == 2)
      let (sent, whole) = (
        entries[3]["response", "bodySize"]?.int ?? 0, entries[3]["response", "content", "size"]?.int ?? 0
      )
      #expect(sent > 0 && sent == whole / 2, "a cut response has the size of its body and the number of sent bytes")
      let accepted = try exchange(stage.server, wire("GET", "/_mock/journal", "Accept: application/har+json"))
      #expect(accepted.text == response.text)
    }
  }

  @Test("says of each response that did not arrive why, and has no status for bytes that are not HTTP")
  func failures() async throws {
    let faults = [
      #"{"fault":"reset-bare"}"#, #"{"fault":"empty"}"#, #"{"fault":"reset"}"#, #"{"fault":"truncate","at":"1/2"}"#,
      #"{"fault":"stall","at":"1/2","for":"10ms","then":"close"}"#, #"{"fault":"garbage"}"#, #"{"fault":"bad-chunk"}"#,
      #"{"fault":"hang","for":"10ms","then":"reset"}"#, #"{"latency":"1ms"}"#,
    ]
    let rules = faults.enumerated().map { #"{"match":{"path":"/users/\#($0.offset + 1)"},"effect":\#($0.element)}"# }
    try await withStage(rules.joined(separator: ",")) { stage in
      for user in 1...faults.count {
        let client = try WireConnection(stage.server.port)
        try client.send(wire("GET", "/users/\(user)", "Connection: close"))
        _ = client.rest()
      }
      try #require(
        await stage.server.journalBecomes { $0.count == faults.count && $0.allSatisfy { $0.outcome != .pending } })
      let archive = try stage.json("/_mock/journal?format=har", "GET", "")
      #expect(ArchiveCheck(archive).violations.isEmpty)
      let responses = try #require(archive["log", "entries"]?.array).map { $0["response"] ?? .null }
      #expect(responses.map { $0["status"]?.int } == [0, 0, 200, 200, 200, 0, 200, 0, 200])
      let errors = responses.map { $0["_error"]?.string }
      #expect(
        errors == [
          "connection reset before any byte of the response", "connection closed before any byte of the response",
          errors[2], errors[3], errors[4],
          "bytes that are not HTTP instead of a response", "the chunked coding of the content is broken",
          "connection reset before any byte of the response", nil,
        ])
      for response in responses[3...4] {
        let (sent, size) = (response["bodySize"]?.int ?? 0, response["content", "size"]?.int)
        #expect(sent > 0 && size.map { sent < $0 } == true, "the size of the body is that of what was sent")
        let of = size ?? 0
        #expect(
          response["_error"]?.string == "connection closed after \(sent) of \(of) bytes of the content" && sent < of)
      }
    }
  }

  @Test("is reported by the check if it violates the specification")
  func checkCanFail() {
    let wrong: JSONValue = ["log": ["version": 1.2, "creator": [:], "entries": [["time": 1]], "more": 1]]
    #expect(ArchiveCheck(wrong).violations.count > 10)
  }

  static let traces: [(field: String, isValid: Bool)] = [
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
    ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later", true),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", false),
    ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
    ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
    ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false), ("00-1-2-3", false), ("", false),
  ]

  @Test("shows a valid traceparent", arguments: traces)
  func traceparent(field: String, isValid: Bool) async throws {
    try await withStage { stage in
      _ = try exchange(stage.server, wire("GET", "/users/1", "traceparent: \(field)"))
      #expect(try stage.lastEntry()["traceparent"]?.string == (isValid ? field : nil))
    }
  }

  @Test("is paged from the newest entry back, with each entry once")
  func newestFirst() async throws {
    try await withStage { stage in
      for _ in 1...25 { _ = try exchange(stage.server, wire("GET", "/users/1")) }
      var ids: [Int] = []
      var before = Int.max
      while true {
        let page = try stage.journal("?before=\(before)&limit=10")
        guard let oldest = page.first?["seq"]?.int else { break }
        ids = page.compactMap { $0["id"]?.int } + ids
        before = oldest
      }
      #expect(ids == Array(1...25))
      let between = try stage.journal("?before=20&after=1").compactMap { $0["seq"]?.int }
      #expect(!between.isEmpty && between.allSatisfy { (2..<20).contains($0) })
      for (after, before) in [(0, 30), (13, 30), (29, 30), (30, 30), (Int.max, Int.max)] {
        let whole = try stage.journal("?after=\(after)&before=\(before)")
        for limit in [1, 3, 1_000] {
          let found = try stage.journal("?after=\(after)&before=\(before)&limit=\(limit)")
          #expect(found == Array(whole.suffix(limit)), "the newest \(limit) between \(after) and \(before)")
        }
      }
      for query in ["before=0", "before=x", "format=xml"] {
        #expect(try exchange(stage.server, wire("GET", "/_mock/journal?" + query)).status == 400, "\(query)")
      }
    }
  }
}
