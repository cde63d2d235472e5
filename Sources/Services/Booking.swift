import Contract
import Faults
import JSON
import Primitives
import Seeds

/// The behaviour of the booking API.
enum BookingDesk: Service {
  static let contract = API.booking
  static let seed = SeedFiles.booking

  static let handlers = Handlers(
    of: contract,
    .on("listBookingRooms") { rooms, call in Response(200, board(of: &rooms, base: call.base)) },
    .on("listBookingRoomsByBrief") { rooms, call in Response(200, board(of: &rooms, base: call.base)) },
    .on("followBookingRooms") { rooms, call in
      Response(200, board(of: &rooms, base: call.base).event(named: "rooms"))
    },
    .on("bookRoom") { rooms, call in book(in: &rooms) { () throws(Problem) in try content(of: call.body) } },
    .on("bookRoomByFile") { rooms, call in book(in: &rooms) { () throws(Problem) in try content(of: call.body) } },
    .on("askToBook") { rooms, call in book(in: &rooms) { () throws(Problem) in try content(of: call.query) } },
    .on("askToBookByFile") { rooms, call in book(in: &rooms) { () throws(Problem) in try content(of: call.query) } },
    .on("getRoomImage") { rooms, call in
      let name = call.arguments[0]
      guard let room = rooms.record(name) else { return .problem(.unknownRoom(name)) }
      return Response(200, RoomPicture.picture(of: name, isPortrait: room["portrait"]?.bool == true))
    },
  )

  static func isLong(_ call: Call, _ rooms: Document.Size) -> Bool {
    call.hasLongBody || contract.operations[call.operation].method == .get && rooms.recordCount > 100
  }

  /// Returns the list of rooms, by the client's base URL, because thumbnails are absolute URLs.
  private static func board(of rooms: inout Document, base: String) -> Representation {
    rooms.view(base) { rooms in
      let list = (0..<rooms.recordCount).map { index -> JSONValue in
        let room = rooms.record(at: index)
        let name = room["name"]?.string ?? ""
        let thumbnail = base + "/image/" + PercentCoding.encodeSegment(name)
        return ["name": .string(name), "spots": room["spots"] ?? 0, "thumbnail": .string(thumbnail)]
      }
      return Representation(["rooms": .array(list)])
    }
  }

  private static func book(in rooms: inout Document, _ content: () throws(Problem) -> JSONValue?) -> Response {
    do throws(Problem) {
      let content = try content()
      guard let name = content?["name"]?.string else {
        return Response(200, success, remark: "The request names no room, so nothing was booked.")
      }
      guard let index = rooms.index(of: name) else { throw .unknownRoom(name) }
      let spots = rooms.record(at: index)["spots"]?.int ?? 0
      guard spots > 0 else { throw .fullRoom(name) }
      let isChanged = rooms.update(at: index, with: [JSONValue.Member("spots", .int(spots - 1))])
      return Response(200, success, changed: isChanged, content: content)
    } catch {
      return .problem(error)
    }
  }

  /// Returns the content of a body; nil if there is none. Without a name, the real service still reported success.
  private static func content(of body: ArraySlice<UInt8>) throws(Problem) -> JSONValue? {
    guard !body.isEmpty else { return nil }
    return try Problem.decode(body, as: .bookingRequest)
  }

  /// Returns the room's name in the query of a GET, as in a body; nil if there is none.
  private static func content(of query: Query) throws(Problem) -> JSONValue? {
    let names = query.pairs.filter { $0.name == "name" }
    guard let name = names.first?.value else { return nil }
    guard !name.isEmpty, names.count == 1 else { throw .parameter("name", "expected the name of one room") }
    return ["name": .string(name)]
  }

  /// Rivals give back no more spots than a room has at the start.
  static func moves(of rivals: [Rivals.Move], in rooms: Document) -> [RivalMove] {
    let records = (0..<rooms.recordCount).map { rooms.record(at: $0) }
    let names = records.map { $0["name"]?.string ?? "" }
    let maximumSpots = names.map { rooms.recordAtStart($0)?["spots"]?.int ?? 0 }
    var spots = records.map { $0["spots"]?.int ?? 0 }
    return rivals.compactMap { rival in
      let possible = spots.indices.filter { rival.takes ? spots[$0] > 0 : spots[$0] < maximumSpots[$0] }
      guard !possible.isEmpty else { return nil }
      let index = possible[Int(rival.draw % UInt64(possible.count))]
      spots[index] += rival.takes ? -1 : 1
      let room = JSONValue.string(names[index]).text
      return RivalMove(
        rule: rival.rule,
        event: rival.takes ? "a rival took a spot in \(room)" : "a rival gave a spot in \(room) back", index: index,
        change: JSONValue.Member("spots", .int(spots[index])))
    }
  }

  private static let success = Representation(["success": true])
}
