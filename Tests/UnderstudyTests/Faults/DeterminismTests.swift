import JSON
import Primitives
import Testing

@testable import Understudy

@Suite("Plans of the same seed")
struct DeterminismTests {
  /// Chances, drawn delays, drawn damage and windows; nothing that depends on time.
  private static let rules = [
    #"{"name":"slow","when":{"chance":"1/3"},"effect":{"latency":{"uniform":["10us","900us"]}}}"#,
    #"{"name":"busy","when":{"chance":"1/4"},"effect":{"status":503,"retryAfter":"1s"}}"#,
    #"{"name":"odd","when":{"chance":"1/4"},"effect":{"fault":"drift"}}"#,
    #"{"name":"lost","when":{"nth":5},"match":{"changes":true},"phase":"after","effect":{"status":500}}"#,
  ]

  private static let streams = [
    ("GET", "/users/1"), ("GET", "/users/2"), ("POST", "/book"), ("GET", "/devices"), ("GET", "/rooms.json"),
  ]

  private static let scenario = #"{"name":"chance","rules":[\#(rules.joined(separator: ","))]}"#

  /// Sends requests of each stream from 16 connections in a random order, and returns the plans by stream.
  private func run(seed: Int, order: UInt64, sandbox: String? = nil, count: Int = 24) async throws -> [String:
    [JSONValue]]
  {
    try await withStage { stage in
      let prefix = sandbox.map { "/@" + $0 } ?? ""
      if let sandbox { _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"\#(sandbox)"}"#) }
      _ = try stage.json(prefix + "/_mock/scenario", "PUT", Self.scenario)
      _ = try stage.json(prefix + "/_mock/scenario", "PATCH", #"{"seed":\#(seed)}"#)
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"busy","scenario":"mayhem"}"#)
      var random = SplitMix64(seed: order)
      let clients = try (0..<16).map { _ in try WireConnection(stage.server.port) }
      var waiting = clients.map { _ in 0 }
      for stream in Self.streams.flatMap({ Array(repeating: $0, count: count) }).shuffled(using: &random) {
        let index = Int.random(in: clients.indices, using: &random)
        try clients[index].send(wire(stream.0, prefix + stream.1, body: stream.0 == "POST" ? "{}" : nil))
        waiting[index] += 1
        if Bool.random(using: &random) { try drain(clients, &waiting, Int.random(in: clients.indices, using: &random)) }
        if Int.random(in: 0..<8, using: &random) == 0 {
          try WireConnection(stage.server.port).send(wire("GET", "/@busy/users/1"))
        }
      }
      for index in clients.indices { try drain(clients, &waiting, index) }
      var plans: [String: [JSONValue]] = [:]
      for entry in try requests(stage, prefix) {
        let key = "\(entry["method"]?.string ?? "") \(entry["path"]?.string ?? "")"
        plans[key, default: []].append(entry["plan"] ?? .null)
      }
      return plans
    }
  }

  private func requests(_ stage: Stage, _ prefix: String) throws -> [JSONValue] {
    try #require(try stage.json(prefix + "/_mock/journal")["entries"]?.array)
      .filter { $0["event"] == nil }.sorted { $0["n"]?.int ?? 0 < $1["n"]?.int ?? 0 }
  }

  private func drain(_ clients: [WireConnection], _ waiting: inout [Int], _ index: Int) throws {
    while waiting[index] > 0 {
      _ = try clients[index].response()
      waiting[index] -= 1
    }
  }

  @Test("are the same for a stream in any order, on any connection, in any sandbox and after a restart")
  func repeats() async throws {
    let first = try await run(seed: 7, order: 1)
    #expect(first.count == Self.streams.count)
    #expect(first.values.allSatisfy { $0.count == 24 })
    #expect(Set(first.values.map { $0.map(\.text) }).count == first.count, "streams are independent of each other")
    #expect(try await run(seed: 7, order: 2) == first)
    #expect(try await run(seed: 7, order: 3, sandbox: "other") == first, "equal sandboxes have equal plans")
    #expect(try await run(seed: 8, order: 1) != first)
  }

  @Test("are equal to their preview, which changes nothing")
  func previews() async throws {
    try await withStage { stage in
      try stage.arm(Self.rules)
      for (method, path) in Self.streams {
        let target = "/_mock/plan?method=\(method)&path=\(path)&count=30"
        let preview = try #require(try stage.json(target)["plan"]?.array)
        #expect(try stage.json(target)["plan"]?.array == preview)
        for _ in 1...30 { _ = try exchange(stage.server, wire(method, path, body: method == "POST" ? "{}" : nil)) }
        let entries = try stage.requests().filter { $0["path"] == .string(path) && $0["method"] == .string(method) }
        #expect(preview.map { $0["n"]?.int } == Array(1...30))
        for (item, entry) in zip(preview, entries) {
          let isEmpty = item["words"] == ""
          // The entry also says what a fault changed in the response, which no preview can know.
          let (effects, words) = (entry["plan", "effects"] ?? .null, entry["plan", "words"] ?? .null)
          #expect(entry["plan"] == (isEmpty ? .null : item.merging(["effects": effects, "words": words])))
          if let status = item["status"] { #expect(entry["response", "status"] == status) }
        }
        #expect(
          try stage.json(target)["plan"]?.array?.first?["n"] == 31, "the ordinals after those of the received requests")
      }
    }
  }

  @Test("are previewed for the API of the labels in the preview's request")
  func foretellsByLabel() async throws {
    try await withStage(
      #"{"match":{"api":"booking"},"effect":{"status":500}}"#, #"{"match":{"api":"house"},"effect":{"status":501}}"#
    ) { stage in
      let plan = "/_mock/plan?method=GET&count=1&path="
      for (target, host, status) in [
        (plan + "/rooms", "localhost", 501), (plan + "/@booking/rooms", "localhost", 500),
        ("/@booking" + plan + "/rooms", "localhost", 500), (plan + "/rooms", "booking.localhost", 500),
        (plan + "/@Booking/rooms", "house.localhost", 500),
      ] {
        let response = try exchange(stage.server, wire("GET", target, host: host))
        #expect(
          try JSONValue(parsing: response.body)["plan"]?.array?.first?["status"]?.int == status, "\(host) \(target)")
      }
    }
  }

  @Test("are the same for the same Fault-Key, which replaces the ordinal and is not counted")
  func faultKey() async throws {
    try await withStage { stage in
      let paced = #"{"name":"first","when":{"first":99},"effect":{"pace":{"bytesPerSecond":1000000}}}"#
      try stage.arm(Self.rules + [paced])
      for _ in 1...3 {
        for key in ["a", "b", "c", "d", "e", "f"] {
          _ = try exchange(stage.server, wire("GET", "/users/1", "Fault-Key: \(key)"))
        }
      }
      let keyed = try stage.requests()
      #expect(keyed.allSatisfy { $0["n"] == JSONValue.null })
      let plans = keyed.map { $0["plan"] }
      #expect(Array(plans[0..<6]) == Array(plans[6..<12]) && Array(plans[6..<12]) == Array(plans[12..<18]))
      #expect(Set(plans.map { $0?.text }).count > 1, "each key has its own plan")
      #expect(keyed.allSatisfy { $0["plan", "words"]?.string?.contains("pace") != true })
      _ = try exchange(stage.server, wire("GET", "/users/1"))
      #expect(try stage.requests().last?["n"] == 1)
    }
  }

  @Test("belong to a stream, which depends on the method, and not on labels, escapes, double slashes or the query")
  func streams() async throws {
    try await withStage { stage in
      for target in ["/users/1", "//users/1", "/users/%31", "/users/1?x=1", "/@users/users/1", "/@default/users/1"] {
        _ = try exchange(stage.server, wire("GET", target))
      }
      _ = try exchange(stage.server, wire("GET", "/users/1", host: "users.localhost"))
      _ = try exchange(stage.server, wire("HEAD", "/users/1"))
      _ = try exchange(
        stage.server,
        wire("OPTIONS", "/users/1", "Origin: http://a.example", "Access-Control-Request-Method: PUT"))
      #expect(try stage.requests().map { $0["n"]?.int } == [1, 2, 3, 4, 5, 6, 7, 1, nil])
    }
  }
}
