import Contract
import Faults
import JSON
import Primitives
import Testing

@testable import Understudy
@testable import UnderstudyCommand

/// Archives as browsers, proxies and test tools write them.
@Suite("A recording of another tool")
struct RecordingTests {
  /// An entry of an archive, `second` seconds after its start.
  static func entry(
    _ second: Int, status: String = "200", wait: String = "20", receive: String = "1", path: String = "/users/3",
    response: String = "", more: String = "", date: String? = nil
  ) -> String {
    let clock = "09:\(Timestamp.padded(second / 60, 2)):\(Timestamp.padded(second % 60, 2))"
    let at = date ?? "2026-03-01T\(clock).000Z"
    return """
      {"startedDateTime": "\(at)", "time": 21, "timings": {"send": 0, "wait": \(wait), "receive": \(receive)},
       "request": {"method": "GET", "url": "https://jsonplaceholder.typicode.com\(path)", "headers": []},
       "response": {"status": \(status), "headers": [\(headers(response))], "content": {"size": 0}\(members(response))},
       "cache": {}\(more)}
      """
  }

  /// The part of a response that is a list of fields, in front of a bar.
  private static func headers(_ response: String) -> String {
    response.contains("|") ? String(response.prefix { $0 != "|" }) : ""
  }

  private static func members(_ response: String) -> String {
    let members = response.contains("|") ? response.drop { $0 != "|" }.dropFirst() : response[...]
    return members.isEmpty ? "" : ", " + members
  }

  static func archive(_ entries: [String], by creator: String = "WebInspector") -> [UInt8] {
    let list = entries.joined(separator: ",\n")
    return Array(#"{"log": {"version": "1.2", "creator": {"name": "\#(creator)"}, "entries": [\#(list)]}}"#.utf8)
  }

  /// Returns the rules of a recording without its latencies, and what it says of the entries that it leaves out.
  private static func read(_ entries: [String], by creator: String = "WebInspector") throws -> (
    rules: [JSONValue], remarks: [String]
  ) {
    let trace = try Trace(archive(entries, by: creator))
    let scenario = try trace.scenario()
    _ = try MockServer.checked(scenario: scenario)
    let rules = scenario["rules"]?.array ?? []
    return (rules.filter { $0["effect"]?["latency"] == nil }, trace.remarks)
  }

  static let failures: [(response: String, more: String, reason: String)] = [
    (#""_error": "net::ERR_BLOCKED_BY_CLIENT""#, "", "blocked or never sent"),
    (#""_error": "net::ERR_BLOCKED_BY_RESPONSE.NotSameOrigin""#, "", "blocked or never sent"),
    (#""_error": "net::ERR_CERT_AUTHORITY_INVALID""#, "", "blocked or never sent"),
    (#""_error": "net::ERR_FAILED""#, "", "blocked or never sent"),
    (#""statusText": "(blocked:csp)""#, "", "blocked or never sent"),
    (#""_charlesStatus": "BLOCKED""#, "", "blocked or never sent"),
    (#""_error": "net::ERR_ABORTED""#, "", "client cancelled"),
    (#""_error": "Client disconnected.""#, "", "client cancelled"),
    (#""_error": "stream reset by client (CANCEL)""#, "", "client cancelled"),
    (#""_error": "Connection killed.""#, "", "client cancelled"),
    (#""_failureText": "NS_BINDING_ABORTED""#, "", "client cancelled"),
    (#""_failureText": "net::ERR_FAILED""#, #", "_wasAborted": true"#, "client cancelled"),
    (#""_error": "cancelled""#, "", "client cancelled"), (#""_error": "aborted""#, "", "client cancelled"),
    (#""_error": null"#, "", "without a response"), ("", "", "without a response"),
    (#""_charlesStatus": "RECEIVING_RESPONSE_BODY""#, "", "without a response"),
  ]

  @Test("makes no rule of requests that the client blocked, cancelled or never finished", arguments: failures)
  func clientFailures(response: String, more: String, reason: String) throws {
    for status in ["0", "-1", #""0""#] {
      let failed = (1...3).map { Self.entry($0, status: status, wait: "0", response: response, more: more) }
      let (rules, remarks) = try Self.read([Self.entry(0)] + failed + [Self.entry(600)])
      #expect(rules.isEmpty, "\(response)")
      #expect(remarks.count == 1 && remarks[0].hasPrefix("left out 3 requests ") && remarks[0].contains(reason))
      #expect(remarks.first?.hasSuffix("(entries 2, 3, 4)") == true, "\(remarks)")
    }
  }

  static let cached: [(creator: String, response: String, more: String)] = [
    ("WebInspector", #""_transferSize": 0, "bodySize": 0"#, #", "_fromCache": "memory""#),
    ("WebInspector", #""_transferSize": 0"#, ""),
    ("WebInspector", #""_fetchedViaServiceWorker": true"#, ""),
    ("WebKit Web Inspector", "", #", "_fetchType": "Disk Cache""#),
    ("Playwright", "", #", "_wasFulfilled": true"#),
  ]

  @Test("takes no latency from a cache, a service worker or a test", arguments: cached)
  func caches(creator: String, response: String, more: String) throws {
    let hits = (1...9).map { Self.entry($0, wait: "0", response: response, more: more) }
    let trace = try Trace(Self.archive([Self.entry(0, wait: "300")] + hits, by: creator))
    #expect(try trace.scenario()["rules"]?.array?.first?["effect"]?["latency"]?["percentiles"]?["50"] == "300ms")
    #expect(trace.remarks.first?.contains("left out 9 requests that a cache") == true)
  }

  @Test("takes no latency from Firefox's cache, but takes that of stored responses of other tools")
  func firefoxCache() throws {
    func median(_ creator: String) throws -> JSONValue? {
      var entries = [Self.entry(0, wait: "300")]
      for second in 1...9 {
        entries.append(
          Self.entry(second, wait: "50").replacing(#""cache": {}"#, with: #""cache": {"afterRequest": null}"#))
      }
      return try Trace(Self.archive(entries, by: creator)).scenario()["rules"]?.array?.first?["effect"]?["latency"]?[
        "percentiles"]?["50"]
    }
    #expect(try median("Firefox") == "300ms")
    #expect(try median("HttpWatch") == "50ms")
  }

  @Test(
    "lets an outage end at its last failed request, and not at the next success",
    arguments: ["net::ERR_CONNECTION_REFUSED", "net::ERR_CONNECTION_RESET"])
  func outageEnds(error: String) throws {
    let failed = (10...12).map { Self.entry($0, status: "0", response: #""_error": "\#(error)""#) }
    let (rules, _) = try Self.read([Self.entry(0)] + failed + [Self.entry(900)])
    #expect(rules.count == 1)
    #expect(rules.first?["when"] == ["from": "10s", "until": "12.02s"])
    let open = try Self.read([Self.entry(0)] + failed)
    #expect(open.rules.first?["when"]?["until"] == "12.02s", "also at the end of the recording")
  }

  @Test("does not join failures that are far from each other to one outage")
  func strayFailures() throws {
    let failed = [100, 900, 1_700].map {
      Self.entry($0, status: "0", response: #""_error": "net::ERR_CONNECTION_RESET""#)
    }
    let (rules, _) = try Self.read([Self.entry(0)] + failed)
    #expect(rules.map { $0["effect"] } == [["fault": "reset-bare"]])
    #expect(rules.first?["when"] == ["chance": "3/4"])
  }

  static let cuts: [String] = [
    #""_error": "net::ERR_CONTENT_LENGTH_MISMATCH""#, #""_error": "net::ERR_INCOMPLETE_CHUNKED_ENCODING""#,
    #""_failureText": "net::ERR_CONNECTION_RESET""#, #""_charlesStatus": "EXCEPTION""#,
    #"{"name": "Content-Length", "value": "1000"}|"bodySize": 500"#,
    #"{"name": "content-length", "value": "1000"}|"bodySize": -1, "content": {"size": 500}"#,
  ]

  @Test("makes a cut response of a failure with a status, and of a body shorter than announced", arguments: cuts)
  func cutResponses(response: String) throws {
    let cut = Self.entry(1, response: response).replacing(#""content": {"size": 0}, "#, with: "")
    let (rules, remarks) = try Self.read([Self.entry(0), cut])
    #expect(rules.map { $0["effect"] } == [["fault": "truncate", "at": "5/10"]] && remarks.isEmpty, "\(response)")
    #expect(rules.first?["when"] == ["chance": "1/2"])
  }

  static let whole: [String] = [
    // Sizes that are not recorded, a compressed body, a redirection whose body the browser drops, a chunked body.
    #"{"name": "Content-Length", "value": "1000"}|"bodySize": 0"#,
    #"{"name": "Content-Length", "value": "300"}|"bodySize": 300, "content": {"size": 900}"#,
    #"{"name": "Content-Length", "value": "1000"}|"bodySize": 1000"#, #""bodySize": 12"#, #""_error": """#,
    #""_charlesStatus": "COMPLETE""#,
  ]

  @Test("does not make a cut response of a whole one", arguments: whole)
  func wholeResponses(response: String) throws {
    let entry = Self.entry(1, response: response).replacing(#""content": {"size": 0}, "#, with: "")
    #expect(try Self.read([Self.entry(0), entry]).rules.isEmpty, "\(response)")
  }

  @Test("keeps an error status, whatever the browser says beside it")
  func statusBesideFailure() throws {
    let entry = Self.entry(1, status: "503", response: #""_error": "net::ERR_HTTP_RESPONSE_CODE_FAILURE""#)
    #expect(try Self.read([Self.entry(0), entry]).rules.map { $0["effect"] } == [["status": 503]])
  }

  static let odd: [(entry: String, isRead: Bool)] = [
    (entry(1, status: #""200""#), true), (entry(1, status: "200.0"), true), (entry(1, status: "999"), false),
    (entry(1, status: "42"), false), (entry(1, status: #""OK""#), false),
    (entry(1, date: "2026-03-01T10:00:01.5+0100"), true), (entry(1, date: "2026-03-01 09:00:01,5"), true),
    (entry(1, date: "2026-03-01t09:00:01z"), true), (entry(1, date: "2026-03-01T04:00:01-05"), true),
    (entry(1, date: "yesterday"), false), (entry(1, date: ""), false),
    (entry(1).replacing(#""2026-03-01T09:00:01.000Z""#, with: "1772355601000"), true),
    (entry(1, response: #""comment": "half a pair: \ud83d""#), true),
    (entry(1, response: #""comment": 1, "comment": 2"#), true), (entry(1, wait: "-1e300"), true),
    (entry(1, wait: "1e999"), false), (entry(1, wait: "1e300"), false), (entry(1, receive: "1e12"), false),
    (entry(1, wait: #""1e300""#), false),
    (entry(1).replacing(#""time": 21"#, with: #""time": 1e300"#), false),
    (entry(1, wait: "86400001"), false), (entry(1, wait: "86400000"), true), (entry(1, wait: #""20""#), true),
    (entry(1, wait: "null"), true),
    ("{}", false), ("null", false), ("[1]", false), (#"{"request": {"method": "GET"}}"#, false),
  ]

  @Test("is not refused for one odd entry, which is read if its meaning is clear, else left out", arguments: odd)
  func oddEntries(entry: String, isRead: Bool) throws {
    let (rules, remarks) = try Self.read([Self.entry(0), entry, Self.entry(2)])
    #expect(rules.isEmpty, "\(rules)")
    if isRead {
      #expect(remarks.isEmpty, "\(remarks)")
    } else {
      #expect(
        remarks == ["left out 1 request whose URL, time or status cannot be read (entry 2)"], "\(remarks)")
    }
  }

  @Test("understands a date in Retry-After, and repeats that form")
  func retryDate() throws {
    let fields = #"""
      {"name": "Date", "value": "Sun, 01 Mar 2026 09:00:01 GMT"},
      {"name": "Retry-After", "value": "Sun, 01 Mar 2026 09:00:31 GMT"}|"bodySize": 0
      """#
    let (rules, remarks) = try Self.read([Self.entry(0), Self.entry(1, status: "503", response: fields)])
    #expect(rules.map { $0["effect"] } == [["status": 503, "retryAfter": "30s", "retryAfterDate": true]])
    #expect(remarks.isEmpty)
  }

  @Test("repeats a Retry-After of 0")
  func noWait() throws {
    let fields = #"{"name": "Retry-After", "value": "0"}|"bodySize": 0"#
    let (rules, _) = try Self.read([Self.entry(0, status: "503", response: fields)])
    #expect(rules.map { $0["effect"] } == [["status": 503, "retryAfter": "0ms"]])
  }

  @Test("joins recordings of different years without the time between them")
  func years() throws {
    let failed = (20...22).map {
      Self.entry(
        0, status: "0", response: #""_error": "net::ERR_INTERNET_DISCONNECTED""#, date: "2026-03-01T09:00:\($0)Z")
    }
    let (rules, _) = try Self.read([Self.entry(0, date: "1999-01-01T00:00:00Z"), Self.entry(10)] + failed)
    #expect(rules.first?["when"] == ["from": "10s", "until": "12.02s"], "\(rules)")
  }

  @Test(
    "makes a pace of bodies that came slowly, also in an archive of this server",
    arguments: ["", #", "_outcome": "sent""#])
  func pace(more: String) throws {
    let slow = (1...3).map { Self.entry($0, receive: "2000", response: #""bodySize": 1000"#, more: more) }
    let quick = Self.entry(4, response: #""bodySize": 1000"#, more: more)
    let (rules, _) = try Self.read(slow + [quick])
    #expect(rules.map { $0["effect"] } == [["pace": ["bytesPerSecond": 500]]])
    #expect(rules.first?["when"] == ["chance": "3/4"])
    let stream = Self.entry(5, receive: "60000", response: #""bodySize": 10"#, more: more)
      .replacing(#""content": {"size": 0}"#, with: #""content": {"size": 10, "mimeType": "text/event-stream"}"#)
    #expect(try Self.read([stream]).rules.isEmpty, "a stream is open as long as its reader wants")
  }

  @Test("names the line and the column of an error in a pretty-printed file")
  func place() {
    let text = "{\n  \"log\": {\n    \"entries\": [\n      {\"time\": 1,}\n    ]\n  }\n}\n"
    #expect {
      try Trace(Array(text.utf8))
    } throws: { error in
      "\(error)" == "line 4, column 17: remove this comma: nothing follows it before }"
    }
  }

  @Test("may begin with a byte order mark, also as JSON Lines, and may have a line that was cut off")
  func marks() throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    #expect(try Trace(mark + Self.archive([Self.entry(0)])).exchanges.count == 1)
    let line = #"{"id":1,"at":"2026-03-01T09:00:00Z","api":"users","method":"GET","target":"/users","outcome":"sent"}"#
    let trace = try Trace(mark + Array("\(line)\n\(line)\n\(line.prefix(40))".utf8))
    #expect(trace.exchanges.count == 2 && trace.remarks.first?.hasSuffix("(entry 3)") == true)
  }

  @Test("of this server leaves out what a client ended by itself, and keeps what was planned")
  func ownRecording() throws {
    func line(_ id: Int, _ outcome: String, plan: String) -> String {
      """
      {"id":\(id),"at":"2026-03-01T09:00:0\(id)Z","api":"users","method":"GET","target":"/users","n":\(id),"plan":\(plan),\
      "response":null,"outcome":"\(outcome)","applied":false,"timing":{"actual":"3s","total":"3s"}}
      """
    }
    let hang = #"{"fault":"hang","effects":[{"effect":{"fault":"hang"}}]}"#
    let lines = [line(1, "peer gone", plan: "null"), line(2, "peer gone", plan: hang), line(3, "sent", plan: "null")]
    let trace = try Trace(Array(lines.joined(separator: "\n").utf8))
    #expect(trace.remarks == ["left out 1 request that the client cancelled (entry 1)"])
    #expect(try trace.scenario()["rules"]?.array?.compactMap { $0["effect"]?["fault"] } == ["hang"])
  }

  @Test("of 60,000 requests is read in linear time")
  func isLinear() throws {
    func seconds(_ count: Int) throws -> Double {
      let entries = (0..<count).map { Self.entry($0 % 3_000, path: "/users/\($0 % 10)") }
      let bytes = Self.archive(entries)
      let start = ContinuousClock.now
      #expect(try Trace(bytes).exchanges.count == count)
      return (ContinuousClock.now - start) / .seconds(1)
    }
    _ = try seconds(100)
    let (small, large) = (try seconds(2_000), try seconds(16_000))
    #expect(large < small * 8 * 4, "\(small) s for 2,000, \(large) s for 16,000")
  }
}
