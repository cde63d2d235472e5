import Contract
import Primitives
import Testing

@testable import Report
@testable import Understudy

/// Bursts that are no loop, and evidence that comes long before or after what it excuses.
extension CourseTests {
  static let bursts: [Course] = [
    Course(
      "250 widgets read one record at once", at: .shop(isDeclared: false),
      [
        .beside((0..<250).map { (_: Int) -> [Course.Step] in [get("/config.json")] })
      ]),
    Course(
      "a page that begins with twelve reads of one record is opened twenty times in a row",
      at: .shop(isDeclared: false),
      [
        .times(
          20,
          [.beside((0..<12).map { (_: Int) -> [Course.Step] in [get("/config.json")] }), .wait(.milliseconds(20))])
      ]),
  ]

  private static let declared = Course.Place.shop(isDeclared: true)

  private static func orders(_ numbers: Range<Int>, _ prefer: String? = nil) -> [Course.Step] {
    numbers.map { order(key: "key-\($0)", prefer: prefer, body: "{\"sku\": \($0)}") }
  }

  private static let twoWishes = [order(key: "a", prefer: lost), second(), order(key: "b")]

  static let longRuns: [Course] = [
    Course(
      "two wishes of which the first is repeated, and 1,100 further keys", at: declared,
      twoWishes + [second(), order(key: "a")] + orders(100..<1_200)),
    Course(
      "two wishes, 100 further orders, and a look that shows them all", at: declared,
      expecting: [NoDuplicateEffect.id: .warn], twoWishes + orders(100..<200) + [get("/orders")]),
    Course(
      "two attempts under two keys, and 1,100 further keys", at: declared, expecting: [NoDuplicateEffect.id: .fail],
      twoWishes + orders(100..<1_200)),
    Course(
      "400 lost orders, each of which is repeated late", at: declared, expecting: [LostReplyFollowedUp.id: .warn],
      orders(0..<200, lost) + [second(32), get("/config.json")] + orders(200..<400, lost)
        + [second(32), get("/config.json"), second(32)] + orders(0..<400)),
  ]

  static let failures: [Course] = [
    Course(
      "a command's booking is done, though it is told 503, and the command fails",
      expecting: [LostReplyFollowedUp.id: .warn], exitCode: 22, [booking(prefer: "code=503; phase=after")]),
    Course(
      "a command's order is done, though it is told 429, and the command fails", at: declared,
      expecting: [LostReplyFollowedUp.id: .warn], exitCode: 22, [order(prefer: "code=429; phase=after")]),
    Course(
      "a command's order is done, though it is told 503, and the command says that all went well", at: declared,
      expecting: [LostReplyFollowedUp.id: .fail], exitCode: 0, [order(prefer: "code=503; phase=after")]),
    Course(
      "an app's order is done, though it is told 503, which its user may see", at: declared,
      expecting: [LostReplyFollowedUp.id: .warn], [order(prefer: "code=503; phase=after")]),
    Course(
      "an order is done, though its client is told 503, and the client looks", at: declared,
      [
        order(prefer: "code=503; phase=after"), second(), get("/orders"),
      ]),
    Course(
      "an order is done, though its client is told 500, and the client looks", at: declared,
      [
        order(prefer: "code=500; phase=after"), second(), get("/orders"),
      ]),
    Course(
      "an early retry, perhaps of another client, beside a client that keeps no limit",
      expecting: [RetryAfterHonoured.id: .fail], earlyRetry + sevenPages),
  ]

  private static let earlyRetry: [Course.Step] = [
    .beside([
      [get("/users/3", ":app/1", "code=503; retry-after=5s")], [get("/devices", ":app/1", "delay=1s")],
    ]),
    get("/users/3", ":app/1"),
  ]

  private static let sevenPages: [Course.Step] = (1...8).map { (page: Int) -> Course.Step in
    get("/users?_page=\(page)", "app", "code=429; retry-after=20s")
  }

  @Test("gets no worse verdict than the evidence allows", arguments: bursts + longRuns + failures)
  func evidence(course: Course) throws { try check(course) }

  @Test("a loop that pauses and has late timers is counted once")
  func loopCountedOnce() throws {
    let turns: [Course.Step] = [.times(25, [Self.get("/users/3")]), .wait(.milliseconds(90))]
    let course = Course(
      "a loop with late timers", [.times(30, turns), Self.second(), .times(300, [Self.get("/users/3")])])
    let loop = try #require(course.play()[RequestsInALoop.id])
    #expect(loop.verdict == .fail)
    #expect(loop.sentence.hasPrefix("1 request was sent 200 times or more"), "\(loop.sentence)")
  }

  /// Requests to a path that a file keys by a field of its own, and a word of each sentence about them.
  static let keyed: [(Course, String)] = [
    (Course("two keys", at: declared, [keyed("a", lost), second(), keyed("b")]), NoDuplicateEffect.id),
    (Course("a lost write", at: declared, [keyed("a", lost)]), LostReplyFollowedUp.id),
    (Course("a write that is given up", at: declared, [keyed("a", lost)]), GaveUpAtOnce.id),
    (Course("two contents", at: declared, [keyed("a"), second(), keyed("a", sku: 8)]), KeyReuse.id),
    (
      Course(
        "a backend that keeps no keys", at: .shop(isDeclared: true, keepsKeys: false),
        [keyed("a", lost), second(), keyed("a")]), KeysKept.id
    ),
  ]

  private static func keyed(_ key: String, _ prefer: String? = nil, sku: Int = 7) -> Course.Step {
    .send(
      "app",
      Call(
        method: "POST", path: "/orders/express", body: "{\"sku\": \(sku)}", prefer: prefer,
        fields: ["X-Request-Id": key]))
  }

  @Test("a sentence names the key that a file declares", arguments: keyed)
  func namesTheKey(course: Course, check: String) throws {
    let finding = try #require(course.play()[check])
    #expect(
      finding.sentence.contains("key X-Request-Id") && !finding.sentence.contains("Idempotency-Key"),
      "\(finding.sentence)")
  }

  @Test("the worst of several kinds of mistakes is the first certain one, and else the first")
  func worst() {
    enum Kind: Int, CaseIterable { case first, second, third }
    var tally = Tally()
    #expect(tally.worst(of: Kind.allCases) == nil)
    tally[Kind.second].add("GET /a", ids: [1], unless: .person)
    tally[Kind.third].add("GET /b", ids: [2], unless: .person)
    #expect(tally.worst(of: Kind.allCases) == .second)
    tally[Kind.third].add("GET /c", ids: [3])
    #expect(tally.worst(of: Kind.allCases) == .third && tally[Kind.third].example == "GET /c")
  }
}
