import Contract
import JSON
import Testing

@testable import Services
@testable import Understudy

@Suite struct BookingTests {
  var desk: Acting<BookingDesk>

  init() throws { desk = try Acting(BookingDesk.self) }

  private static let names = ["Ljerka", "Mostafa", "Helmold", "Painter", "Septima", "Alexis", "Yana", "Mina"]

  @Test("a booking that names no room carries a remark", arguments: ["bookRoom", "askToBook", "askToBookByFile"])
  func aBookingThatNamesNoRoomCarriesARemark(operation: String) throws {
    var desk = desk
    let (body, query) = (#"{"name":"Mina"}"#, "name=Mina")
    #expect(try desk.ask(operation, query: "room=Mina", body: #"{"room":"Mina"}"#).remark != nil)
    #expect(try desk.ask(operation, query: query, body: body).remark == nil)
  }

  @Test mutating func everyRoomHasAPictureOfItsOwn() throws {
    let pictures = try Self.names.map { try desk.ask("getRoomImage", [$0]).representation?.bytes }
    #expect(Set(pictures).count == Self.names.count)
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
}
