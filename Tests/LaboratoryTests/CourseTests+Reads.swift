import Contract
import Primitives
import Testing

@testable import Report

/// Waits, and reads that are repeated.
extension CourseTests {
  static let waits: [Course] = [
    Course(
      "three records are polled until they appear", at: .shop(isDeclared: false),
      [
        .beside(
          ["a", "b", "c"].map { (name: String) -> [Course.Step] in
            [.times(7, [get("/appears/\(name)"), .wait(.milliseconds(200))])]
          })
      ]),
    Course(
      "a poller fetches every two seconds whatever the answers are",
      [
        .times(
          4,
          [
            get("/devices", "app", "code=500"), second(2), get("/devices", "app", "code=500"), second(2),
            get("/devices"), second(2), get("/devices"), second(2), get("/devices", "app", "code=500"), second(2),
            get("/devices"), second(2),
          ])
      ]),
    Course(
      "twelve queries are fetched again over six kept connections",
      [
        .beside(
          (1...6).map { (number: Int) -> [Course.Step] in
            let paths = ["/users/\(number)?q=a", "/users/\(number)?q=b"]
            return [
              get(paths[0], "app", "code=503"), get(paths[1], "app", "code=503"), second(3), get(paths[0]),
              get(paths[1]),
            ]
          })
      ]),
    Course(
      "twenty retries at once", expecting: [NoStampede.id: .fail],
      [
        .beside(
          (0..<20).map { (number: Int) -> [Course.Step] in
            [get("/users/3?q=\(number)", "app", "code=503"), second(3), get("/users/3?q=\(number)")]
          })
      ]),
    Course(
      "sixty clients come back at one moment", expecting: [NoStampede.id: .warn],
      [
        .beside(
          (0..<60).map { (number: Int) -> [Course.Step] in
            [get("/users/3", "app-\(number)", "code=503"), second(3), get("/users/3", "app-\(number)")]
          })
      ]),
    Course(
      "three widgets read one record, and each of them retries twice",
      [
        .beside(
          (0..<3).map { (number: Int) -> [Course.Step] in
            [
              get("/users/3", "app", "code=503"), .wait(.milliseconds(150 + 40 * number)),
              get("/users/3", "app", "code=503"), .wait(.milliseconds(450 + 210 * number)), get("/users/3"),
            ]
          })
      ]),
    Course(
      "an unnamed app's code loses a write, and its web view looks", expecting: [LostReplyFollowedUp.id: .warn],
      [
        .send(":native/1", Call(method: "PATCH", path: "/devices/WWM-0001-12", body: date, prefer: lost)), second(),
        get("/devices/WWM-0001-12", ":web/1"),
      ]),
    Course(
      "a booking is refused for now, and the person takes another room",
      [
        booking(prefer: "code=503"), second(4), booking(body: #"{"name": "Septima"}"#),
      ]),
    Course(
      "a user is deleted without an answer, and looked at",
      [
        get("/users/3", "app", lost, method: "DELETE"), second(), get("/users/3"),
      ]),
    Course(
      "a read is hedged, and the slower half cancelled",
      [
        .beside([
          [get("/users/3", "app", "fault=hang", timeout: .milliseconds(700))],
          [.wait(.milliseconds(500)), get("/users/3")],
        ])
      ]),
    Course(
      "another media type after 415, at once", at: .shop(isDeclared: false),
      [
        .times(1, [order(path: "/typed", type: "text/plain"), order(path: "/typed")])
      ]),
    Course(
      "pages in two languages share a tag", at: .shop(isDeclared: false),
      [
        .times(
          4,
          [
            get("/tagged", fields: ["Accept-Language": "en", "If-None-Match": "\"same\""], usesCache: false), second(),
            get("/tagged", fields: ["Accept-Language": "hr", "If-None-Match": "\"same\""], usesCache: false), second(),
          ])
      ]),
    Course(
      "the tag of a page that was cut in one language came whole with another", at: .shop(isDeclared: false),
      [
        get("/tagged", "app", "fault=truncate", fields: ["Accept-Language": "en"], usesCache: false), second(),
        get("/tagged", fields: ["Accept-Language": "hr"], usesCache: false), second(),
        get("/tagged", fields: ["Accept-Language": "en", "If-None-Match": "\"same\""], usesCache: false),
      ]),
    Course(
      "a tag whose page was cut in its only language", at: .shop(isDeclared: false),
      expecting: [DamagedReplyTrusted.id: .fail],
      [
        get("/tagged", "app", "fault=truncate", fields: ["Accept-Language": "en"], usesCache: false), second(),
        get("/tagged", fields: ["Accept-Language": "en", "If-None-Match": "\"same\""], usesCache: false),
      ]),
    Course(
      "sixteen ranges of one file side by side", at: .shop(isDeclared: false),
      [
        .beside(
          (0..<16).map { (number: Int) -> [Course.Step] in
            [get("/file", fields: ["Range": "bytes=\(number)00-\(number)99"])]
          })
      ]),
    Course("a long poll that goes on", at: .shop(isDeclared: false), [.times(250, [get("/poll")])]),
    Course("a worker that drains a queue", at: .shop(isDeclared: false), [.times(300, [get("/jobs/next")])]),
  ]

  static let date = #"{"installationDate": "2026-05-05T05:05:05Z"}"#

  @Test("of reads and waits gets the verdicts that its explanations leave", arguments: waits + loops + limits)
  func reads(course: Course) throws { try check(course) }
}

/// Loops, and clients that do not keep a limit.
extension CourseTests {
  static let loops: [Course] = [
    Course(
      "an interceptor gets a new token for each 401", at: .shop(isDeclared: false),
      expecting: [RequestsInALoop.id: .fail],
      [
        .times(300, [get("/private"), order(path: "/token")])
      ]),
    Course(
      "a missing record in a loop", expecting: [RequestsInALoop.id: .fail, NoRetryOf4xx.id: .warn],
      [
        .times(500, [get("/devices/none")])
      ]),
    Course(
      "a cache buster in a loop", expecting: [RequestsInALoop.id: .fail],
      [
        .beside([
          (0..<300).map { get("/devices?_=\($0)", usesCache: false) }
        ])
      ]),
    Course(
      "a cache buster of a backend in a loop", at: .shop(isDeclared: false), expecting: [RequestsInALoop.id: .fail],
      [
        .beside([
          (0..<300).map { get("/private?now=\(1_767_225_600_000 + $0)", usesCache: false) }
        ])
      ]),
    Course(
      "three hundred questions with the same answer", at: .shop(isDeclared: false),
      expecting: [RequestsInALoop.id: .warn],
      [
        .beside([
          (0..<300).map { get("/private?named=\($0)", usesCache: false) }
        ])
      ]),
    Course(
      "a loop after several questions", at: .shop(isDeclared: false), expecting: [RequestsInALoop.id: .fail],
      [
        .beside([
          (0..<250).map { get("/private?named=\($0)", usesCache: false) }
            + (0..<250).map { _ in get("/private?named=last", usesCache: false) }
        ])
      ]),
    Course("HEAD in a loop", expecting: [RequestsInALoop.id: .fail], [.times(300, [get("/users/3", method: "HEAD")])]),
    Course(
      "PATCH in a loop", expecting: [RequestsInALoop.id: .fail],
      [
        .times(300, [.send("app", Call(method: "PATCH", path: "/devices/WWM-0001-12", body: date))])
      ]),
    Course(
      "a search by POST in a loop", at: .shop(isDeclared: true), expecting: [RequestsInALoop.id: .fail],
      [
        .times(300, [order(path: "/search")])
      ]),
    Course(
      "a redirect to itself", at: .shop(isDeclared: false), expecting: [RequestsInALoop.id: .fail],
      [
        .times(300, [get("/moved")])
      ]),
    Course(
      "a loop of two components, with one late timer", expecting: [RequestsInALoop.id: .fail],
      [
        .beside([
          [.times(120, [get("/devices")]), .wait(.milliseconds(90)), .times(120, [get("/devices")])],
          [.times(120, [get("/devices")])],
        ])
      ]),
  ]

  static let limits: [Course] = [
    Course(
      "seven pages after a 429", expecting: [RetryAfterHonoured.id: .fail],
      [
        .times(1, (1...8).map { get("/users?_page=\($0)", "app", "code=429; retry-after=20s") })
      ]),
    Course(
      "seven bookings after a 429", expecting: [RetryAfterHonoured.id: .fail, GaveUpAtOnce.id: .warn],
      [
        .times(
          1,
          (1...8).map { booking(key: "k\($0)", prefer: "code=429; retry-after=20s", body: #"{"name": "Room \#($0)"}"#) }
        )
      ]),
    Course(
      "a Retry-After in the form of RFC 850 is not read", at: .shop(isDeclared: false),
      expecting: [
        RetryAfterHonoured.id: .fail
      ], [get("/busy"), second(), get("/busy")]),
    Course(
      "one key for two paths", at: .shop(isDeclared: false), expecting: [KeyReuse.id: .warn],
      [
        order(key: "k"), second(), order(key: "k", path: "/carts"),
      ]),
    Course(
      "a fresh key after 502, without a name", expecting: [NoDuplicateEffect.id: .warn],
      [
        booking(":app/1", key: "a", prefer: "code=502; phase=after"), second(), booking(":app/1", key: "b"),
      ]),
    Course(
      "a write that is conditional on the tag of a body that was cut", expecting: [DamagedReplyTrusted.id: .fail],
      [
        get("/devices/WWM-0001-12", "app", "fault=truncate", usesCache: false), second(),
        .send("app", Call(method: "PATCH", path: "/devices/WWM-0001-12", body: date, ifMatch: Call.lastTag)),
      ]),
    Course(
      "five pages given up after half a second", expecting: [TimeoutsSane.id: .warn],
      [
        .times(1, (1...5).map { get("/users?_page=\($0)", "app", "delay=2s", timeout: .milliseconds(500)) })
      ]),
    Course(
      "sixty refreshes in six seconds of what is fresh", expecting: [Freshness.id: .warn],
      [
        .times(60, [get("/rooms.json", fields: ["Cache-Control": "no-cache"]), .wait(.milliseconds(100))])
      ]),
    Course(
      "a command gives a refused read up, and fails", expecting: [GaveUpAtOnce.id: .warn], exitCode: 22,
      [
        get("/devices", "app", "code=503; retry-after=5s")
      ]),
    Course(
      "a command loses an order, and fails", at: .shop(isDeclared: true),
      expecting: [LostReplyFollowedUp.id: .warn], exitCode: 1, [order(prefer: lost)]),
    Course(
      "a command loses an order, and says that all went well", at: .shop(isDeclared: true),
      expecting: [LostReplyFollowedUp.id: .fail], exitCode: 0, [order(prefer: lost)]),
    Course(
      "a command gives a declared order up, and says that all went well", at: .shop(isDeclared: true),
      expecting: [
        GaveUpAtOnce.id: .fail
      ], exitCode: 0, [order(prefer: "code=503; retry-after=5s")]),
    Course(
      "a command gives a declared order up, works for 45 s, and says that all went well", at: .shop(isDeclared: true),
      expecting: [
        GaveUpAtOnce.id: .fail
      ], exitCode: 0, [order(prefer: "code=503; retry-after=5s"), second(45), get("/config.json")]),
    Course(
      "an app gives a declared order up, and may have told its user", at: .shop(isDeclared: true),
      expecting: [
        GaveUpAtOnce.id: .warn
      ], [order(prefer: "code=503; retry-after=5s")]),
    Course(
      "a lost write repeated after a read that a file says to show it", at: .shop(isDeclared: true),
      [
        order(prefer: lost, path: "/carts"), second(), get("/basket"), second(), order(path: "/carts"),
      ]),
    Course(
      "150 requests are tried twice, without a name", expecting: [RetryAmplification.id: .warn],
      [
        .beside(
          (0..<5).map { (lane: Int) -> [Course.Step] in
            (0..<30).flatMap { (number: Int) -> [Course.Step] in
              let path = "/users/3?q=\(lane * 30 + number)"
              return [
                get(path, ":app/1", "code=503"), .wait(.milliseconds(90 + (number * 37 + lane * 11) % 160)),
                get(path, ":app/1"),
              ]
            }
          })
      ]),
  ]
}
