import Foundation
import Testing

@testable import UnderstudyClient

@Suite("The outbox")
struct DeviceOutboxTests {
  static let monday = Date(timeIntervalSince1970: 1_688_000_000)
  static let tuesday = monday + 86_400
  static let mondayText = SentDate(monday).text
  static let tuesdayText = SentDate(tuesday).text

  private func outbox(
    _ server: DeviceServer, _ store: MemoryFileStore = MemoryFileStore(), parallelism: Int = 4
  ) throws -> DeviceOutbox {
    try DeviceOutbox(.scripted(server), path: "/d/outbox", parallelism: parallelism, store: store)
  }

  @Test("delivers records to the server, and reports the progress")
  func happyPath() async throws {
    let server = DeviceServer(["A", "B"])
    let outbox = try outbox(server, parallelism: 1)
    try await outbox.record(Self.monday, for: "A")
    try await outbox.record(nil, for: "B")
    #expect(await outbox.pending.map(\.deviceID) == ["A", "B"])
    var events: [SyncEvent] = []
    for await event in await outbox.sync() { events.append(event) }
    #expect(
      events == [
        .began(count: 2), .sending(deviceID: "A"), .finished(deviceID: "A", .confirmed, done: 1, of: 2),
        .sending(deviceID: "B"), .finished(deviceID: "B", .confirmed, done: 2, of: 2), .ended(pending: 0),
      ])
    #expect(await server.dates == ["A": Self.mondayText, "B": nil])
    #expect(await server.writes.count == 1, "B needed no write")
  }

  @Test("keeps the newest record of each device across a restart")
  func restart() async throws {
    let store = MemoryFileStore()
    let first = try outbox(DeviceServer(["A"]), store)
    try await first.record(Self.monday, for: "A")
    try await first.record(Self.monday, for: "B")
    try await first.record(Self.tuesday, for: "A")
    let second = try outbox(DeviceServer(["A"]), store.relaunched())
    #expect(await second.pending.map(\.deviceID) == ["B", "A"])
    #expect(await second.pending.last?.installationDate?.date == Self.tuesday)
    #expect(await second.pending == first.pending)
    try await second.withdraw("B")
    #expect(await second.pending.count == 1)
  }

  @Test("rejects a record at once if no request can express it")
  func unsendable() async throws {
    let outbox = try outbox(DeviceServer(["A"]))
    try await outbox.record(Self.monday, for: "")
    #expect(await outbox.syncToTheEnd().isEmpty)
    #expect(await outbox.rejected.map(\.reason.title) == ["The request cannot be sent"])
  }

  @Test("keeps dates of any four-digit year")
  func farDates() {
    for years in stride(from: -1_960.0, to: 8_020, by: 9.7) {
      let date = Date(timeIntervalSince1970: (years * 31_556_952).rounded())
      #expect(SentDate(date).date == date, "\(SentDate(date))")
    }
    #expect(SentDate(Date(timeIntervalSince1970: 0.75)).text == "1970-01-01T00:00:00Z")
    #expect(SentDate(Date(timeIntervalSince1970: -0.25)).text == "1969-12-31T23:59:59Z")
    #expect(SentDate(text: "2000-02-29T00:00:00+02:00").date == Date(timeIntervalSince1970: 951_775_200))
    #expect(SentDate(text: "1900-02-29T00:00:00Z").date == nil)
    #expect(SentDate(.distantFuture).text == "4001-01-01T00:00:00Z")
    #expect(SentDate(Date(timeIntervalSince1970: .infinity)).text == "9999-12-31T23:59:59Z")
    #expect(SentDate(Date(timeIntervalSince1970: -1e18)).text == "0001-01-01T00:00:00Z")
  }

  @Test("reports errors of its file with the system's message")
  func storageErrors() async throws {
    let outbox = try DeviceOutbox(.scripted(DeviceServer([])), file: URL(fileURLWithPath: "/dev/null/outbox"))
    let error = await #expect(throws: StorageError.self) { try await outbox.record(Self.monday, for: "A") }
    #expect(error == .failed(path: "/dev/null/outbox", detail: "Not a directory"))
  }

  @Test("reads the device before it repeats a write of unknown outcome", arguments: [true, false])
  func unknownOutcome(isApplied: Bool) async throws {
    let server = DeviceServer(["A"]) { _, number in number > 1 ? .none : isApplied ? .lostReply : .lostRequest }
    let outbox = try outbox(server)
    try await outbox.record(Self.monday, for: "A")
    #expect(await outbox.syncToTheEnd().isEmpty)
    #expect(await server.writes.count == (isApplied ? 1 : 2))
    #expect(await server.reads == 2)
    #expect(await server.dates == ["A": Self.mondayText])
  }

  @Test("reads the device after a last attempt of unknown outcome", arguments: [true, false])
  func lastTry(isApplied: Bool) async throws {
    let server = DeviceServer(["A"]) { _, _ in isApplied ? .lostReply : .lostRequest }
    let client = try BackendClient.scripted(server) { $0.policy.maximumAttempts = 1 }
    let outbox = DeviceOutbox(client, path: "/d/outbox", parallelism: 1, store: MemoryFileStore())
    try await outbox.record(Self.monday, for: "A")
    #expect(await outbox.syncToTheEnd().isEmpty == isApplied)
    #expect(await server.writes.count == 1)
    #expect(await server.reads == 2)
  }

  @Test("sends a newer change after the older one that is in flight", arguments: 0..<3)
  func newestWins(fault: Int) async throws {
    let faults: [DeviceServer.Fault] = [.none, .lostReply, .lostRequest]
    let server = DeviceServer(["A"]) { _, number in number == 1 ? faults[fault] : .none }
    let outbox = try outbox(server)
    try await outbox.record(Self.monday, for: "A")
    await server.during { id in
      if await outbox.pending.first?.installationDate?.text == Self.mondayText {
        try? await outbox.record(Self.tuesday, for: id)
      }
    }
    #expect(await outbox.syncToTheEnd().isEmpty)
    #expect(await server.dates == ["A": Self.tuesdayText])
    #expect(await server.writes.last?.contains(Self.tuesdayText) == true)
  }

  @Test("does not let a late write undo a newer one")
  func lateWrite() async throws {
    let server = DeviceServer(["A"]) { _, number in number == 1 ? .late : .none }
    let outbox = try outbox(server)
    try await outbox.record(Self.monday, for: "A")
    await server.during { id in
      if await outbox.pending.first?.installationDate?.text == Self.mondayText {
        try? await outbox.record(Self.tuesday, for: id)
      }
    }
    #expect(await outbox.syncToTheEnd().isEmpty)
    #expect(await server.letPassLate() == [412])
    #expect(await server.dates == ["A": Self.tuesdayText])
  }

  @Test("keeps rejected changes with their reasons, also across a restart")
  func rejected() async throws {
    let store = MemoryFileStore()
    let server = DeviceServer(["A", "B"]) { id, _ in id == "A" ? .status(400) : .none }
    let first = try outbox(server, store)
    for id in ["A", "B", "gone"] { try await first.record(Self.monday, for: id) }
    #expect(await first.syncToTheEnd().isEmpty)
    #expect(await Set(first.rejected.map { "\($0.id) \($0.reason.status)" }) == ["A 400", "gone 404"])
    let second = try outbox(server, store.relaunched())
    #expect(await second.rejected.count == 2)
    try await second.dismissRejected("gone")
    try await second.record(Self.tuesday, for: "A")
    #expect(await second.rejected.isEmpty)
    #expect(await second.pending.map(\.deviceID) == ["A"])
  }

  @Test(
    "keeps an acknowledged record pending if a proxy or an expired log-in refuses it", arguments: [401, 403, 404, 405])
  func strangers(_ status: Int) async throws {
    let server = DeviceServer(["A"]) { _, number in number == 1 ? .stranger(status) : .none }
    let outbox = try outbox(server)
    try await outbox.record(Self.monday, for: "A")
    #expect(await outbox.syncToTheEnd().map(\.deviceID) == ["A"])
    #expect(await outbox.rejected.isEmpty)
    #expect(await outbox.syncToTheEnd().isEmpty)
    #expect(await server.dates == ["A": Self.mondayText])
  }

  @Test("keeps a change that was not sent for the next sync")
  func staysPending() async throws {
    let server = DeviceServer(["A"]) { _, number in number <= 4 ? .offline : .none }
    let outbox = try outbox(server)
    try await outbox.record(Self.monday, for: "A")
    var outcomes: [SyncEvent] = []
    for await event in await outbox.sync() { outcomes.append(event) }
    #expect(outcomes.contains(.finished(deviceID: "A", .pending(.notSent(.offline)), done: 1, of: 1)))
    #expect(outcomes.last == .ended(pending: 1))
    #expect(await outbox.syncToTheEnd().isEmpty)
    #expect(await server.dates == ["A": Self.mondayText])
  }

  @Test("writes several devices at a time, and no more than its bound", arguments: [1, 4])
  func parallel(bound: Int) async throws {
    let ids = (0..<40).map { "D\($0)" }
    let server = DeviceServer(ids)
    let outbox = try outbox(server, parallelism: bound)
    for id in ids { try await outbox.record(Self.monday, for: id) }
    #expect(await outbox.syncToTheEnd().isEmpty)
    #expect(await server.maximumAtOnce <= bound)
    if bound > 1 { #expect(await server.maximumAtOnce > 1) }
    #expect(await server.dates.values.allSatisfy { $0 == Self.mondayText })
  }

  @Test("numbers its views, so that a late one is not shown instead of a newer one")
  func views() async throws {
    let outbox = try outbox(DeviceServer(["A"]))
    let first = await outbox.makeView()
    try await outbox.record(Self.monday, for: "A")
    let second = await outbox.makeView()
    #expect(first.number < second.number)
  }

  @Test("shares one sync between concurrent calls, and includes changes recorded meanwhile")
  func joined() async throws {
    let server = DeviceServer(["A", "B"])
    let outbox = try outbox(server)
    try await outbox.record(Self.monday, for: "A")
    await server.during { id in if id == "A" { try? await outbox.record(Self.monday, for: "B") } }
    async let one = outbox.syncToTheEnd()
    async let two = outbox.syncToTheEnd()
    _ = await (one, two)
    #expect(await outbox.pending.isEmpty)
    #expect(await server.writes.count == 2)
  }

  @Test("writes the remaining devices in a sync that begins while a cancelled one ends")
  func afterCancellation() async throws {
    let (underWay, isCancelled, mayEnd) = (Gate(), Gate(), Gate())
    let server = DeviceServer(["A", "B"])
    await server.during { _ in
      await underWay.open()
      await withTaskCancellationHandler {
        await mayEnd.pass()
      } onCancel: {
        Task { await isCancelled.open() }
      }
    }
    let outbox = try outbox(server, parallelism: 1)
    for id in ["A", "B"] { try await outbox.record(Self.monday, for: id) }
    let listener = Task { for await _ in await outbox.sync() {} }
    await underWay.pass()
    listener.cancel()
    await isCancelled.pass()
    let sync = await outbox.sync()
    await mayEnd.open()
    var events: [SyncEvent] = []
    for await event in sync { events.append(event) }
    #expect(
      events == [
        .began(count: 1), .sending(deviceID: "B"), .finished(deviceID: "B", .confirmed, done: 1, of: 1),
        .ended(pending: 0),
      ])
    #expect(await server.dates == ["A": Self.mondayText, "B": Self.mondayText])
  }

  @Test("reads the list on a service without single devices")
  func originalService() async throws {
    let transport = ScriptedTransport { request, _ in
      if request.method == "PATCH" { return .response(200) }
      return request.url.path.hasSuffix("/devices") ? .response(200, "[\(RequestTests.device)]") : .response(400)
    }
    let outbox = try DeviceOutbox(
      .scripted(transport), path: "/d/outbox", parallelism: 1, store: MemoryFileStore())
    try await outbox.record(Date(timeIntervalSince1970: 1_688_570_014), for: "A/1 ü")
    #expect(await outbox.syncToTheEnd().isEmpty)
    #expect(await transport.requests.map(\.method) == ["GET", "GET"], "the same moment, written with another offset")
  }
}
