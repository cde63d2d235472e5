import Contract
import JSON

/// Bookings by GET: the real service accepted them, and most of its clients book this way.
extension Check {
  private static let paths = ["/book", "/bookRoom.json"]
  private static let source = "openapi.yaml, askToBook; " + article("Booking")
  private static let success: JSONValue = ["success": true]

  static let bookingsByGet: [Check] = [
    booking(
      "get-books", "A GET that names a room books one of its spots, and its response must not be cached.", from: source,
      needs: .sandbox
    ) { session throws(EarlyEnd) in
      for path in paths {
        let before = try freeSpots(session, in: "Ljerka")
        let answer = try session.get(path + "?name=Ljerka").expect(200).expect(json: success)
        try require(
          answer["Cache-Control"]?.contains("no-store") == true, "no-store", found: answer.describe("Cache-Control"))
        let after = try freeSpots(session, in: "Ljerka")
        try require(after == before - 1, "\(before - 1) spots after GET \(path)?name=Ljerka", found: "\(after)")
      }
    },
    booking(
      "get-is-refused",
      "A GET gets 409 for a full room, 404 for an unknown one, and 400 for an empty name or two; success is false.",
      from: source
    ) { session throws(EarlyEnd) in
      let before = try bookableRooms(session)
      let full = before.first { $0["spots"] == 0 }?["name"]?.string
      let refusals = [
        ("name=unknown", 404), ("name=ljerka", 404), ("name=", 400), ("name", 400), ("name=Ljerka&name=Mina", 400),
      ]
      for (query, status) in refusals + (full.map { [("name=" + $0, 409)] } ?? []) {
        for path in paths {
          let answer = try session.get(path + "?" + query).expect(status)
          try require(try answer.json()["success"] == false, "success: false", found: answer.evidence)
        }
      }
      try require(.array(try bookableRooms(session)), equals: .array(before), "the rooms as before,")
    },
    booking(
      "get-without-name", "The response to a GET without a name is the same, and nothing is booked.", from: source
    ) { session throws(EarlyEnd) in
      let before = try bookableRooms(session)
      for path in paths {
        for query in ["", "?", "?room=Ljerka", "?Name=Ljerka"] {
          try session.get(path + query).expect(200).expect(json: success)
        }
      }
      try require(.array(try bookableRooms(session)), equals: .array(before), "the rooms as before,")
    },
    booking("head-books-nothing", "HEAD books nothing.", from: source, needs: .sandbox) { session throws(EarlyEnd) in
      let before = try bookableRooms(session)
      for path in paths {
        let connection = try session.connect()
        try connection.send(session.request("HEAD", path + "?name=Ljerka", ["Connection: close"]))
        try connection.answer(to: "HEAD \(path)?name=Ljerka").expect(200)
      }
      try require(.array(try bookableRooms(session)), equals: .array(before), "the rooms as before,")
    },
    booking(
      "get-idempotency-key",
      "A GET that books, repeated with its key, takes one spot; the key with another room gets 422.",
      from: source, needs: .sandbox
    ) { session throws(EarlyEnd) in
      let before = try freeSpots(session, in: "Ljerka")
      let key = "Idempotency-Key: \"\(session.fresh)\""
      for _ in 0..<3 { try session.get("/book?name=Ljerka", key).expect(200).expect(json: success) }
      let after = try freeSpots(session, in: "Ljerka")
      try require(after == before - 1, "\(before - 1) spots after one booking sent three times", found: "\(after)")
      try session.get("/book?name=Mina", key).expect(422)
    },
    booking(
      "get-if-match", "A GET that books gets 412 if no tag in If-Match is current, and then books nothing.",
      from: "RFC 9110 section 13.1.1", needs: .sandbox
    ) { session throws(EarlyEnd) in
      let before = try bookableRooms(session)
      try session.get("/book?name=Ljerka", "If-Match: \"no-such-tag\"").expect(412)
      try require(.array(try bookableRooms(session)), equals: .array(before), "the rooms as before,")
    },
  ]
}
