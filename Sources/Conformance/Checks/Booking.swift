import Contract
import HTTP1
import JSON

extension Row {
  static let booking = bookingRooms + bookingPictures + bookingSpots + bookingRefusals + bookingByGet

  private static let rooms = "/rooms.json"
  private static let success = Expectation.json(["success": true])
  private static let failure = Expectation.value("/success", false)

  private static func book(
    _ name: String, at path: String = "/book", with fields: [String] = [], gets status: Int = 200,
    _ expectation: Expectation
  ) -> Step {
    .send("POST", path, "{\"name\":\"\(name)\"}", with: fields, gets: status, expectation)
  }

  private static let bookingRooms = [
    Row(
      "seed-data", .service, "The list has the eight initial rooms in their order, with their spots.",
      .get(
        rooms,
        .column("name", ["Ljerka", "Mostafa", "Helmold", "Painter", "Septima", "Alexis", "Yana", "Mina"]),
        .initially(.column("spots", [43, 4, 86, 16, 84, 0, 34, 39])))),
    Row(
      "key-order", .service, "A room has name, spots and thumbnail in this order, and no id.",
      .get(rooms, .keys(["name", "spots", "thumbnail"]))),
    Row(
      "rooms-by-brief", .ours("openapi.yaml, listBookingRoomsByBrief"),
      "/rooms, on the API's own origin, lists the same rooms as /rooms.json.",
      .code { session throws(EarlyEnd) in
        let wanted = try session.get(rooms).expect(200).records()
        let found = try session.get(try session.own("booking", "/rooms")).expect(200).records()
        for name in ["name", "spots"] {
          try require(.array(found.values(name)), equals: .array(wanted.values(name)), "the values of \(name):")
        }
      }),
    Row(
      "thumbnails", .service, "Each thumbnail is an absolute URL of a picture.",
      .get(rooms, .each("thumbnail", .string(format: .uri))),
      .ours(
        .code { session throws(EarlyEnd) in
          let start = "http://" + session.target.base.authority
          for url in try session.get(rooms).expect(200).records().values("thumbnail") {
            let url = url.string ?? ""
            try require(url.hasPrefix(start + "/"), "a thumbnail below \(start)/", found: url)
            let path = String(url.dropFirst(start.count + session.target.base.path.count))
            try Picture(of: try session.follow(path).expect(200))
          }
        })),
  ]

  private static let bookingPictures = [
    Row(
      "portraits", .ours("openapi.yaml, getRoomImage"), "Most pictures are landscape, some are portrait.",
      .code { session throws(EarlyEnd) in
        var portraits = 0
        let names = try session.get(rooms).expect(200).records().compactMap { $0["name"]?.string }
        for name in names {
          let picture = try Picture(of: try session.get("/image/\(name)").expect(200))
          if picture.height > picture.width { portraits += 1 }
        }
        try require(
          portraits > 0 && portraits * 2 < names.count, "some portraits among \(names.count)", found: "\(portraits)")
      }),
    Row(
      "image-is-immutable", .ours("openapi.yaml, getRoomImage"),
      "A picture may be cached for ten years, and its tag gets 304.",
      .tag(of: "/image/Ljerka"),
      .get("/image/Ljerka", .fieldPart("Cache-Control", "max-age=315360000")),
      .get("/image/Ljerka", with: ["If-None-Match: {tag}"], gets: 304)),
    Row(
      "rooms-stream", .ours("openapi.yaml, followBookingRooms"),
      "The stream of rooms is server-sent events, the first of which has all rooms.",
      .stream("/rooms/stream")),
  ]

  private static let bookingSpots = [
    Row(
      "counts-down", .ours("openapi.yaml, bookRoom"), "A booking takes one spot of its own room only.",
      needs: .sandbox,
      .changed(
        rooms, .booked(["Ljerka": 2]), by: book("Ljerka", success), book("Ljerka", at: "/bookRoom.json", success))),
    Row(
      "fresh-rooms", .ours("RFC 9110 section 8.8.1"),
      "The list and its tag change with each booking: the server itself does not cache.", needs: .sandbox,
      .tag(of: rooms),
      .changed(rooms, .booked(["Ljerka": 1]), by: book("Ljerka", success)),
      .get(rooms, with: ["If-None-Match: {tag}"])),
    Row(
      "never-sold-twice", .ours("README.md, The five APIs"),
      "Of concurrent bookings, only as many succeed as there are free spots.", needs: .sandbox,
      .code { session throws(EarlyEnd) in
        let free = try freeSpots(session)
        guard free <= 32 else { throw .skipped("the room has \(free) free spots, too many to book") }
        let order = (method: "POST", path: "/book", body: "{\"name\":\"Mostafa\"}")
        let answers = try session.atOnce(Array(repeating: order, count: free + 8))
        let booked = answers.count { $0.status == 200 }
        let refused = answers.count { $0.status == 409 }
        try require(
          booked == free && refused == 8, "\(free) bookings and 8 refusals", found: "\(booked) and \(refused)")
        let left = try freeSpots(session)
        try require(left == 0, "no spot left", found: "\(left)")
      }),
    Row(
      "full-room", .ours("openapi.yaml, bookRoom"),
      "A booking in a full room gets 409 with success: false, and the spots stay 0.", needs: .sandbox,
      .unchanged(rooms, by: book("Alexis", gets: 409, .all([failure, .firstKey("success")])))),
    Row(
      "no-name", .service, "Without a name, or with null, the response is the same and nothing is booked.",
      .unchanged(
        rooms,
        by: .each([nil, "{}", #"{"name":null}"#, #"{"other":1}"#]) {
          .several([.send("POST", "/bookRoom.json", $0, success), .ours(.send("POST", "/book", $0, success))])
        })),
    Row(
      "idempotency-key", .ours("openapi.yaml, bookRoom"),
      "A booking repeated with its key takes one spot; the key with another body gets 422.", needs: .sandbox,
      .changed(
        rooms, .booked(["Ljerka": 2]),
        by: .several(Array(repeating: book("Ljerka", with: key, success), count: 3)),
        .send("POST", "/book", #"{"name":"Mina"}"#, with: key, gets: 422),
        book("Ljerka", with: ["Idempotency-Key: another-{fresh}"], success))),
    Row(
      "no-content-type", .ours("openapi.yaml, bookRoom"),
      "A body is read as JSON without a Content-Type, and with any Content-Type.", needs: .sandbox,
      .changed(
        rooms, .booked(["Mina": 2]),
        by: book("Mina", success),
        book("Mina", with: ["Content-Type: application/x-www-form-urlencoded"], success))),
  ]

  private static func freeSpots(_ session: Session) throws(EarlyEnd) -> Int {
    let room = try session.get(rooms).expect(200).records().first { $0["name"] == "Mostafa" }
    return try require(room?["spots"]?.int, "the number of Mostafa's spots", found: room?.text ?? "no such room")
  }

  private static let key = ["Idempotency-Key: \"{fresh}\""]

  private static let bookingRefusals = [
    Row(
      "refuses", .ours("openapi.yaml, bookRoom"),
      "An empty name, a name that is not a string, or a body that is not a JSON object gets 400.",
      .each([#"{"name":""}"#, #"{"name":5}"#, #"{"name":[]}"#, "[]", #""Ljerka""#, "{"]) {
        .send("POST", "/book", $0, gets: 400, failure)
      }),
    Row(
      "unknown-room", .ours("openapi.yaml, bookRoom; " + Check.Source.article("Where the services were silent")),
      "An unknown room gets 404 with success: false; names are compared exactly.",
      .each(["no such room", "ljerka"]) { book($0, gets: 404, failure) }),
  ]

  /// The real service took bookings by GET, and most of its clients book this way; but it counted no spots.
  private static let byGet = Check.Source.ours("openapi.yaml, askToBook; " + Check.Source.article("Booking"))
  private static let paths = ["/book", "/bookRoom.json"]

  private static let bookingByGet = [
    Row(
      "get-books", byGet,
      "A GET that names a room books one of its spots, and its response must not be cached.", needs: .sandbox,
      .each(paths) {
        .changed(
          rooms, .booked(["Ljerka": 1]),
          by: .get($0 + "?name=Ljerka", success, .fieldPart("Cache-Control", "no-store")))
      }),
    Row(
      "get-is-refused", byGet,
      "A GET gets 409 for a full room, 404 for an unknown one, and 400 for an empty name or two; success is false.",
      .unchanged(
        rooms,
        by: .each(paths) { path in
          .each([
            ("name=unknown", 404), ("name=ljerka", 404), ("name=", 400), ("name", 400), ("name=Ljerka&name=Mina", 400),
          ]) { .get("\(path)?\($0)", gets: $1, failure) }
        },
        // Without a sandbox, the room that was full at the start may have been freed.
        .code { session throws(EarlyEnd) in
          let full = try session.get(rooms).expect(200).records().first { $0["spots"] == 0 }
          guard let name = full?["name"]?.string else { return }
          for path in paths { try session.get("\(path)?name=\(name)").expect(409).expect(member: "success", false) }
        })),
    Row(
      "get-without-name", .service, "The response to a GET without a name is the same, and nothing is booked.",
      .unchanged(
        rooms,
        by: .each(["", "?", "?room=Ljerka", "?Name=Ljerka"]) {
          .several([.get("/bookRoom.json" + $0, success), .ours(.get("/book" + $0, success))])
        })),
    Row(
      "head-books-nothing", byGet, "HEAD books nothing.", needs: .sandbox,
      .unchanged(rooms, by: .each(paths) { .send("HEAD", $0 + "?name=Ljerka") })),
    Row(
      "get-idempotency-key", byGet,
      "A GET that books, repeated with its key, takes one spot; the key with another room gets 422.",
      needs: .sandbox,
      .changed(
        rooms, .booked(["Ljerka": 1]),
        by: .several(Array(repeating: .get("/book?name=Ljerka", with: key, success), count: 3)),
        .get("/book?name=Mina", with: key, gets: 422))),
    Row(
      "get-if-match", .ours("RFC 9110 section 13.1.1"),
      "A GET that books gets 412 if no tag in If-Match is current, and then books nothing.", needs: .sandbox,
      .unchanged(rooms, by: .get("/book?name=Ljerka", with: ["If-Match: \"no-such-tag\""], gets: 412))),
  ]
}

/// The header of a PNG image (PNG third edition, section 11.2.1).
private struct Picture {
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
