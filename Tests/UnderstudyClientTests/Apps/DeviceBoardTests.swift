import Foundation
import LiveTesting
import Testing

@testable import UnderstudyClient

@Suite("The board of devices")
struct DeviceBoardTests {
  private static let monday = DeviceOutboxTests.monday
  private static let mondayText = DeviceOutboxTests.mondayText

  private func board(
    _ transport: any Transport, _ store: MemoryFileStore = MemoryFileStore(), _ clock: TestClock = TestClock(),
    _ change: (inout BackendClient.Configuration) -> Void = { _ in }
  ) async throws -> DeviceBoard {
    try DeviceBoard(.scripted(transport, clock, change), .memory(store))
  }

  @Test("shows the list offline after a relaunch, with the changes that are not synced yet")
  func relaunchOffline() async throws {
    let (store, clock) = (MemoryFileStore(), TestClock())
    let first = try await board(DeviceServer(["A", "B"]), store, clock)
    try await first.refresh()
    try await first.record(Self.monday, for: "A")
    try await first.record(Self.monday, for: "not in the list")
    let second = try await board(ScriptedTransport(.offline), store.relaunched(), clock)
    let shown = await second.state
    #expect(shown.devices.map(\.id) == ["A", "B", "not in the list"])
    #expect(shown.devices.map(\.isInstalled) == [true, false, true])
    #expect(shown.pending.map { $0.device?.meterPointDescription } == ["Hall", nil] && shown.pendingCount == 2)
    #expect(shown.freshness == .stored(clock.clock.date()) && shown.failure == nil)
    await #expect(throws: RequestError.notSent(.offline)) { try await second.refresh() }
    let failed = await second.state
    #expect(failed.failure == .notSent(.offline) && failed.content == shown.content)
  }

  @Test("syncs on demand, and shows the synced changes offline after a relaunch")
  func sync() async throws {
    let (store, server) = (MemoryFileStore(), DeviceServer(["A", "B"]))
    let first = try await board(server, store)
    try await first.refresh()
    try await first.record(Self.monday, for: "A")
    #expect(await first.syncNow().isEmpty)
    #expect(await server.dates == ["A": Self.mondayText, "B": nil])
    #expect(await first.state.devices.map(\.isInstalled) == [true, false])
    let second = try await board(ScriptedTransport(.offline), store.relaunched())
    #expect(await second.state.devices.map(\.isInstalled) == [true, false])
    #expect(await second.state.content == DeviceList(devices: second.state.devices))
    #expect(await second.state.pendingCount == 0)
  }

  @Test("shows a newer list instead of the synced changes")
  func newerList() async throws {
    let server = DeviceServer(["A"])
    let board = try await board(server)
    try await board.record(Self.monday, for: "A")
    await board.syncNow()
    #expect(try await board.refresh().devices.map(\.isInstalled) == [true])
    await server.remove("A")
    #expect(try await board.refresh().devices.map(\.isInstalled) == [false])
  }

  @Test("shows why the server refused a change, and why another is still pending")
  func reasons() async throws {
    let server = DeviceServer(["A", "B"]) { id, _ in id == "A" ? .status(400) : .offline }
    let board = try await board(server)
    try await board.refresh()
    for id in ["A", "B"] { try await board.record(Self.monday, for: id) }
    #expect(await board.syncNow().map(\.id) == ["B"])
    let state = await board.state
    #expect(state.rejected.map { $0.rejection?.status } == [400])
    #expect(!state.devices[0].isInstalled, "the server's word is shown")
    guard case .pending(_, .notSent(.offline)) = state.devices[1].change else {
      Issue.record("\(state.devices[1].change)")
      return
    }
    try await board.dismissRejected("A")
    try await board.withdraw("B")
    #expect(await board.state.devices.map(\.change) == [.none, .none])
  }

  @Test("syncs by itself while it is followed, and retries after growing pauses")
  func followTimer() async throws {
    let (server, clock) = (DeviceServer(["A"]) { _, number in number <= 4 ? .offline : .none }, TestClock())
    let board = try await board(server, MemoryFileStore(), clock) { $0.policy.maximumAttempts = 2 }
    try await board.record(Self.monday, for: "A")
    let following = Task { await board.follow() }
    for await state in await board.updates() where state.devices.first?.isInstalled == true && state.pending.isEmpty {
      break
    }
    following.cancel()
    await following.value
    #expect(clock.slept.filter { $0 >= .seconds(10) }.prefix(2) == [.seconds(15), .seconds(30)])
    let pauses = (1...6).map { DeviceBoard.pause(after: $0, random: 0.5) }
    #expect(pauses == [15, 30, 60, 120, 240, 240].map { .seconds($0) })
  }

  @Test("shows a change that was delivered while an older list was on its way")
  func deliveredDuringRefresh() async throws {
    let (server, gate, arrived, isHeld) = (DeviceServer(["A"]), Gate(), Gate(), Observed(false))
    let transport = ScriptedTransport { request, _ in
      let answer = await server.answer(request)
      if request.url.lastPathComponent == "devices", isHeld.withLock({ $0 }) {
        await arrived.open()
        await gate.pass()
      }
      return answer
    }
    let board = try await board(transport)
    try await board.refresh()
    isHeld.withLock { $0 = true }
    let refresh = Task { try await board.refresh() }
    await arrived.pass()
    try await board.record(Self.monday, for: "A")
    #expect(await board.syncNow().isEmpty)
    #expect(await board.state.devices[0].isInstalled)
    await gate.open()
    _ = try await refresh.value
    #expect(await board.state.devices[0].isInstalled, "the list was made before the change")
  }

  @Test("shows a delivered change although other windows changed the list during each of a refresh's requests")
  func deliveredBeforeOvertakenRefresh() async throws {
    let (store, server, isOvertaken) = (MemoryFileStore(), DeviceServer(["A"]), Observed(false))
    let transport = ScriptedTransport { request, number in
      if isOvertaken.withLock({ $0 }) {
        var other = ServerCopy(ModelDirectory.memory(store).file("devices"), initial: [Device]())
        other.change { $0[0].meterPointDescription = "Room \(number)" }
      }
      return await server.answer(request)
    }
    let board = try await board(transport, store)
    try await board.refresh()
    try await board.record(Self.monday, for: "A")
    #expect(await board.syncNow().isEmpty)
    isOvertaken.withLock { $0 = true }
    let state = try await board.refresh()
    #expect(state.devices[0].device?.meterPointDescription.hasPrefix("Room") == true, "the list is another window's")
    #expect(state.devices[0].isInstalled, "it does not have the change yet")
  }

  @Test("syncs at once when the network is back, followed or not", arguments: [true, false])
  func networkReturned(isFollowed: Bool) async throws {
    let (server, transport) = (DeviceServer(["A"]), SwitchedTransport(ScriptedTransport(.offline)))
    let board = try await board(transport) { configuration in
      configuration.policy.maximumAttempts = 1
      // The retry timer never fires.
      configuration.clock.sleep = { _ in try await Task.sleep(for: .seconds(3_600)) }
    }
    try await board.record(Self.monday, for: "A")
    let following = Task { if isFollowed { await board.follow() } }
    if isFollowed {
      for await state in await board.updates() where state.failure != nil && state.sync == .idle { break }
    }
    await transport.change(to: server)
    await board.networkReturned()
    for await state in await board.updates() where state.pending.isEmpty { break }
    following.cancel()
    await following.value
    #expect(await server.dates == ["A": Self.mondayText])
  }

  @Test("reports how long the outbox rests before the next attempt")
  func rest() async throws {
    let (server, clock) = (DeviceServer(["A"]) { _, number in number <= 4 ? .lostRequest : .none }, TestClock())
    let outbox = try DeviceOutbox(
      .scripted(server, clock), path: "/d/outbox", parallelism: 4, store: MemoryFileStore())
    try await outbox.record(Self.monday, for: "A")
    #expect(await outbox.syncToTheEnd().count == 1)
    var events: [SyncEvent] = []
    for await event in await outbox.sync() { events.append(event) }
    #expect(events.contains(.resting(.seconds(12.5))))
    #expect(events.last == .ended(pending: 0))
  }

  @Test("starts a sync after a cancelled one without waiting for that one's rests")
  func cancelledSync() async throws {
    let (underWay, mayEnd) = (Gate(), Gate())
    let (server, clock) = (DeviceServer(["A"]) { _, number in number == 1 ? .lostRequest : .none }, TestClock())
    await server.during { _ in
      await underWay.open()
      await mayEnd.pass()
    }
    let board = try await board(server, MemoryFileStore(), clock)
    try await board.record(Self.monday, for: "A")
    let first = Task { await board.syncNow() }
    await underWay.pass()
    first.cancel()
    _ = await first.value
    await mayEnd.open()
    #expect(await board.syncNow().isEmpty)
    #expect(clock.slept.allSatisfy { $0 < .seconds(10) }, "\(clock.slept)")
    #expect(await server.dates == ["A": Self.mondayText])
  }
}
