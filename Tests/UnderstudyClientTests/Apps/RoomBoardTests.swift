import Foundation
import Testing

@testable import UnderstudyClient

@Suite("The board of meeting rooms")
struct RoomBoardTests {
  private static func rooms(_ spots: [(String, Int)]) -> String {
    let rooms = spots.map { #"{"name":"\#($0.0)","spots":\#($0.1),"thumbnail":"http://x/image"}"# }
    return "{\"rooms\":[\(rooms.joined(separator: ","))]}"
  }

  private static let list = rooms([("Ljerka", 43), ("Alexis", 0), ("Mostafa", 4), ("Helmold", 86), ("Yana", 43)])

  /// Returns a transport that lists the rooms, and gives these answers to bookings in turn; the last one repeats.
  private func transport(_ bookings: [ScriptedTransport.Answer]) -> ScriptedTransport {
    let answers = Answers(bookings)
    return ScriptedTransport { request, _ in
      request.method == "GET" ? .response(200, Self.list, ["ETag": "\"e\""]) : await answers.next()
    }
  }

  private actor Answers {
    private var answers: [ScriptedTransport.Answer]
    init(_ answers: [ScriptedTransport.Answer]) { self.answers = answers }
    func next() -> ScriptedTransport.Answer { answers.count > 1 ? answers.removeFirst() : answers[0] }
  }

  private func board(
    _ transport: ScriptedTransport, _ store: MemoryFileStore = MemoryFileStore(), _ clock: TestClock = TestClock(),
    _ change: (inout BackendClient.Configuration) -> Void = { _ in }
  ) throws -> RoomBoard {
    try RoomBoard(.scripted(transport, clock, change), .memory(store), jitter: 0.25)
  }

  private static let success = ScriptedTransport.Answer.response(200, #"{"success":true}"#)

  @Test("lists rooms by availability, the full ones last, and shows the list's date")
  func order() async throws {
    let clock = TestClock()
    let board = try board(transport([.lost]), MemoryFileStore(), clock)
    let state = try await board.refresh()
    #expect(state.rooms.map(\.id) == ["Helmold", "Ljerka", "Yana", "Mostafa", "Alexis"])
    #expect(state.freshness == .confirmed(clock.clock.date()))
    #expect(state.content.rooms(.runningLow).map(\.id) == ["Mostafa"])
    #expect(state.content.rooms(.full).map(\.id) == ["Alexis"])
  }

  @Test("shows that a refresh is under way")
  func isRefreshing() async throws {
    let (arrived, mayEnd) = (Gate(), Gate())
    let board = try board(
      ScriptedTransport { _, _ in
        await arrived.open()
        await mayEnd.pass()
        return .response(200, Self.list)
      })
    let refresh = Task { try await board.refresh() }
    await arrived.pass()
    #expect(await board.state.isRefreshing)
    await mayEnd.open()
    #expect(try await !refresh.value.isRefreshing)
  }

  @Test("resolves a booking of unknown outcome when the network is back, also of a board that is not followed")
  func networkReturned() async throws {
    let board = try board(transport([.lost, Self.success])) { $0.policy.maximumAttempts = 1 }
    _ = try? await board.book("Ljerka")
    #expect(await board.bookings().map(\.state) == [.unknown])
    await board.networkReturned()
    #expect(await board.bookings().map(\.state) == [.booked])
  }

  @Test("books a spot, shows it as taken, and keeps users' bookings apart, also across a restart")
  func booking() async throws {
    let (store, transport) = (MemoryFileStore(), transport([Self.success]))
    let first = try board(transport, store)
    let booking = try await first.book("Mostafa", for: "ada")
    #expect(booking.state == .booked)
    #expect(await first.state.rooms.first { $0.id == "Mostafa" }?.room.spots == 3)
    _ = try await first.book("Ljerka", for: "bob")
    let second = try board(transport, store.relaunched())
    #expect(await second.bookings(of: "ada") == [booking])
    #expect(await second.bookings(of: "bob").map(\.room) == ["Ljerka"])
    #expect(await second.bookings(of: "eve").isEmpty)
    let keys = await transport.requests.compactMap { $0.headers["Idempotency-Key"] }
    #expect(Set(keys).count == 2)
    #expect(await transport.requests.first?.headers["Cache-Control"] == "no-cache", "it goes past every cache")
  }

  @Test("sends no booking offline, for a full room, or before it is stored")
  func refused() async throws {
    let offline = ScriptedTransport(.offline)
    let first = try board(offline)
    await #expect(throws: BookingError.request(.notSent(.offline))) { _ = try await first.book("Ljerka", for: "a") }
    #expect(await offline.requests.allSatisfy { $0.method == "GET" })
    let transport = transport([Self.success])
    let second = try board(transport)
    await #expect(throws: BookingError.full) { _ = try await second.book("Alexis", for: "a") }
    await #expect(throws: BookingError.noSuchRoom) { _ = try await second.book("Nowhere", for: "a") }
    let third = try board(transport, MemoryFileStore(crashAfter: 2))
    await #expect(throws: BookingError.self) { _ = try await third.book("Ljerka", for: "a") }
    #expect(await transport.requests.allSatisfy { $0.method == "GET" })
    for board in [first, second, third] { #expect(await board.bookings(of: "a").isEmpty) }
  }

  @Test("keeps a booking of unknown outcome across a restart, and settles it with its own key")
  func settle() async throws {
    let store = MemoryFileStore()
    let transport = transport(
      Array(repeating: .lost, count: 4) + [.offline, .offline, .offline, .offline, Self.success])
    let first = try board(transport, store)
    await #expect(throws: BookingError.request(.unknown(.connectionLost("cut")))) {
      _ = try await first.book("Ljerka", for: "a")
    }
    let second = try board(transport, store.relaunched())
    let unknown = try #require(await second.bookings(of: "a").first)
    #expect(unknown.state == .unknown)
    await #expect(throws: BookingError.request(.unknown(.offline))) { _ = try await second.resolve(unknown) }
    #expect(try await second.resolve(unknown).state == .booked)
    #expect(try await second.resolve(unknown).state == .booked, "what is settled is not sent again")
    let keys = await transport.requests.compactMap { $0.headers["Idempotency-Key"] }
    #expect(keys.count == 9 && Set(keys) == [unknown.id])
    #expect(await second.bookings(of: "a").map(\.state) == [.booked])
  }

  @Test("forgets a booking that the server refuses")
  func turnedDown() async throws {
    let full = ScriptedTransport.Answer.response(409, #"{"success":false,"type":"urn:understudy:problem:room-full"}"#)
    for (answer, error) in [(full, BookingError.full), (.response(404, "{}"), .noSuchRoom)] {
      let board = try board(transport([.lost, answer]))
      await #expect(throws: error) { _ = try await board.book("Ljerka", for: "a") }
      #expect(await board.bookings(of: "a").isEmpty)
    }
  }

  @Test("refreshes at the caller's interval with jitter", .timeLimit(.minutes(10)))
  func follow() async throws {
    let clock = TestClock()
    let draws = Draws([0, 0.5, 1])
    let board = try board(transport([.lost]), MemoryFileStore(), clock) { $0.random = { draws.next() } }
    let task = Task { await board.follow() }
    while clock.slept.count < 3 { await Task.yield() }
    task.cancel()
    await task.value
    #expect(clock.slept.prefix(3) == [.seconds(22.5), .seconds(30), .seconds(37.5)])
  }

  @Test("shows a newer list even if the clock was set back")
  func clockSetBack() async throws {
    let clock = TestClock()
    let transport = ScriptedTransport { _, number in .response(200, Self.rooms([("Ljerka", number)])) }
    let board = try board(transport, MemoryFileStore(), clock) { configuration in
      configuration.clock.date = { Date(timeIntervalSince1970: 1_700_000_000) - clock.clock.elapsed().inSeconds }
    }
    for spots in 1...2 {
      #expect(try await board.refresh().rooms.map(\.room.spots) == [spots])
      clock.advance(by: .seconds(60))
    }
  }

  private final class Draws: @unchecked Sendable {
    private let lock = NSLock()
    private var draws: [Double]
    init(_ draws: [Double]) { self.draws = draws }
    func next() -> Double { lock.withLock { draws.isEmpty ? 0.5 : draws.removeFirst() } }
  }
}
