import Foundation
import LiveTesting
import Testing

@testable import UnderstudyClient

@Suite("One intention is one booking")
struct OneBookingTests {
  private static let rooms =
    #"{"rooms":[{"name":"Ljerka","spots":43,"thumbnail":"http://x/image"}]}"#
  private static let success = ScriptedTransport.Answer.response(200, #"{"success":true}"#)

  /// A booking service that books one spot per key, like Understudy.
  private actor Desk: Transport {
    private(set) var keys: [String] = []
    private let fault: @Sendable (Int) async -> ScriptedTransport.Answer?

    init(fault: @escaping @Sendable (Int) async -> ScriptedTransport.Answer? = { _ in nil }) { self.fault = fault }

    func send(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportResponse {
      guard let key = request.headers["Idempotency-Key"] else {
        return try ScriptedTransport.Answer.response(200, OneBookingTests.rooms).get()
      }
      keys.append(key)
      return try (await fault(keys.count) ?? OneBookingTests.success).get()
    }

    var bookingCount: Int { Set(keys).count }
  }

  private func board(_ transport: any Transport, _ store: MemoryFileStore = MemoryFileStore()) throws -> RoomBoard {
    try RoomBoard(.scripted(transport), .memory(store))
  }

  @Test("two taps at once, and a third later, are one booking")
  func taps() async throws {
    let (arrived, mayAnswer) = (Gate(), Gate())
    let service = Desk { _ in
      await arrived.open()
      await mayAnswer.pass()
      return nil
    }
    let board = try board(service)
    let taps = (1...2).map { _ in Task { try await board.book("Ljerka", for: "ada") } }
    await arrived.pass()
    await mayAnswer.open()
    let bookings = [try await taps[0].value, try await taps[1].value, try await board.book("Ljerka", for: "ada")]
    #expect(Set(bookings.map(\.id)).count == 1 && bookings[0].state == .booked)
    #expect(bookings.map(\.isExisting) == [false, false, true], "only the later tap finds it booked")
    #expect(await service.keys.count == 1)
    #expect(await board.state.rooms.first?.room.spots == 42)
  }

  @Test("a second spot and another user's spot are separate bookings")
  func secondSpot() async throws {
    let desk = Desk()
    let board = try board(desk)
    let first = try await board.book("Ljerka", for: "ada")
    try await board.book("Ljerka", for: "bob")
    try await board.book(BookingIntention(room: "Ljerka", user: "ada"))
    #expect(await desk.bookingCount == 3)
    try await board.dismiss(first)
    #expect(await board.bookings(of: "ada").count == 1)
  }

  @Test("a tap, a time-out, a relaunch and another tap are one booking")
  func relaunch() async throws {
    let (store, desk) = (MemoryFileStore(), Desk { number in number <= 4 ? .failure(.lost(.timedOut)) : nil })
    let first = try board(desk, store)
    await #expect(throws: BookingError.request(.unknown(.timedOut))) { try await first.book("Ljerka", for: "ada") }
    let second = try board(desk, store.relaunched())
    #expect(await second.state.bookings.map(\.state) == [.unknown])
    #expect(try await second.book("Ljerka", for: "ada").state == .booked)
    #expect(await desk.bookingCount == 1)
  }

  @Test("a booking with an unknown outcome stays if a proxy refuses the next attempts, until the service settles it")
  func strangers() async throws {
    let desk = Desk { number in
      switch number {
      case 1...4: .failure(.lost(.timedOut))
      case 5: .response(403, "<html>", ["Content-Type": "text/html"])
      case 6: .response(404, "<html>", ["Content-Type": "text/html"])
      case 7: .response(401, "{}")
      default: .response(409, #"{"type":"urn:understudy:problem:room-full"}"#)
      }
    }
    let board = try board(desk)
    for _ in 1...4 {
      let error = await #expect(throws: BookingError.self) { try await board.book("Ljerka", for: "ada") }
      #expect(error?.mayBeBooked == true)
      #expect(await board.state.bookings.map(\.state) == [.unknown])
    }
    await #expect(throws: BookingError.full) { try await board.book("Ljerka", for: "ada") }
    #expect(await board.state.bookings.isEmpty)
    #expect(await desk.bookingCount == 1)
  }

  @Test("rooms are shown offline after a relaunch, and booking is refused")
  func offline() async throws {
    let store = MemoryFileStore()
    let first = try board(Desk(), store)
    try await first.refresh()
    let offline = ScriptedTransport(.offline)
    let second = try board(offline, store.relaunched())
    #expect(await second.state.rooms.map(\.id) == ["Ljerka"])
    #expect(await second.state.freshness == first.state.freshness.date.map { .stored($0) })
    await #expect(throws: BookingError.request(.notSent(.offline))) { try await second.book("Ljerka", for: "ada") }
    #expect(await second.state.failure == .notSent(.offline))
    #expect(await offline.requests.allSatisfy { $0.method == "GET" })
    #expect(await second.state.bookings.isEmpty)
  }

  @Test("cancelling one of two taps leaves the booking to the other")
  func cancelled() async throws {
    let (arrived, mayAnswer) = (Gate(), Gate())
    let desk = Desk { number in
      guard number == 1 else { return nil }
      await arrived.open()
      await mayAnswer.pass()
      return .failure(.lost(.timedOut))
    }
    let board = try board(desk)
    let intention = BookingIntention(room: "Ljerka", user: "ada")
    let taps = (1...2).map { _ in Task { try await board.book(intention) } }
    await arrived.pass()
    #expect(await succeeds { await board.callerCount(of: intention) == 2 })
    taps[0].cancel()
    #expect(await succeeds { await board.callerCount(of: intention) == 1 })
    await mayAnswer.open()
    #expect(try await taps[1].value.state == .booked, "the other tap still wants it")
    #expect(await desk.keys == [intention.id, intention.id])
  }

  @Test("a booking that is cancelled before it is sent throws CancellationError and is not stored")
  func cancelledBeforehand() async throws {
    let arrived = Gate()
    let transport = ScriptedTransport { _, _ in
      await arrived.open()
      while !Task.isCancelled { await Task.yield() }
      return .failure(.lost(.cancelled))
    }
    let board = try board(transport)
    let tap = Task { try await board.book("Ljerka", for: "ada") }
    await arrived.pass()
    tap.cancel()
    await #expect(throws: CancellationError.self) { try await tap.value }
    let state = await board.state
    #expect(state.bookings.isEmpty && state.failure == nil)
    #expect(await transport.requests.allSatisfy { $0.method == "GET" })
  }

  @Test("a booking that is cancelled in flight stays unknown until the next tap settles it")
  func cancelledUnderWay() async throws {
    let (arrived, mayAnswer) = (Gate(), Gate())
    let desk = Desk { number in
      guard number == 1 else { return nil }
      await arrived.open()
      await mayAnswer.pass()
      return .failure(.lost(.cancelled))
    }
    let board = try board(desk)
    let tap = Task { try await board.book("Ljerka", for: "ada") }
    await arrived.pass()
    tap.cancel()
    await mayAnswer.open()
    await #expect(throws: BookingError.request(.unknown(.cancelled))) { try await tap.value }
    #expect(await board.bookings(of: "ada").map(\.state) == [.unknown])
    #expect(try await board.book("Ljerka", for: "ada").state == .booked)
    #expect(await desk.bookingCount == 1)
  }
}
