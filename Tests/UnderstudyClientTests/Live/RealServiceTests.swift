import Foundation
import LiveTesting
import Testing

@testable import UnderstudyClient

@Suite("The real services", .live, .temporaryFiles)
struct RealServiceTests {
  private func client(_ service: StandIn) throws -> BackendClient { BackendClient(try service.url) }

  @Test("rooms that begin with a byte order mark are read")
  func byteOrderMark() async throws {
    #expect(Array(StandIn.rooms.utf8.prefix(4)) == [0xEF, 0xBB, 0xBF, 0x7B])
    let service = try StandIn.staticPages()
    defer { service.shut() }
    let rooms = try await client(service).booking.rooms().value
    #expect(rooms.map(\.name) == ["Ljerka", "Mostafa", "Helmold", "Painter", "Septima", "Alexis", "Yana", "Mina"])
    #expect(rooms.map(\.spots) == [43, 4, 86, 16, 84, 0, 34, 39])
    #expect(rooms[0].thumbnail.host == "images.unsplash.com")
  }

  @Test("a board shows the rooms of static pages, and says that they take no bookings")
  func noBookings() async throws {
    let service = try StandIn.staticPages()
    defer { service.shut() }
    let board = RoomBoard(try client(service), directory: TemporaryFiles.newDirectory())
    #expect(try await board.refresh().rooms.last?.room.name == "Alexis")
    let error = await #expect(throws: BookingError.notOffered) { try await board.book("Ljerka") }
    #expect(error?.localizedDescription == "The service takes no bookings: it only shows the rooms.")
    #expect(error?.recoverySuggestion == "Book the room in another way.")
    #expect(await board.bookings().isEmpty, "nothing is left to resolve")
    let call = await #expect(throws: RequestError.self) {
      try await client(service).booking.book("Ljerka", key: "k")
    }
    #expect(call?.localizedDescription == "The service does not offer this.")
    #expect(call?.recoverySuggestion == "This is not possible with this service.")
  }

  @Test("fixtures are switched at the documented paths")
  func slugs() async throws {
    let transport = ScriptedTransport(.response(200, "true"))
    let client = try BackendClient.scripted(transport)
    for (name, room) in [("TV", "Living Room"), ("Light1", "Bedroom"), ("Slowcooker", "Kitchen")] {
      try await client.house.turn(Fixture(name, in: room), on: true)
    }
    let paths = ["living-room/tv/on", "bedroom/light1/on", "kitchen/slowcooker/on"]
    #expect(await transport.requests.map(\.url.path) == paths.map { "/@ci-42/" + $0 })
  }

  @Test("only a web page is said to be a network's log-in page")
  func adviceForPages() async throws {
    let page = ScriptedTransport.Answer.response(200, " <!DOCTYPE html><p>Welcome", ["Content-Type": "text/plain"])
    let cut = ScriptedTransport.Answer.response(200, #"[{"id":1"#, ["Content-Type": "application/json"])
    for (answer, isPage) in [(page, true), (cut, false)] {
      let client = try BackendClient.scripted(ScriptedTransport(answer)) { $0.policy.maximumAttempts = 1 }
      let error = await #expect(throws: RequestError.self) { try await client.devices.list() }
      #expect(error?.recoverySuggestion?.contains("Log in") == isPage)
      #expect(error?.localizedDescription.contains("log-in page") == isPage)
    }
  }
}
