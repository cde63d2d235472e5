import Contract
import JSON
import Primitives
import Seeds

/// The handlers and state of the booking API.
struct BookingDesk: Service {
  static let contract = API.booking
  static let seed = SeedFiles.booking

  static let handlers = Handlers<BookingDesk>(
    .on("listBookingRooms") { desk, call in Response(200, desk.board(base: call.base)) },
    .on("listBookingRoomsByBrief") { desk, call in Response(200, desk.board(base: call.base)) },
    .on("followBookingRooms") { desk, call in Response(200, desk.board(base: call.base).event(named: "rooms")) },
    .on("bookRoom") { desk, call in desk.book { () throws(Problem) in try content(of: call.body) } },
    .on("bookRoomByFile") { desk, call in desk.book { () throws(Problem) in try content(of: call.body) } },
    .on("askToBook") { desk, call in desk.book { () throws(Problem) in try content(of: call.query) } },
    .on("askToBookByFile") { desk, call in desk.book { () throws(Problem) in try content(of: call.query) } },
    .on("getRoomImage") { desk, call in desk.image(of: call.arguments[0]) },
  )

  private struct Room {
    let name: String
    /// Nil if the data does not specify it, which means landscape.
    let isPortrait: Bool?
  }

  private let rooms: [Room]
  private let indices: [String: Int]
  /// The initial number of spots of each room, which is also the maximum.
  private let maximumSpots: [Int]
  /// The free spots of each room. An older state has a copy of this list, and shares everything else.
  private var spots: [Int]
  /// The rendered lists by the client's base URL, because thumbnails are absolute URLs.
  private(set) var boards: [String: Representation] = [:]

  static let boardCapacity = 16

  init(data: JSONValue, at now: Instant) throws(ValidationError) {
    let list = data["rooms"]?.array ?? []
    rooms = list.map { Room(name: $0["name"]?.string ?? "", isPortrait: $0["portrait"]?.bool) }
    maximumSpots = list.map { $0["spots"]?.int ?? 0 }
    spots = maximumSpots
    var indices: [String: Int] = [:]
    for (index, room) in rooms.enumerated() {
      guard indices.updateValue(index, forKey: room.name) == nil else {
        throw ValidationError(.root / "rooms" / index / "name", "expected a unique name, found it a second time")
      }
    }
    self.indices = indices
  }

  var data: JSONValue {
    document(spots)
  }

  func isLong(_ call: Call) -> Bool {
    call.hasLongBody || Self.contract.operations[call.operation].method == .get && rooms.count > 100
  }

  private func document(_ spots: [Int]) -> JSONValue {
    let rooms = zip(rooms, spots).map { room, spots -> JSONValue in
      var object = JSONValue.Object([
        JSONValue.Member("name", .string(room.name)), JSONValue.Member("spots", .int(spots)),
      ])
      object["portrait"] = room.isPortrait.map { .bool($0) }
      return .object(object)
    }
    return ["rooms": .array(rooms)]
  }

  var persisted: JSONValue {
    ["start": document(maximumSpots), "spots": .array(spots.map { .int($0) })]
  }

  init(persisted: JSONValue, at now: Instant) throws(ValidationError) {
    let start = persisted["start"] ?? .null
    if let violation = Self.contract.data.violations(in: start).first { throw violation }
    try self.init(data: start, at: now)
    let spots = persisted["spots"]?.array?.compactMap(\.int) ?? []
    guard spots.count == rooms.count, zip(spots, maximumSpots).allSatisfy({ (0...$1).contains($0) }) else {
      throw ValidationError(.root / "spots", "expected the free spots of each of \(rooms.count) rooms")
    }
    self.spots = spots
  }

  mutating func apply(_ delta: Delta) throws(Delta.MismatchError) {
    guard case .spots(let index, let count) = delta, rooms.indices.contains(index),
      (0...maximumSpots[index]).contains(count)
    else { throw Delta.MismatchError(expectation: "free spots of one of \(rooms.count) rooms") }
    spots[index] = count
    boards = [:]
  }

  private mutating func board(base: String) -> Representation {
    if let board = boards[base] { return board }
    let list = zip(rooms, spots).map { room, spots -> JSONValue in
      let thumbnail = base + "/image/" + PercentCoding.encodeSegment(room.name)
      return ["name": .string(room.name), "spots": .int(spots), "thumbnail": .string(thumbnail)]
    }
    let board = Representation(["rooms": .array(list)])
    if boards.count >= Self.boardCapacity { boards = [:] }
    boards[base] = board
    return board
  }

  private mutating func book(_ content: () throws(Problem) -> JSONValue?) -> Response {
    do throws(Problem) {
      let content = try content()
      guard let name = content?["name"]?.string else {
        return Response(200, Self.success, remark: "The request names no room, so nothing was booked.")
      }
      return Response(200, Self.success, change: try takeSpot(in: name), content: content)
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

  private mutating func takeSpot(in name: String) throws(Problem) -> Delta {
    guard let index = indices[name] else { throw Self.unknown(name) }
    guard spots[index] > 0 else {
      throw Problem.fullRoom(name)
    }
    return count(-1, at: index)
  }

  private mutating func count(_ difference: Int, at index: Int) -> Delta {
    spots[index] += difference
    boards = [:]
    return .spots(index, spots[index])
  }

  mutating func move(takes: Bool, draw: UInt64) -> RivalMove? {
    // Hundreds of moves may be due at once, so each only counts and goes through the numbers, without a list of its own.
    func isPossible(_ index: Int) -> Bool {
      takes ? spots[index] > 0 : spots[index] < maximumSpots[index]
    }
    var (possible, index) = (0, 0)
    while index < spots.count {
      if isPossible(index) { possible += 1 }
      index += 1
    }
    guard possible > 0 else { return nil }
    var left = Int(draw % UInt64(possible))
    index = 0
    while !isPossible(index) || left > 0 {
      if isPossible(index) { left -= 1 }
      index += 1
    }
    let change = count(takes ? -1 : 1, at: index)
    let room = JSONValue.string(rooms[index].name).text
    let event = takes ? "a rival took a spot in \(room)" : "a rival gave a spot in \(room) back"
    return RivalMove(event: event, change: change)
  }

  private func image(of name: String) -> Response {
    guard let index = indices[name] else { return .problem(Self.unknown(name)) }
    return Response(200, RoomPicture.picture(of: name, isPortrait: rooms[index].isPortrait == true))
  }

  private static let success = Representation(["success": true])

  private static func unknown(_ name: String) -> Problem {
    .unknownRoom(name)
  }
}
