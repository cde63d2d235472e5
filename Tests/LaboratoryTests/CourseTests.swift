import Contract
import LiveTesting
import Primitives
import Testing

@testable import Report
@testable import Understudy

/// Courses of right clients, which must not be accused, and of wrong ones, which must not be acquitted: alone, and in front
/// of a shop whose requests are declared or not.
@Suite("A course of requests", .busy)
struct CourseTests {
  static let lost = "fault=reset; phase=after"
  private static let places = [Course.Place.shop(isDeclared: false), .shop(isDeclared: true)]
  static let room = #"{"name": "Ljerka"}"#

  static func booking(
    _ client: String = "app", key: String? = nil, prefer: String? = nil, body: String = room
  ) -> Course.Step {
    .send(client, Call(method: "POST", path: "/book", body: body, key: key, prefer: prefer))
  }

  static func order(
    _ client: String = "app", key: String? = nil, prefer: String? = nil, body: String = #"{"sku": 7}"#,
    path: String = "/orders", type: String = "application/json"
  ) -> Course.Step {
    .send(client, Call(method: "POST", path: path, body: body, key: key, prefer: prefer, type: type))
  }

  static func get(
    _ path: String, _ client: String = "app", _ prefer: String? = nil, method: String = "GET",
    fields: [String: String] = [:], usesCache: Bool = true, timeout: Duration = .seconds(20)
  ) -> Course.Step {
    .send(
      client, Call(method: method, path: path, prefer: prefer, fields: fields, usesCache: usesCache), timeout: timeout)
  }

  /// A file that is too long to be compared by its meaning.
  private static func upload(_ boundary: String) -> String {
    "--\(boundary)\r\n\r\n\(String(repeating: "seven", count: 14_000))\r\n--\(boundary)--\r\n"
  }

  private static func form(_ path: String, _ name: String, _ value: String) -> Course.Step {
    .send("app", Call(method: "POST", path: path, body: "{}", fields: [name: value]))
  }

  /// A JSON object that is too long to be compared by its meaning.
  private static func long(_ first: String, _ second: String) -> String {
    "{\(first), \(second), \"text\": \"\(String(repeating: "seven", count: 14_000))\"}"
  }

  static func second(_ count: Int = 1) -> Course.Step { .wait(.seconds(count)) }

  // MARK: Right

  static let keys: [Course] = [
    Course(
      "a worker repeats under its key what another one lost",
      [
        booking("worker-1", key: "k", prefer: lost), second(), booking("worker-2", key: "k"),
      ]),
    Course(
      "a worker repeats under its key what another one lost, but late", expecting: [LostReplyFollowedUp.id: .warn],
      [
        booking("worker-1", key: "k", prefer: lost), second(45), booking("worker-2", key: "k"),
      ]),
    Course(
      "a client without a name repeats under its key what one of another User-Agent lost",
      [
        booking(":worker/1", key: "k", prefer: lost), second(), booking(":worker/2", key: "k"),
      ]),
    Course(
      "two wishes with a key each, and a look", expecting: [NoDuplicateEffect.id: .warn],
      [
        booking(key: "a", prefer: lost), second(), booking(key: "b"), second(), get("/rooms.json"),
        booking(key: "c", body: #"{"name": "Septima"}"#),
      ]),
    Course(
      "two wishes with a key each, of which the first is repeated",
      [
        booking(key: "a", prefer: lost), second(), booking(key: "b"), second(), booking(key: "a"),
      ]),
    Course(
      "two attempts under two keys, and nothing more", expecting: [NoDuplicateEffect.id: .fail],
      [
        booking(key: "a", prefer: lost), second(), booking(key: "b"),
      ]),
    Course("a queue delivers an answered write once more", [booking(key: "a"), second(5), booking(key: "a")]),
    Course(
      "a queue delivers an answered write to another worker", expecting: [KeyReuse.id: .warn],
      [
        booking("worker-1", key: "a"), second(5), booking("worker-2", key: "a"),
      ]),
    Course(
      "a conflict under a key that is under way passes",
      [
        .beside([
          [booking(key: "a", prefer: "delay=3s")],
          [.wait(.milliseconds(300)), .times(6, [booking(key: "a"), .wait(.milliseconds(400))])],
          [.wait(.milliseconds(3_500)), booking(key: "a")],
        ])
      ]),
    Course(
      "one key for two contents, which the server refuses", expecting: [KeyReuse.id: .fail],
      [
        booking(key: "a"), second(), booking(key: "a", body: #"{"name": "Septima"}"#),
      ]),
  ]

  static let ordering: [Course] = places.flatMap { (place: Course.Place) -> [Course] in
    let isDeclared = place == .shop(isDeclared: true)
    let doubtful: Verdict = isDeclared ? .fail : .warn
    let careless = Course.Place.shop(isDeclared: isDeclared, keepsKeys: false)
    return [
      Course(
        "a lost order repeated under its key", at: place, [order(key: "k", prefer: lost), second(), order(key: "k")]),
      Course(
        "the same before a backend that ignores keys", at: careless, expecting: [KeysKept.id: .warn],
        [
          order(key: "k", prefer: lost), second(), order(key: "k"),
        ]),
      Course(
        "a lost order repeated without a key", at: place, expecting: [NoDuplicateEffect.id: doubtful],
        [
          order(prefer: lost), second(), order(),
        ]),
      Course(
        "a lost order repeated after a look elsewhere", at: place, expecting: [NoDuplicateEffect.id: doubtful],
        [
          order(prefer: lost), second(), get("/config.json"), get("/favicon.ico"), second(), order(),
        ]),
      Course(
        "a lost order repeated after a look at all orders", at: place,
        [
          order(prefer: lost), second(), get("/orders"), second(), order(),
        ]),
      Course(
        "a lost order that is removed, and made again", at: place,
        [
          order(prefer: lost), second(), get("/orders/1", method: "DELETE"), second(), order(),
        ]),
      Course(
        "a lost order that nothing follows", at: place, expecting: [LostReplyFollowedUp.id: doubtful],
        [
          order(prefer: lost)
        ]),
      Course(
        "a lost order after which its client looks elsewhere", at: place, expecting: [LostReplyFollowedUp.id: .warn],
        [
          order(prefer: lost), second(), get("/config.json"),
        ]),
      Course(
        "an order that the backend answered by 500, made again", at: place,
        [
          order(path: "/broken"), second(), order(path: "/broken"),
        ]),
      Course(
        "a lost order repeated with another time in it", at: place, expecting: [NoDuplicateEffect.id: .warn],
        [
          order(prefer: lost, body: #"{"sku": 7, "at": "2026-11-28T10:00:00Z"}"#), second(),
          order(body: #"{"sku": 7, "at": "2026-11-28T10:00:01Z"}"#), second(), get("/orders"),
        ]),
      Course(
        "a form in another order under its key", at: place,
        [
          order(key: "k", prefer: lost, body: "sku=7&name=Ada+B", type: "application/x-www-form-urlencoded"), second(),
          order(key: "k", body: "name=Ada%20B&sku=7", type: "application/x-www-form-urlencoded"),
        ]),
      Course(
        "a multipart content with another boundary under its key", at: place,
        [
          order(
            key: "k", prefer: lost, body: "--one\r\n\r\nseven\r\n--one--", type: "multipart/form-data; boundary=one"),
          second(),
          order(key: "k", body: "--two\r\n\r\nseven\r\n--two--", type: "multipart/form-data; boundary=two"),
        ]),
      Course(
        "a long content in another order under its key", at: place, expecting: [KeyReuse.id: .warn],
        [
          order(key: "k", prefer: lost, body: long(#""sku": 7"#, #""amount": 2"#)), second(),
          order(key: "k", body: long(#""amount": 2"#, #""sku": 7"#)),
        ]),
      Course(
        "a lost order repeated with another request id in its query", at: place,
        expecting: [NoDuplicateEffect.id: .warn],
        [
          order(prefer: lost, path: "/orders?request=0d3fd3f5-7dd5-4a5b-9d0f-6d1a3c2b1e0f"), second(),
          order(path: "/orders?request=7c1b2a3d-1f2e-4d3c-8b4a-0e9d8c7b6a5f"), second(), get("/orders"),
        ]),
      Course(
        "a lost order after which its client looks at a head, and orders again", at: place,
        expecting: [NoDuplicateEffect.id: doubtful],
        [
          order(prefer: lost), second(), get("/orders", method: "HEAD"), second(), order(),
        ]),
      Course(
        "a page instead of an answer, and a part for what was never set", at: place,
        expecting: [DamagedReplyTrusted.id: .fail],
        [
          .send("app", Call(method: "PUT", path: "/items/1", body: "{}", prefer: "fault=captive-portal")), second(),
          order(path: "/items/1/parts"),
        ]),
      Course(
        "a page instead of an answer, and what is below is removed", at: place,
        expecting: [DamagedReplyTrusted.id: .warn],
        [
          .send("app", Call(method: "PUT", path: "/items/1", body: "{}", prefer: "fault=captive-portal")), second(),
          get("/items/1/parts", method: "DELETE"),
        ]),
      Course(
        "a page instead of an answer to a change, and a write below what was there", at: place,
        expecting: [DamagedReplyTrusted.id: .warn],
        [
          .send("app", Call(method: "PATCH", path: "/items", body: "{}", prefer: "fault=captive-portal")), second(),
          order(path: "/items/parts"),
        ]),
      Course(
        "a lost part of a transaction that is then removed", at: place, expecting: [LostReplyFollowedUp.id: .warn],
        [
          .send("app", Call(method: "PUT", path: "/parts/1/file", body: "{}", prefer: lost)), second(),
          get("/transactions/1", method: "DELETE"),
        ]),
      Course(
        "a lost part of a transaction that is gone when it is removed", at: place,
        expecting: [LostReplyFollowedUp.id: .fail],
        [
          .send("app", Call(method: "PUT", path: "/parts/1/file", body: "{}", prefer: lost)), second(),
          get("/transactions/1", "app", "code=404", method: "DELETE"),
        ]),
      Course(
        "a new token against forgery after 403, and a new credential after 401", at: place,
        [
          .times(
            1,
            (1...6).flatMap { (number: Int) -> [Course.Step] in
              [
                form("/forbidden", "X-CSRF-Token", "token-\(number)"),
                form("/private", "Authorization", "Bearer token-\(number)"),
              ]
            })
        ]),
      Course(
        "an upload that is refused for now and sent again with another boundary", at: place,
        [
          order(prefer: "code=503; retry-after=1s", body: upload("one"), type: "multipart/form-data; boundary=one"),
          second(2), order(body: upload("two"), type: "multipart/form-data; boundary=two"),
        ]),
      Course(
        "a lost upload that is sent again with another boundary", at: place,
        expecting: [NoDuplicateEffect.id: doubtful],
        [
          order(prefer: lost, body: upload("one"), type: "multipart/form-data; boundary=one"),
          second(2), order(body: upload("two"), type: "multipart/form-data; boundary=two"),
        ]),
      Course(
        "a page instead of an answer, and nothing more", at: place, expecting: [DamagedReplyTrusted.id: .warn],
        [
          order(prefer: "fault=captive-portal"), second(), get("/config.json"),
        ]),
    ]
  }

  @Test("gets the verdicts that its explanations leave", arguments: keys + ordering)
  func writes(course: Course) throws { try check(course) }

  func check(_ course: Course) throws {
    let found = try course.play()
    #expect(
      found.mapValues(\.verdict) == course.expected,
      "\(course.place)\n\(found.map { "\($0.value.verdict.rawValue) \($0.key): \($0.value.sentence) \($0.value.evidence)" }.joined(separator: "\n"))"
    )
  }
}
