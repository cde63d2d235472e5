import Contract
import Faults
import JSON
import LiveTesting
import Primitives
import Testing

@testable import Report
@testable import Understudy

@Suite("The report's detection of repetitions", .serialized)
struct RerunCommandTests {
  private func booking(
    _ room: String, version: Int? = nil, key: UInt64? = nil, body: UInt64 = 0
  ) -> (inout Observation) -> Void {
    { seen in
      seen.isApplied = version != nil
      seen.versions = version.map { $0..<$0 + 1 } ?? 0..<0
      seen.key = key
      seen.body = body
      seen.intent = Intent(.adds, record: Observation.hash(room), meaning: Observation.hash(room))
      seen.purpose = .booking(room)
    }
  }

  @Test("finds a double booking, even with a new key for each attempt or another spelling of the body")
  func disguises() {
    var keyed = Traffic()
    keyed.lost("POST", "/book", booking("Ljerka", version: 0, key: 1))
    keyed.wait(.seconds(1))
    keyed.answered(200, "POST", "/book", booking("Ljerka", version: 1, key: 2))
    #expect(keyed.complaints() == [NoDuplicateEffect.id: .fail])
    #expect(keyed.findings()[NoDuplicateEffect.id]?.sentence.contains("the same Idempotency-Key") == true)
    var spelled = Traffic()
    spelled.lost("POST", "/book", booking("Ljerka", version: 0, body: 1))
    spelled.wait(.seconds(1))
    spelled.answered(200, "POST", "/book", booking("Ljerka", version: 1, body: 2))
    #expect(spelled.complaints() == [NoDuplicateEffect.id: .fail])
  }

  @Test("takes a read of the list for a follow-up of a lost booking, and not another booking or a picture")
  func followUps() {
    let id = LostReplyFollowedUp.id
    var lost = Traffic()
    lost.lost("POST", "/book", booking("Ljerka", version: 0))
    lost.wait(.seconds(1))
    var other = lost
    other.answered(200, "POST", "/book", booking("Ema", version: 1))
    #expect(other.findings()[id]?.verdict == .fail)
    var same = lost
    same.answered(200, "POST", "/book", booking("Ljerka"))
    #expect(same.findings()[id]?.verdict == .pass)
    var picture = lost
    picture.answered(200, "GET", "/bookings/picture")
    #expect(picture.findings()[id]?.verdict == .fail)
    picture.answered(200, "POST", "/book", booking("Ljerka", version: 1))
    #expect(picture.findings()[NoDuplicateEffect.id]?.verdict == .fail)
    var list = lost
    list.answered(200, "GET", "/rooms.json")
    #expect(list.findings()[id]?.verdict == .pass)
  }

  @Test("takes a later write for a follow-up if it sets all members of the lost one")
  func moot() {
    func write(_ members: [String], _ record: UInt64, _ kind: Intent.Kind = .sets) -> Intent {
      Intent(kind, record: record, members: members, meaning: 1)
    }
    #expect(write([], 1).resolves(write(["a"], 1)) && write(["a", "b"], 1).resolves(write(["a"], 1)))
    #expect(!write(["b"], 1).resolves(write(["a"], 1)) && !write(["a"], 1).resolves(write(["a", "b"], 1)))
    #expect(!write([], 2).resolves(write([], 1)) && !write(["a"], 1).resolves(write([], 1)))
    #expect(!write([], 1, .adds).resolves(write([], 1, .adds)))
  }

  @Test("stores no member names of a PATCH except those of registers")
  func strangeMembers() throws {
    let strange = (0..<10_000).map { JSONValue.Member("strange-\($0)", .int($0)) }
    let known = [JSONValue.Member("id", "d1"), JSONValue.Member("type", "heating")]
    let patch = try #require(Contract.Operation.named("patchDevice"))
    func intent(_ members: [JSONValue.Member]) throws -> Intent {
      try #require(Meaning(patch, of: 0, ["d1"], .object(JSONValue.Object(members))).intent)
    }
    let both = try intent(strange + known)
    #expect(both.kind == .sets && both.members == ["type"])
    #expect(try intent(strange).kind == .none && intent(strange).members.isEmpty)
    #expect(try both == intent(known + strange) && both != intent(known), "unknown members are part of the meaning")
  }

  @Test("cuts the description of a write to a line, even if one character is as long as a body")
  func wishes() {
    let heavy = "e" + String(repeating: "\u{301}", count: 100_000)
    var seen = Observation.answered
    for purpose in [Purpose.booking(heavy), .sets([JSONValue.Member("type", .string(heavy))])] {
      seen.purpose = purpose
      let purpose = LogicalRequest(seen).purpose.utf8.count
      #expect(purpose > 100 && purpose <= 480, "\(purpose) bytes")
    }
  }

  private static func verdicts(_ server: MockServer) throws -> [String: String] {
    let card = try JSONValue(parsing: exchange(server, wire("GET", "/_mock/report")).text)
    let pairs = (card["checks"]?.array ?? []).map { ($0["id"]?.string ?? "", $0["verdict"]?.string ?? "") }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  /// Sends a request whose response is lost, and then others.
  private static func verdicts(
    losing lost: String, then rest: [String], at path: String
  ) async throws -> [String: String] {
    try await withServer { server in
      let rule =
        "{\"name\": \"lost\", \"match\": {\"path\": \"\(path)\"}, \"when\": {\"first\": 1}, \"phase\": \"after\", "
        + "\"effect\": {\"fault\": \"reset\"}}"
      let scenario = "{\"name\": \"planted\", \"rules\": [\(rule)]}"
      #expect(try exchange(server, wire("PUT", "/_mock/scenario", body: scenario)).status == 200)
      for request in [lost] + rest {
        let connection = try WireConnection(server.port)
        try connection.send(request)
        _ = connection.end()
        connection.hangUp()
      }
      return try verdicts(server)
    }
  }

  private static func book(_ body: String, _ path: String = "/book", _ fields: String...) -> String {
    wire("POST", path, "Understudy-Client: test", "Connection: close", fields.first ?? "X-A: b", body: body)
  }

  @Test(
    "compares bookings by their name only, over sockets",
    arguments: [
      book(#"{ "name" : "Ljerka" }"#), book(#"{"at": 5, "name": "Ljerka"}"#), book(#"{"name": "Ljerk\u0061"}"#),
      book(#"{"name": "Ljerka"}"#, "/bookRoom.json"), book(#"{"name": "Ljerka"}"#, "/book?try=2"),
      book(#"{"name": "Ljerka"}"#, "/book", "Idempotency-Key: 2"),
    ])
  func spellings(second: String) async throws {
    let first = Self.book(#"{"name": "Ljerka", "at": 1}"#, "/book", "Idempotency-Key: 1")
    let verdicts = try await Self.verdicts(losing: first, then: [second], at: "/book")
    #expect(verdicts["no-duplicate-effect"] == "fail" && verdicts["lost-reply-followed-up"] == "pass")
  }

  private static func get(_ path: String) -> String {
    wire("GET", path, "Understudy-Client: test", "Connection: close")
  }

  private static func patch(_ body: String) -> String {
    wire("PATCH", "/devices/WWM-0001-12", "Understudy-Client: test", "Connection: close", body: body)
  }

  @Test(
    "accepts the opposite switch of a fixture after a lost one, and no second booking after a picture, over sockets")
  func switches() async throws {
    let switched = try await Self.verdicts(
      losing: Self.get("/living-room/tv/on"), then: [Self.get("/Living%20Room/TV/off")], at: "/living-room/tv/on")
    #expect(switched["lost-reply-followed-up"] == "pass")
    let elsewhere = try await Self.verdicts(
      losing: Self.get("/living-room/tv/on"), then: [Self.get("/bedroom/ac/off")], at: "/living-room/tv/on")
    #expect(elsewhere["no-duplicate-effect"] != "fail" && elsewhere["backoff-grows"] != "fail")
    let booking = Self.book(#"{"name": "Ljerka"}"#)
    let seen = try await Self.verdicts(losing: booking, then: [Self.get("/image/Ljerka"), booking], at: "/book")
    #expect(seen["no-duplicate-effect"] == "fail")
    let looked = try await Self.verdicts(losing: booking, then: [Self.get("/rooms.json"), booking], at: "/book")
    #expect(looked["no-duplicate-effect"] != "fail")
  }

  @Test("compares PATCHes by their values, and not by the order of members, over sockets")
  func patches() async throws {
    let first = Self.patch(#"{"type": "heating", "installationDate": null}"#)
    let reordered = Self.patch(#"{"installationDate":null, "id": "WWM-0001-12", "type": "heating"}"#)
    let repeated = try await Self.verdicts(losing: first, then: [reordered], at: "/devices/*")
    #expect(repeated["no-duplicate-effect"] == "pass" && repeated["lost-reply-followed-up"] == "pass")
    let corrected = try await Self.verdicts(
      losing: Self.book(#"{"name": "Ljerka"}"#),
      then: [Self.patch(#"{"type": "steam"}"#), Self.patch(#"{"type": "heating"}"#)], at: "/book")
    #expect(corrected["no-retry-of-4xx"] == "pass")
  }
}
