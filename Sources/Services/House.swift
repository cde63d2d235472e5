import Contract
import JSON
import Seeds

/// The behaviour of the house API.
enum House: Service {
  static let contract = API.house
  static let seed = SeedFiles.house

  static let handlers = Handlers(
    of: contract,
    .on("listHouseRooms") { house, _ in Response(200, house.view("rooms") { Representation(roomList($0.rest)) }) },
    .on("getHouseState") { house, _ in Response(200, house.view("state") { Representation($0.rest) }) },
    .on("turnFixtureOn") { house, call in turn(call.arguments[0], call.arguments[1], isOn: true, &house) },
    .on("turnFixtureOff") { house, call in turn(call.arguments[0], call.arguments[1], isOn: false, &house) },
    .on("getWeatherCold") { house, call in weather(20, call, &house) },
    .on("getWeatherHot") { house, call in weather(30, call, &house) },
    .on("getWeatherWarm") { house, call in weather(30, call, &house) },
    .on("searchPlaces") { _, call in search(call.query) },
    .on("getLocationWeather") { house, call in weather(house.rest["temperature"] ?? 20, call, &house) },
  )

  private static func rooms(in data: JSONValue) -> [JSONValue.Member] { data["rooms"]?.object?.members ?? [] }

  private static func roomList(_ data: JSONValue) -> JSONValue {
    let list = rooms(in: data).map { room in
      let fixtures = (room.value.object?.members ?? []).map { JSONValue.string($0.name) }
      return JSONValue.Member(room.name, ["fixtures": .array(fixtures)])
    }
    return ["rooms": .object(JSONValue.Object(list))]
  }

  /// Returns the form in which names are compared: `living-room`, `Living Room` and `living+room` are equal.
  private static func plain(_ name: String) -> String { Contract.Operation.Effect.Name.normalized(name) }

  /// Returns the name of a room, or of a fixture in it, among the positions.
  private static func key(_ room: String, _ fixture: String? = nil) -> String {
    fixture.map { plain(room) + "\n" + plain($0) } ?? plain(room)
  }

  static func positions(in data: JSONValue) throws(ValidationError) -> [String: Document.Position] {
    var positions: [String: Document.Position] = [:]
    for (index, room) in rooms(in: data).enumerated() {
      let pointer = JSONPointer.root / "rooms" / room.name
      let position = Document.Position(first: index)
      try check(room.name, isNew: positions.updateValue(position, forKey: key(room.name)) == nil, pointer)
      for (second, fixture) in (room.value.object?.members ?? []).enumerated() {
        let position = Document.Position(first: index, second: second)
        let earlier = positions.updateValue(position, forKey: key(room.name, fixture.name))
        try check(fixture.name, isNew: earlier == nil, pointer / fixture.name)
      }
    }
    return positions
  }

  private static func check(_ name: String, isNew: Bool, _ pointer: JSONPointer) throws(ValidationError) {
    guard !name.isEmpty else { throw ValidationError(pointer, "expected a name, found an empty one") }
    guard isNew else {
      throw ValidationError(
        pointer, "expected a name that differs from its neighbours by more than case, spaces, + and -")
    }
  }

  private static func turn(_ room: String, _ fixture: String, isOn: Bool, _ house: inout Document) -> Response {
    guard let position = house.position(of: key(room, fixture)) else {
      let isRoomKnown = house.position(of: key(room)) != nil
      return .problem(isRoomKnown ? .unknownFixture(fixture, in: room) : .unknownRoom(room))
    }
    var rooms = Self.rooms(in: house.rest)
    guard var fixtures = rooms[position.first].value.object,
      fixtures.members[position.second].value != .bool(isOn)
    else { return Response(200, done) }
    fixtures.members[position.second].value = .bool(isOn)
    rooms[position.first].value = .object(fixtures)
    house.edit { $0 = $0.setting("rooms", to: .object(JSONValue.Object(rooms))) }
    return Response(200, done, changed: true)
  }

  /// Returns the weather of the minute, so that a client that repeats its request within the minute gets 304.
  private static func weather(_ temperature: JSONValue, _ call: Call, _ house: inout Document) -> Response {
    let report = WeatherReport(temperature: temperature, at: call.now)
    return Response(200, house.view("\(report.minute) \(temperature.text)") { _ in Representation(report.json) })
  }

  private static func search(_ query: Query) -> Response {
    do throws(Problem) {
      return Response(200, Representation(try WeatherPlace.search(query)))
    } catch {
      return .problem(error)
    }
  }

  private static let done = Representation(true, .compact, .bareJSON)
}

extension JSONValue {
  /// Returns the object with a member set.
  fileprivate func setting(_ name: String, to value: JSONValue) -> JSONValue {
    var object = object ?? Object()
    object[name] = value
    return .object(object)
  }
}
