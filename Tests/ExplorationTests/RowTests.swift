import Faults
import Testing

@testable import Exploration
@testable import Understudy

@Suite("The rows of two calm runs")
struct RowTests {
  private func names(_ first: [ExploredRequest], _ second: [ExploredRequest]? = nil, isComplete: Bool = false)
    -> [String]
  {
    ExploredRows(first, second ?? first, isComplete: isComplete).rows.map(\.name)
  }

  @Test("are the requests in their order, counted by method and path")
  func order() {
    let requests: [ExploredRequest] = [
      .made("GET", "/rooms"), .made("POST", "/book"), .made("GET", "/rooms"), .made("POST", "/book"),
    ]
    #expect(names(requests) == ["GET /rooms#1", "POST /book#1", "GET /rooms#2", "POST /book#2"])
  }

  @Test("are of a stream with more than three requests the first, the second and the last, unless all are wanted")
  func manyRequests() {
    let requests = Array(repeating: ExploredRequest.made("GET", "/rooms"), count: 7)
    #expect(names(requests) == ["GET /rooms#1", "GET /rooms#2", "GET /rooms#7"])
    #expect(names(requests, isComplete: true).count == 7)
  }

  static let anew: [(first: String, second: String, pattern: String)] = [
    ("/orders/1701", "/orders/1702", "/orders/*"),
    ("/orders/0b9f4c1e-6f2d-4f0e-9a55-1d1f9f0c7a11", "/orders/7a11c1e0-6f2d-4f0e-9a55-0b9f4c1e9f0c", "/orders/*"),
    ("/logs/2026-11-28/lines", "/logs/2026-11-29/lines", "/logs/*/lines"),
    ("/users/anna-kx", "/users/bert-qy", "/users/*"),
  ]

  @Test("whose paths are made anew in each run are matched by their pattern", arguments: anew)
  func patterns(first: String, second: String, pattern: String) throws {
    let found = ExploredRows(
      [.made("GET", "/start"), .made("PUT", first)], [.made("GET", "/start"), .made("PUT", second)])
    let row = try #require(found.rows.last)
    #expect(row.name == "PUT \(pattern)#1")
    #expect(row.counting == .rule)
    #expect(found.remarks.isEmpty)
  }

  @Test("of a pattern count all requests that it matches, those with a lasting path, too")
  func patternOrdinals() {
    let found = ExploredRows(
      [.made("PUT", "/orders/7"), .made("PUT", "/orders/1701")],
      [.made("PUT", "/orders/7"), .made("PUT", "/orders/1702")])
    #expect(found.rows.map(\.name) == ["PUT /orders/7#1", "PUT /orders/*#2"])
  }

  @Test("are those of one operation, if a file of semantics names it, and of all of them for a request without a name")
  func operations() {
    let requests: [ExploredRequest] = [
      .made("POST", "/rpc", operation: "charge"), .made("POST", "/rpc", operation: "refund"), .made("POST", "/rpc"),
      .made("POST", "/rpc", operation: "charge"),
    ]
    let rows = ExploredRows(requests, requests).rows
    #expect(
      rows.map(\.name) == ["POST /rpc (charge)#1", "POST /rpc (refund)#1", "POST /rpc#3", "POST /rpc (charge)#2"])
    #expect(rows.map(\.counting) == [.path, .path, .rule, .path])
  }

  @Test("are told if they do not come again")
  func lost() {
    let found = ExploredRows(
      [.made("GET", "/a"), .made("GET", "/a"), .made("GET", "/b/c/d")], [.made("GET", "/a"), .made("POST", "/e")])
    #expect(found.rows.map(\.name) == ["GET /a#1"])
    #expect(found.remarks.count == 2)
    #expect(found.remarks.first?.hasPrefix("GET /a: 1 request of the first calm run did not come again") == true)
    #expect(found.remarks.last?.hasPrefix("GET /b/c/d: 1 request") == true)
  }

  static let unnameable: [(method: String, path: String)] = [
    ("GET", "/a*b"), ("GET", "/" + String(repeating: "x", count: 1_100)), ("BREW", "/pot"),
  ]

  @Test("are told if no rule can name them", arguments: unnameable)
  func obstacles(method: String, path: String) {
    let found = ExploredRows([.made(method, path)], [.made(method, path)])
    #expect(found.rows.isEmpty)
    #expect(found.remarks.count == 1)
    #expect(found.remarks.first?.contains("is not explored: ") == true)
  }

  @Test("of sandboxes with new names count the requests of all sandboxes together")
  func sandboxes() {
    let found = ExploredRows(
      [.made("POST", "/book", in: "a-1"), .made("POST", "/book")],
      [.made("POST", "/book", in: "a-2"), .made("POST", "/book")])
    #expect(found.rows.map(\.name) == ["POST /@*/book#1", "POST /book#1"])
    #expect(found.rows.map(\.sandbox) == [nil, "default"])
  }

  @Test("have the label of their API where two APIs have the same path")
  func labels() {
    let requests: [ExploredRequest] = [
      .made("GET", "/rooms", api: "house"), .made("GET", "/rooms", api: "booking"),
      .made("GET", "/users", api: "users"),
    ]
    #expect(names(requests) == ["GET /@house/rooms#1", "GET /@booking/rooms#1", "GET /users#1"])
  }

  @Test("that overlapped another request of their stream are marked")
  func overlap() {
    let requests: [ExploredRequest] = [
      .made("GET", "/a", during: 0..<2), .made("GET", "/a", during: 1..<2), .made("GET", "/a", during: 2..<3),
      .made("GET", "/b", during: 3..<4),
    ]
    #expect(
      ExploredRows(requests, requests).rows.map(\.title) == ["GET /a #1 ~", "GET /a #2 ~", "GET /a #3", "GET /b #1"])
  }

  @Test("with one pattern that overlapped are marked, though their paths differ")
  func overlapOfPattern() {
    let first: [ExploredRequest] = [.made("PUT", "/a/1", during: 0..<2), .made("PUT", "/a/2", during: 1..<2)]
    let second: [ExploredRequest] = [.made("PUT", "/a/3", during: 0..<1), .made("PUT", "/a/4", during: 1..<2)]
    #expect(ExploredRows(first, second).rows.map(\.title) == ["PUT /a/* #1 ~", "PUT /a/* #2 ~"])
  }

  @Test("are named by their own path beside one with a literal star")
  func star() {
    let first: [ExploredRequest] = [.made("GET", "/files/*"), .made("GET", "/files/a/1"), .made("GET", "/files/b/c")]
    let second: [ExploredRequest] = [.made("GET", "/files/*"), .made("GET", "/files/a/2"), .made("GET", "/files/b/c")]
    #expect(names(first, second) == ["GET /files/a/*#1", "GET /files/b/c#1"])
  }

  @Test("are those with a path that --only matches")
  func only() {
    let requests: [ExploredRequest] = [.made("GET", "/index.html"), .made("GET", "/api/users")]
    #expect(ExploredRows(requests, requests, only: PathGlob("/api/**")).rows.map(\.name) == ["GET /api/users#1"])
  }
}
