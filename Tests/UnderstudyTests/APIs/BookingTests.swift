import Contract
import JSON
import Testing

@testable import Services
@testable import Understudy

@Suite struct BookingTests {
  var desk: Acting<BookingDesk>

  init() throws { desk = try Acting(BookingDesk.self) }

  private static let names = ["Ljerka", "Mostafa", "Helmold", "Painter", "Septima", "Alexis", "Yana", "Mina"]

  @Test(
    "rooms are listed in order with absolute thumbnails", arguments: ["listBookingRooms", "listBookingRoomsByBrief"])
  func roomsAreListedInOrderWithAbsoluteThumbnails(operation: String) throws {
    var desk = desk
    let spots = [43, 4, 86, 16, 84, 0, 34, 39]
    let rooms = zip(Self.names, spots).map { name, spots in
      #"{"name":"\#(name)","spots":\#(spots),"thumbnail":"http://localhost:8080/image/\#(name)"}"#
    }
    #expect(try desk.ask(operation).text == #"{"rooms":["# + rooms.joined(separator: ",") + "]}")
  }

  @Test mutating func thumbnailsHaveTheOriginOfTheRequest() throws {
    for base in ["http://localhost:8080/@booking", "http://booking.ci-42.localhost:9000"] {
      let rooms = try desk.ask("listBookingRooms", base: base).json()["rooms"]?.array
      #expect(rooms?.last?["thumbnail"] == .string(base + "/image/Mina"))
    }
  }

  @Test func aNameIsEncodedInItsThumbnail() throws {
    var desk = try Acting<BookingDesk>(data: ["rooms": [["name": "Å/b c", "spots": 1]]])
    let room = try desk.ask("listBookingRooms").json()["rooms"]?.array?.first
    #expect(room?["thumbnail"] == "http://localhost:8080/image/%C3%85%2Fb%20c")
    #expect(try desk.ask("getRoomImage", ["Å/b c"]).status == 200)
  }

  @Test("a booking takes a spot", arguments: ["bookRoom", "bookRoomByFile"])
  func aBookingTakesASpot(operation: String) throws {
    var desk = desk
    _ = try desk.ask("listBookingRooms")
    let body = #"{"name":"Mostafa","people":3}"#
    for left in [3, 2, 1, 0] {
      let response = try desk.ask(operation, body: body, contentType: "application/x-www-form-urlencoded")
      #expect(response.status == 200)
      #expect(response.text == #"{"success":true}"#)
      #expect(response.changed)
      #expect(response.remark == nil)
      #expect(try desk.ask("listBookingRooms").json()["rooms"]?.array?[1]["spots"] == .int(left))
    }
    let full = try desk.ask(operation, body: body)
    #expect(full.status == 409)
    #expect(!full.changed)
    #expect(try desk.ask("listBookingRooms").json()["rooms"]?.array?[1]["spots"] == 0)
  }

  @Test(
    "without a name it succeeds and books nothing", arguments: ["", "{}", #"{"name":null}"#, #"{"room":"Ljerka"}"#])
  func withoutANameItSucceedsAndBooksNothing(body: String) throws {
    var desk = desk
    let before = desk.state.data
    let response = try desk.ask("bookRoom", body: body)
    #expect(response.status == 200)
    #expect(response.text == #"{"success":true}"#)
    #expect(response.remark != nil)
    #expect(!response.changed)
    #expect(desk.state.data == before)
  }

  @Test(
    "a GET that names no room with a spot books nothing",
    arguments: [
      ("name=Alexis", 409), ("name=Attic", 404), ("name=ljerka", 404), ("name=", 400), ("name", 400),
      ("name=&name=Mina", 400),
      ("name=Mina&name=Mina", 400), ("", 200), ("Name=Mina", 200), ("room=Mina", 200),
    ])
  func aGetThatNamesNoRoomWithASpotBooksNothing(query: String, status: Int) throws {
    var desk = desk
    let before = desk.state.data
    for operation in ["askToBook", "askToBookByFile"] {
      let response = try desk.ask(operation, query: query)
      #expect(response.status == status)
      #expect(!response.changed)
      #expect((response.remark != nil) == (status == 200))
    }
    #expect(desk.state.data == before)
  }

  @Test mutating func everyRoomHasAPictureOfItsOwnAndTwoAreUpright() throws {
    var upright: [String] = []
    var pictures: Set<[UInt8]> = []
    for name in Self.names {
      let response = try desk.ask("getRoomImage", [name])
      let bytes = try #require(response.representation?.bytes)
      #expect(pictures.insert(bytes).inserted, "\(name)")
      #expect(response.representation?.mediaType == .png)
      #expect(bytes.suffix(8).prefix(4).elementsEqual("IEND".utf8), "it is whole")
      #expect(bytes.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
      if Array(bytes[16..<20]).lexicographicallyPrecedes(Array(bytes[20..<24])) { upright.append(name) }
      #expect(try desk.ask("getRoomImage", [name]).representation?.tag == response.representation?.tag)
    }
    #expect(upright == ["Painter", "Yana"])
    #expect(try desk.ask("getRoomImage", ["Attic"]).status == 404)
  }
}
