import Contract
import JSON

extension Check {
  static let booking: [Check] = bookingRooms + bookingSpots + bookingRefusals + bookingsByGet

  static func booking(
    _ id: String, _ sentence: String, from source: String = article("Booking"), needs: Needs = .nothing,
    run: @escaping @Sendable (Bench) throws(Finding) -> Void
  ) -> Check {
    Check("booking-" + id, in: "booking", sentence, from: source, needs: needs, run: run)
  }

  static func bookableRooms(_ bench: Bench) throws(Finding) -> [JSON] {
    try bench.get("/rooms.json").expect(200).elements(of: "rooms")
  }

  static func freeSpots(_ bench: Bench, in name: String) throws(Finding) -> Int {
    let room = try bookableRooms(bench).first("name", .string(name))
    return try require(room["spots"]?.int, "spots as a number", found: room.text)
  }

  @discardableResult
  private static func book(
    _ bench: Bench, _ name: String, path: String = "/book", _ field: String? = nil, status: Int = 200
  ) throws(Finding) -> Answer {
    try bench.exchange("POST", path, field.map { [$0] } ?? [], body: (["name": .string(name)] as JSON).text)
      .expect(status)
  }

  private static let success = "{\"success\":true}"

  private static let bookingRooms = [
    booking("seed-data", "The list has the eight initial rooms in their order, with their spots.") {
      bench throws(Finding) in
      let rooms = try bookableRooms(bench)
      let names: JSON = ["Ljerka", "Mostafa", "Helmold", "Painter", "Septima", "Alexis", "Yana", "Mina"]
      try require(.array(rooms.values("name")), equals: names, "the names")
      // Without a sandbox, other clients may have booked in between.
      if bench.sandbox == nil { return }
      try require(.array(rooms.values("spots")), equals: [43, 4, 86, 16, 84, 0, 34, 39], "the spots")
    },
    booking("key-order", "A room has name, spots and thumbnail in this order, and no id.") { bench throws(Finding) in
      for room in try bookableRooms(bench) {
        let names = room.object?.members.map { JSON.string($0.name) } ?? []
        try require(.array(names), equals: ["name", "spots", "thumbnail"], "the keys")
      }
    },
    booking("rooms-by-brief", "/rooms, on the API's own origin, lists the same rooms as /rooms.json.") {
      bench throws(Finding) in
      let path = try bench.own("booking", "/rooms")
      let found = try bench.get(path).expect(200).elements(of: "rooms")
      let wanted = try bookableRooms(bench)
      try require(.array(found.values("name")), equals: .array(wanted.values("name")), "the names")
      try require(.array(found.values("spots")), equals: .array(wanted.values("spots")), "the spots")
    },
    booking("thumbnails", "Each thumbnail is an absolute URL of a picture on this server.") {
      bench throws(Finding) in
      let start = "http://" + bench.site.base.authority
      for room in try bookableRooms(bench) {
        let url = room["thumbnail"]?.string ?? ""
        try require(url.hasPrefix(start + "/"), "a thumbnail below \(start)/", found: url)
        let path = String(url.dropFirst(start.count + bench.site.base.path.count))
        try Picture(of: try bench.follow(path).expect(200))
      }
    },
    booking("portraits", "Most pictures are landscape, some are portrait.") { bench throws(Finding) in
      var portraits = 0
      let names = try bookableRooms(bench).compactMap { $0["name"]?.string }
      for name in names {
        let picture = try Picture(of: try bench.get("/image/\(name)").expect(200))
        if picture.height > picture.width { portraits += 1 }
      }
      try require(
        portraits > 0 && portraits * 2 < names.count, "some portraits among \(names.count)", found: "\(portraits)")
    },
    booking("image-is-immutable", "A picture may be cached for ten years, and its tag gets 304.") {
      bench throws(Finding) in
      let answer = try bench.get("/image/Ljerka").expect(200)
      let caching = try answer.field("Cache-Control")
      try require(caching.contains("max-age=315360000"), "max-age=315360000", found: caching)
      try bench.get("/image/Ljerka", "If-None-Match: \(try answer.field("ETag"))").expect(304)
    },
  ]

  private static let bookingSpots = [
    booking(
      "counts-down", "A booking takes one spot of its own room only.", from: "openapi.yaml, bookRoom",
      needs: .sandbox
    ) { bench throws(Finding) in
      let before = try bookableRooms(bench)
      try book(bench, "Ljerka").expect(body: success)
      try book(bench, "Ljerka", path: "/bookRoom.json").expect(body: success)
      for (old, new) in zip(before, try bookableRooms(bench)) {
        let taken = old["name"] == "Ljerka" ? 2 : 0
        let wanted = (old["spots"]?.int ?? 0) - taken
        try require(new["spots"], equals: .int(wanted), "spots in \(old["name"]?.text ?? "")")
      }
    },
    booking(
      "fresh-rooms", "The list and its tag change with each booking: the server itself does not cache.",
      from: "RFC 9110 section 8.8.1", needs: .sandbox
    ) { bench throws(Finding) in
      let before = try bench.get("/rooms.json").expect(200)
      try book(bench, "Ljerka")
      let after = try bench.get("/rooms.json", "If-None-Match: \(try before.field("ETag"))").expect(200)
      try require(after.text != before.text, "another list than before", found: after.evidence)
    },
    booking(
      "never-sold-twice", "Of concurrent bookings, only as many succeed as there are free spots.",
      from: "README.md, The five APIs", needs: .sandbox
    ) { bench throws(Finding) in
      let free = try freeSpots(bench, in: "Mostafa")
      guard free <= 32 else { throw .skipped("the room has \(free) free spots, too many to book") }
      let order = (method: "POST", path: "/book", body: "{\"name\":\"Mostafa\"}")
      let answers = try bench.atOnce(Array(repeating: order, count: free + 8))
      let booked = answers.count { $0.status == 200 }
      let refused = answers.count { $0.status == 409 }
      try require(
        booked == free && refused == 8, "\(free) bookings and 8 refusals", found: "\(booked) and \(refused)")
      try require(try freeSpots(bench, in: "Mostafa") == 0, "no spot left", found: "some")
    },
    booking(
      "full-room", "A booking in a full room gets 409 with success: false, and the spots stay 0.",
      from: "openapi.yaml, bookRoom",
      needs: .sandbox
    ) { bench throws(Finding) in
      let answer = try book(bench, "Alexis", status: 409)
      try require(answer.text.hasPrefix("{\"success\":false,"), "success: false first", found: answer.evidence)
      try require(try freeSpots(bench, in: "Alexis") == 0, "0 spots", found: "another number")
    },
    booking(
      "no-name", "Without a name, or with null, the response is the same and nothing is booked.",
      from: "openapi.yaml, bookRoom"
    ) {
      bench throws(Finding) in
      let before = try bookableRooms(bench)
      for body in [nil, "{}", "{\"name\":null}", "{\"other\":1}"] as [String?] {
        try bench.ask("POST", "/book", body: body).expect(200).expect(body: success)
      }
      try require(.array(try bookableRooms(bench)), equals: .array(before), "the rooms as before,")
    },
    booking(
      "idempotency-key", "A booking repeated with its key takes one spot; the key with another body gets 422.",
      from: "openapi.yaml, bookRoom", needs: .sandbox
    ) { bench throws(Finding) in
      let before = try freeSpots(bench, in: "Ljerka")
      let key = "Idempotency-Key: \"\(bench.fresh)\""
      for _ in 0..<3 { try book(bench, "Ljerka", key).expect(body: success) }
      let after = try freeSpots(bench, in: "Ljerka")
      try require(after == before - 1, "\(before - 1) spots after one booking sent three times", found: "\(after)")
      try book(bench, "Mina", key, status: 422)
      try book(bench, "Ljerka", "Idempotency-Key: another-\(bench.fresh)")
      try require(try freeSpots(bench, in: "Ljerka") == after - 1, "\(after - 1) spots with another key", found: "not")
    },
    booking(
      "no-content-type", "A body is read as JSON without a Content-Type, and with any Content-Type.",
      from: "openapi.yaml, bookRoom", needs: .sandbox
    ) { bench throws(Finding) in
      let before = try freeSpots(bench, in: "Mina")
      try book(bench, "Mina")
      try book(bench, "Mina", "Content-Type: application/x-www-form-urlencoded")
      let after = try freeSpots(bench, in: "Mina")
      try require(after == before - 2, "\(before - 2) spots", found: "\(after)")
    },
  ]

  private static let bookingRefusals = [
    booking(
      "refuses", "An empty name, a name that is not a string, or a body that is not a JSON object gets 400.",
      from: "openapi.yaml, bookRoom"
    ) {
      bench throws(Finding) in
      for body in ["{\"name\":\"\"}", "{\"name\":5}", "{\"name\":[]}", "[]", "\"Ljerka\"", "{"] {
        let answer = try bench.ask("POST", "/book", body: body)
        try require(answer.status == 400, "400 to \(body)", found: answer.evidence)
        try require(try answer.json()["success"] == false, "success: false", found: answer.evidence)
      }
    },
    booking(
      "unknown-room", "An unknown room gets 404 with success: false; names are compared exactly.",
      from: "openapi.yaml, bookRoom; " + article("Where the services were silent")
    ) { bench throws(Finding) in
      for name in ["no such room", "ljerka"] {
        let answer = try book(bench, name, status: 404)
        try require(try answer.json()["success"] == false, "success: false", found: answer.evidence)
      }
    },
  ]
}
