import Foundation
import LiveTesting
import Testing

@testable import UnderstudyClient

/// Responses that arrive in another order than their requests.
@Suite("Responses that arrive out of order")
struct OvertakingTests {
  private static func rooms(_ spots: Int) -> String {
    #"{"rooms":[{"name":"Ljerka","spots":\#(spots),"thumbnail":"http://x/image"}]}"#
  }

  private static func activity(_ isArchived: Bool) -> String {
    """
    {"id":1,"created_at":"2018-04-19T09:38:41.000Z","direction":"outbound","from":"A","to":"B","via":"NYC",
    "duration":"120","is_archived":\(isArchived),"call_type":"missed"}
    """
  }

  @Test("an older list of rooms does not replace a newer one")
  func rooms() async throws {
    let (gate, arrived) = (Gate(), Gate())
    let transport = ScriptedTransport { _, number in
      guard number == 1 else { return .response(200, Self.rooms(number)) }
      await arrived.open()
      await gate.pass()
      return .response(200, Self.rooms(43))
    }
    let board = try RoomBoard(.scripted(transport), .memory())
    let first = Task { try await board.refresh() }
    await arrived.pass()
    #expect(try await board.refresh().rooms.map(\.room.spots) == [2])
    await gate.open()
    #expect(try await first.value.rooms.map(\.room.spots) == [2], "the caller is shown the newer list, too")
    #expect(await board.state.rooms.map(\.room.spots) == [2])
    #expect(try await board.refresh().rooms.map(\.room.spots) == [3])
  }

  /// A request that waits for its test.
  private struct Held: Sendable {
    let arrived = Gate()
    let answer = Gate()
  }

  /// Returns a transport that holds its first requests, each by itself, and then lists one spot less.
  private static func transport(holding held: [Held]) -> ScriptedTransport {
    ScriptedTransport { request, number in
      if number <= held.count {
        await held[number - 1].arrived.open()
        await held[number - 1].answer.pass()
      }
      return .response(200, request.method == "GET" ? rooms(number <= held.count ? 43 : 42) : #"{"success":true}"#)
    }
  }

  @Test("a list of rooms that was requested before a booking was confirmed does not give its spot back")
  func roomsBeforeBooking() async throws {
    let (check, booking, list) = (Held(), Held(), Held())
    let board = try RoomBoard(.scripted(Self.transport(holding: [check, booking, list])), .memory())
    await check.answer.open()
    let tap = Task { try await board.book("Ljerka") }
    await booking.arrived.pass()
    let late = Task { try await board.refresh() }
    await list.arrived.pass()
    await booking.answer.open()
    _ = try await tap.value
    #expect(await board.state.rooms.map(\.room.spots) == [42])
    await list.answer.open()
    #expect(try await late.value.rooms.map(\.room.spots) == [42])
  }

  @Test("a booking takes its spot from a list that was requested before it and arrived before its response")
  func roomsWhileBooking() async throws {
    let (check, list, booking) = (Held(), Held(), Held())
    let board = try RoomBoard(.scripted(Self.transport(holding: [check, list, booking])), .memory())
    let tap = Task { try await board.book("Ljerka") }
    await check.arrived.pass()
    let refresh = Task { try await board.refresh() }
    await list.arrived.pass()
    await check.answer.open()
    await booking.arrived.pass()
    await list.answer.open()
    _ = try await refresh.value
    await booking.answer.open()
    _ = try await tap.value
    #expect(await board.state.rooms.map(\.room.spots) == [42])
  }

  @Test("a cached list of rooms does not give the spot of a booking back")
  func cachedRooms() async throws {
    let transport = ScriptedTransport { request, _ in
      request.method == "GET"
        ? .response(200, Self.rooms(43), ["ETag": "\"e\"", "Cache-Control": "max-age=600"])
        : .response(200, #"{"success":true}"#)
    }
    let board = try RoomBoard(.scripted(transport), .memory())
    try await board.book("Ljerka")
    #expect(try await board.refresh(maximumAge: .seconds(600)).rooms.map(\.room.spots) == [42])
    #expect(await transport.requests.filter { $0.method == "GET" }.count == 1)
  }

  @Test("a list of calls that was requested before a write was confirmed is requested again")
  func list() async throws {
    let (gate, arrived) = (Gate(), Gate())
    let transport = ScriptedTransport { request, number in
      if request.method != "GET" { return .response(200, Self.activity(true)) }
      guard number == 2 else { return .response(200, "[\(Self.activity(number > 2))]") }
      await arrived.open()
      await gate.pass()
      return .response(200, "[\(Self.activity(false))]")
    }
    let feed = try ActivityFeed(.scripted(transport), .memory())
    try await feed.refresh()
    let late = Task { try await feed.refresh() }
    await arrived.pass()
    try await feed.setArchived(true, for: 1)
    await gate.open()
    #expect(try await late.value.activities.map(\.isArchived) == [true])
    #expect(await feed.state.archive.map(\.id) == [1])
    #expect(await transport.requests.count == 4)
  }

  @Test("a refresh whose list is overtaken by a write each time ends for listeners, too")
  func overtakenEachTime() async throws {
    let writer = Observed<ActivityFeed?>(nil)
    let transport = ScriptedTransport { request, _ in
      guard request.method == "GET" else { return .response(200, Self.activity(true)) }
      _ = try? await writer.withLock { $0 }?.setArchived(true, for: 1)
      return .response(200, "[\(Self.activity(false))]")
    }
    let feed = try ActivityFeed(.scripted(transport), .memory())
    try await feed.refresh()
    writer.withLock { $0 = feed }
    let updates = await feed.updates()
    try await feed.refresh()
    #expect(try await withinPatience { await updates.contains { !$0.isRefreshing && $0.archive.map(\.id) == [1] } })
  }

  @Test("a call that was requested before a write was confirmed does not undo the write")
  func detail() async throws {
    let (gate, arrived) = (Gate(), Gate())
    let transport = ScriptedTransport { request, _ in
      if request.method != "GET" { return .response(200, Self.activity(true)) }
      guard request.url.lastPathComponent == "1" else { return .response(200, "[\(Self.activity(false))]") }
      await arrived.open()
      await gate.pass()
      return .response(200, Self.activity(false))
    }
    let feed = try ActivityFeed(.scripted(transport), .memory())
    try await feed.refresh()
    let late = Task { try await feed.detail(1) }
    await arrived.pass()
    try await feed.setArchived(true, for: 1)
    await gate.open()
    _ = try await late.value
    #expect(await feed.state.archive.map(\.id) == [1])
  }

  @Test("a change that was superseded while its device was read is not sent")
  func supersededWhileRead() async throws {
    let (server, gate, arrived) = (DeviceServer(["A"]), Gate(), Gate())
    let transport = ScriptedTransport(to: server, after: gate, arrived: arrived)
    let outbox = try DeviceOutbox(.scripted(transport), path: "/d/outbox", parallelism: 4, store: MemoryFileStore())
    try await outbox.record(DeviceOutboxTests.monday, for: "A")
    async let left = outbox.syncToTheEnd()
    await arrived.pass()
    try await outbox.record(DeviceOutboxTests.tuesday, for: "A")
    await gate.open()
    #expect(await left.isEmpty)
    let writes = await server.writes
    #expect(writes.count == 1 && writes[0].contains(DeviceOutboxTests.tuesdayText), "\(writes)")
  }

  @Test("a change that was withdrawn while its device was read is not sent")
  func withdrawnWhileRead() async throws {
    let (server, gate, arrived) = (DeviceServer(["A"]), Gate(), Gate())
    let transport = ScriptedTransport(to: server, after: gate, arrived: arrived)
    let outbox = try DeviceOutbox(.scripted(transport), path: "/d/outbox", parallelism: 4, store: MemoryFileStore())
    try await outbox.record(DeviceOutboxTests.monday, for: "A")
    async let left = outbox.syncToTheEnd()
    await arrived.pass()
    try await outbox.withdraw("A")
    await gate.open()
    #expect(await left.isEmpty)
    #expect(await server.writes.isEmpty)
  }
}
