import Foundation
import LiveTesting
import Testing

@testable import UnderstudyClient

@Suite("The order of a sync")
struct SyncOrderTests {
  private static let monday = DeviceOutboxTests.monday

  private func outbox(
    _ transport: any Transport, _ clock: TestClock = TestClock(), parallelism: Int = 4,
    _ change: (inout BackendClient.Configuration) -> Void = { _ in }
  ) throws -> DeviceOutbox {
    let client = try BackendClient.scripted(transport, clock, change)
    return DeviceOutbox(client, path: "/d/outbox", parallelism: parallelism, store: MemoryFileStore())
  }

  /// Loses the first requests, does not send the next ones, and serves the rest.
  private static func losing(_ count: Int, unsent: Int = 0, for server: DeviceServer) -> ScriptedTransport {
    ScriptedTransport { request, number in
      if number <= count { return .lost }
      if number <= count + unsent { return .offline }
      return await server.answer(request)
    }
  }

  @Test("a device rests between two syncs after failed requests", arguments: [0, 1])
  func rest(unsent: Int) async throws {
    let (server, clock) = (DeviceServer(["A"]), TestClock())
    let outbox = try outbox(Self.losing(4 - unsent, unsent: unsent, for: server), clock)
    try await outbox.record(Self.monday, for: "A")
    #expect(await outbox.syncToTheEnd().count == 1)
    let slept = clock.slept.count
    #expect(await outbox.syncToTheEnd().isEmpty)
    #expect(clock.slept[slept...] == [.seconds(12.5)])
    #expect(await server.dates == ["A": DeviceOutboxTests.mondayText])
  }

  @Test("a device whose request was not sent does not rest")
  func noRest() async throws {
    let clock = TestClock()
    let outbox = try outbox(ScriptedTransport(.offline), clock)
    try await outbox.record(Self.monday, for: "A")
    for _ in 1...2 { #expect(await outbox.syncToTheEnd().count == 1) }
    #expect(clock.slept.allSatisfy { $0 < .seconds(10) })
  }

  @Test("a write whose outcome is unknown is looked after in the same sync, once its device has rested")
  func doubt() async throws {
    let (server, clock) = (DeviceServer(["A"]) { _, number in number == 1 ? .lostReply : .none }, TestClock())
    let outbox = try outbox(
      ScriptedTransport { request, number in
        // The read before the write, the write, and three reads that are lost.
        (3...5).contains(number) ? .lost : await server.answer(request)
      }, clock)
    try await outbox.record(Self.monday, for: "A")
    #expect(await outbox.syncToTheEnd().isEmpty)
    #expect(clock.slept.count { $0 == .seconds(12.5) } == 1)
    #expect(await server.writes.count == 1, "it was there already")
  }

  @Test("a sync does not look after an unknown outcome for ever")
  func boundedDoubt() async throws {
    let (server, clock) = (DeviceServer(["A"]) { _, _ in .lostReply }, TestClock())
    let outbox = try outbox(
      ScriptedTransport { request, number in number > 2 ? .lost : await server.answer(request) }, clock)
    try await outbox.record(Self.monday, for: "A")
    #expect(await outbox.syncToTheEnd().count == 1)
    #expect(clock.slept.count { $0 == .seconds(12.5) } == 1)
  }

  @Test("joining a sync makes it repeat failed attempts")
  func joined() async throws {
    let (busy, mayEnd) = (Gate(), Gate())
    let server = DeviceServer(["A", "B"])
    let outbox = try outbox(
      ScriptedTransport { request, number in
        if request.url.lastPathComponent == "B" {
          await busy.open()
          await mayEnd.pass()
        } else if number <= 5 {
          return .lost
        }
        return await server.answer(request)
      })
    for id in ["A", "B"] { try await outbox.record(Self.monday, for: id) }
    let first = await outbox.sync()
    await busy.pass()
    var isJoined = false
    var outcomes: [SyncOutcome] = []
    for await event in first {
      guard case .finished("A", let outcome, _, _) = event else { continue }
      outcomes.append(outcome)
      if !isJoined {
        isJoined = true
        _ = await outbox.sync()
      } else {
        await mayEnd.open()
      }
    }
    #expect(outcomes.count == 2 && outcomes.last == .confirmed)
    #expect(await outbox.pending.isEmpty)
  }

  @Test("joining a sync during the last attempt of a device makes it try the device again")
  func joinedInTime() async throws {
    let (underWay, mayEnd) = (Gate(), Gate())
    let server = DeviceServer(["A"])
    let transport = ScriptedTransport { request, number in
      guard number == 1 else { return await server.answer(request) }
      await underWay.open()
      await mayEnd.pass()
      return .lost
    }
    let outbox = try outbox(transport) { $0.policy.maximumAttempts = 1 }
    try await outbox.record(Self.monday, for: "A")
    async let first = outbox.syncToTheEnd()
    await underWay.pass()
    let joined = await outbox.sync()
    await mayEnd.open()
    for await _ in joined {}
    #expect(await first.isEmpty)
    #expect(await server.dates == ["A": DeviceOutboxTests.mondayText])
  }

  @Test("a device recorded during a sync is written without waiting for the others")
  func beside() async throws {
    let (busy, mayEnd) = (Gate(), Gate())
    let server = DeviceServer(["A", "B"])
    await server.during { id in
      guard id == "A" else { return }
      await busy.open()
      await mayEnd.pass()
    }
    let outbox = try outbox(server)
    try await outbox.record(Self.monday, for: "A")
    let events = await outbox.sync()
    await busy.pass()
    try await outbox.record(Self.monday, for: "B")
    for await event in events {
      if case .finished("B", .confirmed, _, _) = event { await mayEnd.open() }
    }
    #expect(await outbox.pending.isEmpty)
  }

  @Test("a sync does not wait for a resting device that is withdrawn")
  func withdrawn() async throws {
    let clock = TestClock()
    let outbox = try outbox(ScriptedTransport(.lost), clock) { configuration in
      let sleep = configuration.clock.sleep
      configuration.clock.sleep = { duration in
        // The rest lasts until it is cut short.
        try await duration > .seconds(10) ? Task.sleep(for: .seconds(3_600)) : sleep(duration)
      }
    }
    try await outbox.record(Self.monday, for: "A")
    _ = await outbox.syncToTheEnd()
    let events = await outbox.sync()
    let last = try await withinPatience { () -> SyncEvent? in
      var last: SyncEvent?
      for await event in events {
        if case .resting = event { try await outbox.withdraw("A") }
        last = event
      }
      return last
    }
    #expect(last == .ended(pending: 0))
  }

  @Test("a change that is recorded while the rest of a withdrawn one is cut short is sent in the same sync")
  func recordedAtEndOfRest() async throws {
    let (server, recording) = (DeviceServer(["A"]), Observed<DeviceOutbox?>(nil))
    let outbox = try outbox(Self.losing(4, for: server)) { configuration in
      let sleep = configuration.clock.sleep
      configuration.clock.sleep = { duration in
        let outbox = recording.withLock { outbox in
          defer { outbox = nil }
          return outbox
        }
        guard let outbox else { return try await sleep(duration) }
        // The rest lasts until it is cut short.
        try? await Task.sleep(for: .seconds(3_600))
        try await outbox.record(Self.monday, for: "A")
      }
    }
    try await outbox.record(Self.monday, for: "A")
    _ = await outbox.syncToTheEnd()
    recording.withLock { $0 = outbox }
    let events = await outbox.sync()
    let last = try await withinPatience { () -> SyncEvent? in
      var last: SyncEvent?
      for await event in events {
        if case .resting = event { try await outbox.withdraw("A") }
        last = event
      }
      return last
    }
    #expect(last == .ended(pending: 0))
    #expect(await server.dates == ["A": DeviceOutboxTests.mondayText])
  }

  @Test("a sync ends even if the clock's sleeps take no time")
  func idleClock() async throws {
    let server = DeviceServer(["A"])
    let outbox = try outbox(Self.losing(4, for: server)) { configuration in
      configuration.clock.elapsed = { .seconds(7) }
      configuration.clock.sleep = { _ in }
    }
    try await outbox.record(Self.monday, for: "A")
    #expect(await outbox.syncToTheEnd().count == 1)
    #expect(await outbox.syncToTheEnd().isEmpty)
  }

  @Test("a device whose change is superseded during its write is reported once, when the newer one is confirmed")
  func supersededOnce() async throws {
    let server = DeviceServer(["A"])
    let outbox = try outbox(server)
    try await outbox.record(Self.monday, for: "A")
    await server.during { id in
      guard await outbox.pending.first?.installationDate?.date == Self.monday else { return }
      try? await outbox.record(DeviceOutboxTests.tuesday, for: id)
    }
    var dates: [[String: String?]] = []
    for await event in await outbox.sync() {
      if case .finished("A", .confirmed, _, _) = event { dates.append(await server.dates) }
    }
    #expect(dates == [["A": DeviceOutboxTests.tuesdayText]])
  }

  @Test("a change that was withdrawn during its write is reported as confirmed if the server accepts it")
  func withdrawnDuringWrite() async throws {
    let server = DeviceServer(["A"])
    let outbox = try outbox(server)
    try await outbox.record(Self.monday, for: "A")
    await server.during { id in _ = try? await outbox.withdraw(id) }
    var outcomes: [SyncOutcome] = []
    for await event in await outbox.sync() {
      if case .finished("A", let outcome, _, _) = event { outcomes.append(outcome) }
    }
    #expect(await server.dates == ["A": DeviceOutboxTests.mondayText])
    #expect(outcomes == [.confirmed])
  }

  @Test("a newer change recorded during failed attempts gets no additional attempts in that sync")
  func supersededInVain() async throws {
    let server = DeviceServer(["A"]) { _, _ in .lostRequest }
    let outbox = try outbox(server)
    try await outbox.record(Self.monday, for: "A")
    await server.during { id in
      guard await outbox.pending.first?.installationDate?.date == Self.monday else { return }
      try? await outbox.record(DeviceOutboxTests.tuesday, for: id)
    }
    #expect(await outbox.syncToTheEnd().count == 1)
    #expect(await server.writes.count == 4)
  }
}
