import Foundation
import LiveTesting
import Testing

@testable import UnderstudyClient

@Suite("A directory that another process has changed", .temporaryFiles)
struct AnotherProcessTests {
  @Test("a record after one of another process is an error, and neither process loses a record")
  func record() async throws {
    let file = try TemporaryFiles.newFile()
    let outbox = try DeviceOutbox(.scripted(ScriptedTransport(.offline)), file: file)
    try await outbox.record(DeviceOutboxTests.monday, for: "A")
    // No server listens at this port.
    let arguments = [file.path, "http://127.0.0.1:1", "1", "1000000000", "1"]
    let child = try ChildProcess(KilledProcessTests.program(), arguments)
    var output = ""
    while !output.contains("recorded") { output += try child.line() + "\n" }
    output += try child.killed()
    let error = await #expect(throws: StorageError.self) { try await outbox.record(DeviceOutboxTests.monday, for: "B") }
    #expect(error == .changedByAnotherProcess(path: file.pathWithoutLinks))
    #expect(await outbox.pending.map(\.deviceID) == ["A"])
    let next = try DeviceOutbox(.scripted(ScriptedTransport(.offline)), file: file)
    #expect(await next.pending.map(\.deviceID) == ["A", "D0"])
    try await next.record(DeviceOutboxTests.monday, for: "B")
    #expect(await next.pending.map(\.deviceID) == ["A", "D0", "B"])
  }

  @Test("a booking after one of another process is not sent, and the state says why")
  func booking() async throws {
    let rooms = #"{"rooms":[{"name":"Ljerka","spots":43,"thumbnail":"http://x/image"}]}"#
    let store = MemoryFileStore()
    let transport = ScriptedTransport { request, _ in
      .response(200, request.method == "GET" ? rooms : #"{"success":true}"#)
    }
    let board = try RoomBoard(.scripted(transport), .memory(store))
    try await board.refresh()
    let other = store.relaunched()
    try await RoomBoard(.scripted(transport), .memory(other)).book("Ljerka")
    let content = try #require(other.files["/d/bookings"])
    try store.write(content, to: "/d/bookings")
    await #expect(throws: BookingError.storage(.changedByAnotherProcess(path: "/d/bookings"))) {
      try await board.book("Ljerka")
    }
    #expect(await transport.requests.filter { $0.method != "GET" }.count == 1, "what is not stored is not sent")
    #expect(await board.state.storageError == .changedByAnotherProcess(path: "/d/bookings"))
    #expect(await board.state.rooms.map(\.id) == ["Ljerka"])
  }
}
