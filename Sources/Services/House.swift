import Contract
import JSON
import Seeds

/// The handlers and state of the house API.
struct House: Service {
  static let contract = API.house
  static let seed = SeedFiles.house

  static let handlers = Handlers<House>(
    .on("listHouseRooms") { house, _ in Response(200, house.roomList) },
    .on("getHouseState") { house, _ in Response(200, house.representation()) },
    .on("turnFixtureOn") { house, call in house.turn(call.arguments[0], call.arguments[1], isOn: true) },
    .on("turnFixtureOff") { house, call in house.turn(call.arguments[0], call.arguments[1], isOn: false) },
    .on("getWeatherCold") { house, call in Response(200, house.cold.representation(at: call.now)) },
    .on("getWeatherHot") { house, call in Response(200, house.hot.representation(at: call.now)) },
    .on("getWeatherWarm") { house, call in Response(200, house.hot.representation(at: call.now)) },
    .on("searchPlaces") { _, call in search(call.query) },
    .on("getLocationWeather") { house, call in Response(200, house.outside.representation(at: call.now)) },
  )

  private struct Room {
    let name: String
    var fixtures: [(name: String, isOn: Bool)]
  }

  /// The names of a room and a fixture, in the form in which names are compared.
  private struct Key: Hashable {
    let room: String
    let fixture: String
  }

  private var rooms: [Room]
  private let fixtureIndices: [Key: (room: Int, fixture: Int)]
  private let roomNames: Set<String>
  private let roomList: Representation
  private var state: Representation?

  private var outside: WeatherStation
  private var cold = WeatherStation(temperature: 20)
  private var hot = WeatherStation(temperature: 30)

  init(data: JSONValue, at now: Instant) throws(ValidationError) {
    outside = WeatherStation(temperature: data["temperature"] ?? 20)
    rooms = (data["rooms"]?.object?.members ?? []).map { room in
      Room(name: room.name, fixtures: (room.value.object?.members ?? []).map { ($0.name, $0.value == true) })
    }
    (roomNames, fixtureIndices) = try Self.index(rooms)
    let list = rooms.map { room in
      JSONValue.Member(room.name, ["fixtures": .array(room.fixtures.map { .string($0.name) })])
    }
    roomList = Representation(["rooms": .object(JSONValue.Object(list))])
  }

  var data: JSONValue {
    let members = rooms.map { room in
      JSONValue.Member(
        room.name, .object(JSONValue.Object(room.fixtures.map { JSONValue.Member($0.name, .bool($0.isOn)) })))
    }
    return ["temperature": outside.temperature, "rooms": .object(JSONValue.Object(members))]
  }

  /// Returns the form in which names are compared: `living-room`, `Living Room` and `living+room` are equal.
  private static func plain(_ name: String) -> String { Contract.Operation.Effect.Name.normalized(name) }

  private static func index(
    _ rooms: [Room]
  ) throws(ValidationError) -> (Set<String>, [Key: (room: Int, fixture: Int)]) {
    var names: Set<String> = []
    var fixtureIndices: [Key: (room: Int, fixture: Int)] = [:]
    for (room, content) in rooms.enumerated() {
      let pointer = JSONPointer.root / "rooms" / content.name
      try check(content.name, isNew: names.insert(plain(content.name)).inserted, pointer)
      for (fixture, (name, _)) in content.fixtures.enumerated() {
        let key = Key(room: plain(content.name), fixture: plain(name))
        try check(name, isNew: fixtureIndices.updateValue((room, fixture), forKey: key) == nil, pointer / name)
      }
    }
    return (names, fixtureIndices)
  }

  private static func check(_ name: String, isNew: Bool, _ pointer: JSONPointer) throws(ValidationError) {
    guard !name.isEmpty else { throw ValidationError(pointer, "expected a name, found an empty one") }
    guard isNew else {
      throw ValidationError(
        pointer, "expected a name that differs from its neighbours by more than case, spaces, + and -")
    }
  }

  private mutating func representation() -> Representation {
    if let state { return state }
    let rendered = Representation(data)
    state = rendered
    return rendered
  }

  private mutating func turn(_ room: String, _ fixture: String, isOn: Bool) -> Response {
    let key = Key(room: Self.plain(room), fixture: Self.plain(fixture))
    guard let index = fixtureIndices[key] else {
      return .problem(unknown(room, fixture, isRoomKnown: roomNames.contains(key.room)))
    }
    guard rooms[index.room].fixtures[index.fixture].isOn != isOn else { return Response(200, Self.done) }
    set(index, isOn)
    return Response(200, Self.done, change: .fixture(room: index.room, fixture: index.fixture, isOn: isOn))
  }

  private static func search(_ query: Query) -> Response {
    do throws(Problem) {
      return Response(200, Representation(try WeatherPlace.search(query)))
    } catch {
      return .problem(error)
    }
  }

  private mutating func set(_ index: (room: Int, fixture: Int), _ isOn: Bool) {
    rooms[index.room].fixtures[index.fixture].isOn = isOn
    state = nil
  }

  mutating func apply(_ delta: Delta) throws(Delta.MismatchError) {
    guard case .fixture(let room, let fixture, let isOn) = delta, rooms.indices.contains(room),
      rooms[room].fixtures.indices.contains(fixture)
    else { throw Delta.MismatchError(expectation: "a fixture of one of \(rooms.count) rooms") }
    set((room, fixture), isOn)
  }

  private static let done = Representation(true, .compact, .bareJSON)

  private func unknown(_ room: String, _ fixture: String, isRoomKnown: Bool) -> Problem {
    isRoomKnown ? .unknownFixture(fixture, in: room) : .unknownRoom(room)
  }
}
