import Contract
import HTTP1
import JSON

extension Check {
  static let booking: [Check] = bookingRooms + bookingSpots + bookingRefusals + bookingsByGet

  static func booking(
    _ id: String, _ sentence: String, from source: String = article("Booking"), needs: Requirement = .nothing,
    run: @escaping @Sendable (Session) throws(EarlyEnd) -> Void
  ) -> Check {
    Check("booking-" + id, in: "booking", sentence, from: source, needs: needs, run: run)
  }

  static func bookableRooms(_ session: Session) throws(EarlyEnd) -> [JSONValue] {
    try session.get("/rooms.json").expect(200).elements(of: "rooms")
  }

  static func freeSpots(_ session: Session, in name: String) throws(EarlyEnd) -> Int {
    let room = try bookableRooms(session).first("name", .string(name))
    return try require(room["spots"]?.int, "spots as a number", found: room.text)
  }

  @discardableResult
  private static func book(
    _ session: Session, _ name: String, path: String = "/book", _ field: String? = nil, status: Int = 200
  ) throws(EarlyEnd) -> Answer {
    try session.exchange("POST", path, field.map { [$0] } ?? [], body: (["name": .string(name)] as JSONValue).text)
      .expect(status)
  }

  private static let success: JSONValue = ["success": true]

  private static let bookingRooms = [
    booking("seed-data", "The list has the eight initial rooms in their order, with their spots.") {
      session throws(EarlyEnd) in
      let rooms = try bookableRooms(session)
      let names: JSONValue = ["Ljerka", "Mostafa", "Helmold", "Painter", "Septima", "Alexis", "Yana", "Mina"]
      try require(.array(rooms.values("name")), equals: names, "the names")
      // Without a sandbox, other clients may have booked in between.
      if session.sandbox == nil { return }
      try require(.array(rooms.values("spots")), equals: [43, 4, 86, 16, 84, 0, 34, 39], "the spots")
    },
    booking("key-order", "A room has name, spots and thumbnail in this order, and no id.") { session throws(EarlyEnd) in
      for room in try bookableRooms(session) {
        let names = room.object?.members.map { JSONValue.string($0.name) } ?? []
        try require(.array(names), equals: ["name", "spots", "thumbnail"], "the keys")
      }
    },
    booking("rooms-by-brief", "/rooms, on the API's own origin, lists the same rooms as /rooms.json.") {
      session throws(EarlyEnd) in
      let path = try session.own("booking", "/rooms")
      let found = try session.get(path).expect(200).elements(of: "rooms")
      let wanted = try bookableRooms(session)
      try require(.array(found.values("name")), equals: .array(wanted.values("name")), "the names")
      try require(.array(found.values("spots")), equals: .array(wanted.values("spots")), "the spots")
    },
    booking("thumbnails", "Each thumbnail is an absolute URL of a picture on this server.") {
      session throws(EarlyEnd) in
      let start = "http://" + session.target.base.authority
      for room in try bookableRooms(session) {
        let url = room["thumbnail"]?.string ?? ""
        try require(url.hasPrefix(start + "/"), "a thumbnail below \(start)/", found: url)
        let path = String(url.dropFirst(start.count + session.target.base.path.count))
        try Picture(of: try session.follow(path).expect(200))
      }
    },
    booking("portraits", "Most pictures are landscape, some are portrait.") { session throws(EarlyEnd) in
      var portraits = 0
      let names = try bookableRooms(session).compactMap { $0["name"]?.string }
      for name in names {
        let picture = try Picture(of: try session.get("/image/\(name)").expect(200))
        if picture.height > picture.width { portraits += 1 }
      }
      try require(
        portraits > 0 && portraits * 2 < names.count, "some portraits among \(names.count)", found: "\(portraits)")
    },
    booking("image-is-immutable", "A picture may be cached for ten years, and its tag gets 304.") {
      session throws(EarlyEnd) in
      let answer = try session.get("/image/Ljerka").expect(200)
      let caching = try answer.field("Cache-Control")
      try require(caching.contains("max-age=315360000"), "max-age=315360000", found: caching)
      try session.get("/image/Ljerka", "If-None-Match: \(try answer.field("ETag"))").expect(304)
    },
    booking(
      "rooms-stream", "The stream of rooms is server-sent events, the first of which has all rooms.",
      from: "openapi.yaml, followBookingRooms"
    ) { session throws(EarlyEnd) in
      let connection = try session.connect()
      try connection.send(session.request("GET", "/rooms/stream"))
      let head = try connection.answer(to: "HEAD of /rooms/stream").expect(200)
      try require(
        head.mediaType == "text/event-stream", "Content-Type: text/event-stream", found: head.describe("Content-Type"))
    },
  ]

  private static let bookingSpots = [
    booking(
      "counts-down", "A booking takes one spot of its own room only.", from: "openapi.yaml, bookRoom",
      needs: .sandbox
    ) { session throws(EarlyEnd) in
      let before = try bookableRooms(session)
      try book(session, "Ljerka").expect(json: success)
      try book(session, "Ljerka", path: "/bookRoom.json").expect(json: success)
      for (old, new) in zip(before, try bookableRooms(session)) {
        let taken = old["name"] == "Ljerka" ? 2 : 0
        let wanted = (old["spots"]?.int ?? 0) - taken
        try require(new["spots"], equals: .int(wanted), "spots in \(old["name"]?.text ?? "")")
      }
    },
    booking(
      "fresh-rooms", "The list and its tag change with each booking: the server itself does not cache.",
      from: "RFC 9110 section 8.8.1", needs: .sandbox
    ) { session throws(EarlyEnd) in
      let before = try session.get("/rooms.json").expect(200)
      try book(session, "Ljerka")
      let after = try session.get("/rooms.json", "If-None-Match: \(try before.field("ETag"))").expect(200)
      try require(after.text != before.text, "another list than before", found: after.evidence)
    },
    booking(
      "never-sold-twice", "Of concurrent bookings, only as many succeed as there are free spots.",
      from: "README.md, The five APIs", needs: .sandbox
    ) { session throws(EarlyEnd) in
      let free = try freeSpots(session, in: "Mostafa")
      guard free <= 32 else { throw .skipped("the room has \(free) free spots, too many to book") }
      let order = (method: "POST", path: "/book", body: "{\"name\":\"Mostafa\"}")
      let answers = try session.atOnce(Array(repeating: order, count: free + 8))
      let booked = answers.count { $0.status == 200 }
      let refused = answers.count { $0.status == 409 }
      try require(
        booked == free && refused == 8, "\(free) bookings and 8 refusals", found: "\(booked) and \(refused)")
      try require(try freeSpots(session, in: "Mostafa") == 0, "no spot left", found: "some")
    },
    booking(
      "full-room", "A booking in a full room gets 409 with success: false, and the spots stay 0.",
      from: "openapi.yaml, bookRoom",
      needs: .sandbox
    ) { session throws(EarlyEnd) in
      let answer = try book(session, "Alexis", status: 409)
      try require(answer.text.hasPrefix("{\"success\":false,"), "success: false first", found: answer.evidence)
      try require(try freeSpots(session, in: "Alexis") == 0, "0 spots", found: "another number")
    },
    booking(
      "no-name", "Without a name, or with null, the response is the same and nothing is booked.",
      from: "openapi.yaml, bookRoom"
    ) {
      session throws(EarlyEnd) in
      let before = try bookableRooms(session)
      for body in [nil, "{}", "{\"name\":null}", "{\"other\":1}"] as [String?] {
        try session.ask("POST", "/book", body: body).expect(200).expect(json: success)
      }
      try require(.array(try bookableRooms(session)), equals: .array(before), "the rooms as before,")
    },
    booking(
      "idempotency-key", "A booking repeated with its key takes one spot; the key with another body gets 422.",
      from: "openapi.yaml, bookRoom", needs: .sandbox
    ) { session throws(EarlyEnd) in
      let before = try freeSpots(session, in: "Ljerka")
      let key = "Idempotency-Key: \"\(session.fresh)\""
      for _ in 0..<3 { try book(session, "Ljerka", key).expect(json: success) }
      let after = try freeSpots(session, in: "Ljerka")
      try require(after == before - 1, "\(before - 1) spots after one booking sent three times", found: "\(after)")
      try book(session, "Mina", key, status: 422)
      try book(session, "Ljerka", "Idempotency-Key: another-\(session.fresh)")
      try require(
        try freeSpots(session, in: "Ljerka") == after - 1, "\(after - 1) spots with another key", found: "not")
    },
    booking(
      "no-content-type", "A body is read as JSON without a Content-Type, and with any Content-Type.",
      from: "openapi.yaml, bookRoom", needs: .sandbox
    ) { session throws(EarlyEnd) in
      let before = try freeSpots(session, in: "Mina")
      try book(session, "Mina")
      try book(session, "Mina", "Content-Type: application/x-www-form-urlencoded")
      let after = try freeSpots(session, in: "Mina")
      try require(after == before - 2, "\(before - 2) spots", found: "\(after)")
    },
  ]

  private static let bookingRefusals = [
    booking(
      "refuses", "An empty name, a name that is not a string, or a body that is not a JSON object gets 400.",
      from: "openapi.yaml, bookRoom"
    ) {
      session throws(EarlyEnd) in
      for body in ["{\"name\":\"\"}", "{\"name\":5}", "{\"name\":[]}", "[]", "\"Ljerka\"", "{"] {
        let answer = try session.ask("POST", "/book", body: body)
        try require(answer.status == 400, "400 to \(body)", found: answer.evidence)
        try require(try answer.json()["success"] == false, "success: false", found: answer.evidence)
      }
    },
    booking(
      "unknown-room", "An unknown room gets 404 with success: false; names are compared exactly.",
      from: "openapi.yaml, bookRoom; " + article("Where the services were silent")
    ) { session throws(EarlyEnd) in
      for name in ["no such room", "ljerka"] {
        let answer = try book(session, name, status: 404)
        try require(try answer.json()["success"] == false, "success: false", found: answer.evidence)
      }
    },
  ]
}

/// The header of a PNG image (PNG third edition, section 11.2.1).
struct Picture {
  let width: Int
  let height: Int

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  @discardableResult
  init(of answer: Answer) throws(EarlyEnd) {
    try answer.expect("Content-Type", "image/png")
    let bytes = answer.body
    try require(bytes.starts(with: Self.signature) && bytes.count > 33, "a PNG", found: "\(bytes.count) other bytes")
    func number(at offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    width = number(at: 16)
    height = number(at: 20)
    try require(width > 0 && height > 0, "a picture with a positive size", found: "\(width) by \(height)")
  }
}
