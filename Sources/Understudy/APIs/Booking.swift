import Contract
import JSON
import Seeds

/// The handlers and state of the booking API.
struct BookingDesk: Behaviour {
  static let contract = API.booking
  static let seed = Seeds.booking

  static let handlers = Handlers<BookingDesk>([
    "listBookingRooms": { desk, call in Reply(200, desk.board(base: call.base)) },
    "listBookingRoomsByBrief": { desk, call in Reply(200, desk.board(base: call.base)) },
    "bookRoom": { desk, call in desk.book { () throws(Problem) in try name(in: call.body) } },
    "bookRoomByFile": { desk, call in desk.book { () throws(Problem) in try name(in: call.body) } },
    "askToBook": { desk, call in desk.book { () throws(Problem) in try name(in: call.query) } },
    "askToBookByFile": { desk, call in desk.book { () throws(Problem) in try name(in: call.query) } },
    "getRoomImage": { desk, call in desk.image(of: call.arguments[0]) },
  ])

  private struct Room {
    let name: String
    var spots: Int
    /// The initial number of spots, which is also the maximum.
    let most: Int
    /// Nil if the data does not specify it, which means landscape.
    let isPortrait: Bool?
  }

  private var rooms: [Room]
  private let places: [String: Int]
  /// The lists by the client's base address, because thumbnails are absolute URLs.
  private(set) var boards: [String: Representation] = [:]

  static let boardCapacity = 16

  init(data: JSON, at now: Instant) throws(Violation) {
    rooms = (data["rooms"]?.array ?? []).map { room -> Room in
      let spots = room["spots"]?.int ?? 0
      return Room(name: room["name"]?.string ?? "", spots: spots, most: spots, isPortrait: room["portrait"]?.bool)
    }
    var places: [String: Int] = [:]
    for (place, room) in rooms.enumerated() {
      guard places.updateValue(place, forKey: room.name) == nil else {
        throw Violation(.root / "rooms" / place / "name", "expected a unique name, found it a second time")
      }
    }
    self.places = places
  }

  var data: JSON {
    document(\.spots)
  }

  func isLong(_ call: Call) -> Bool {
    if Self.contract.operations[call.operation].id == "getRoomImage", let place = places[call.arguments[0]] {
      return !RoomImage.isDrawn(name: call.arguments[0], isPortrait: rooms[place].isPortrait == true)
    }
    return call.hasLongBody || rooms.count > 2_000
  }

  private func document(_ spots: (Room) -> Int) -> JSON {
    let rooms = rooms.map { room -> JSON in
      var object = JSON.Object([JSON.Member("name", .string(room.name)), JSON.Member("spots", .int(spots(room)))])
      object["portrait"] = room.isPortrait.map { .bool($0) }
      return .object(object)
    }
    return ["rooms": .array(rooms)]
  }

  var kept: JSON { ["start": document(\.most), "spots": .array(rooms.map { .int($0.spots) })] }

  init(kept: JSON, at now: Instant) throws(Violation) {
    let start = kept["start"] ?? .null
    if let violation = Self.contract.data.violations(in: start).first { throw violation }
    try self.init(data: start, at: now)
    let spots = kept["spots"]?.array?.compactMap(\.int) ?? []
    guard spots.count == rooms.count, zip(spots, rooms).allSatisfy({ (0...$1.most).contains($0) }) else {
      throw Violation(.root / "spots", "expected the free spots of each of \(rooms.count) rooms")
    }
    for (place, count) in spots.enumerated() { rooms[place].spots = count }
  }

  mutating func apply(_ delta: Delta) throws(Delta.Misfit) {
    guard case .spots(let place, let count) = delta, rooms.indices.contains(place),
      (0...rooms[place].most).contains(count)
    else { throw Delta.Misfit(expectation: "free spots of one of \(rooms.count) rooms") }
    rooms[place].spots = count
    boards = [:]
  }

  private mutating func board(base: String) -> Representation {
    if let board = boards[base] { return board }
    let list = rooms.map { room -> JSON in
      let thumbnail = base + "/image/" + PercentCoding.encodeSegment(room.name)
      return ["name": .string(room.name), "spots": .int(room.spots), "thumbnail": .string(thumbnail)]
    }
    let board = Representation(["rooms": .array(list)])
    if boards.count >= Self.boardCapacity { boards = [:] }
    boards[base] = board
    return board
  }

  private mutating func book(_ name: () throws(Problem) -> String?) -> Reply {
    do throws(Problem) {
      guard let name = try name() else {
        return Reply(200, Self.success, remark: "The request names no room, so nothing was booked.")
      }
      return Reply(200, Self.success, change: try takeSpot(in: name))
    } catch {
      return .problem(error)
    }
  }

  /// Returns the room in a body; nil if there is none, in which case the real service still reported success.
  private static func name(in body: ArraySlice<UInt8>) throws(Problem) -> String? {
    guard !body.isEmpty else { return nil }
    return try Problem.decode(body, as: .bookingRequest)["name"]?.string
  }

  /// Returns the room in the query of a GET; nil if there is none.
  private static func name(in query: Query) throws(Problem) -> String? {
    let names = query.pairs.filter { $0.name == "name" }
    guard let name = names.first?.value else { return nil }
    guard !name.isEmpty, names.count == 1 else { throw .parameter("name", "expected the name of one room") }
    return name
  }

  private mutating func takeSpot(in name: String) throws(Problem) -> Delta.Change {
    guard let place = places[name] else { throw Self.unknown(name) }
    guard rooms[place].spots > 0 else {
      throw Problem.fullRoom(name)
    }
    return count(-1, at: place)
  }

  private mutating func count(_ difference: Int, at place: Int) -> Delta.Change {
    let old = rooms[place].spots
    rooms[place].spots += difference
    boards = [:]
    return Delta.Change(new: .spots(place, old + difference), old: .spots(place, old))
  }

  mutating func move(takes: Bool, draw: UInt64) -> RivalMove? {
    let places = rooms.indices.filter { takes ? rooms[$0].spots > 0 : rooms[$0].spots < rooms[$0].most }
    guard !places.isEmpty else { return nil }
    let place = places[Int(draw % UInt64(places.count))]
    let change = count(takes ? -1 : 1, at: place)
    let room = JSON.string(rooms[place].name).text
    let event = takes ? "a rival took a spot in \(room)" : "a rival gave a spot in \(room) back"
    return RivalMove(event: event, change: change)
  }

  private func image(of name: String) -> Reply {
    guard let place = places[name] else { return .problem(Self.unknown(name)) }
    return Reply(200, RoomImage.png(name: name, isPortrait: rooms[place].isPortrait == true))
  }

  private static let success = Representation(["success": true])

  private static func unknown(_ name: String) -> Problem {
    .unknownRoom(name)
  }
}
