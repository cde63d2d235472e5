import Foundation
import LiveTesting
import Testing
// Imported as by an app, without internal declarations.
import UnderstudyClient

@Suite("The example of the documentation", .temporaryFiles)
struct ExampleTests {
  @Test("runs as it is shown")
  func example() async throws {
    let baseURL = try await LiveSandbox().url
    let file = try TemporaryFiles.newFile()
    var outcomes: [SyncOutcome] = []
    // Begin of the example.
    let client = BackendClient(baseURL)
    for device in try await client.devices.list() { print(device.id, device.installationDate?.text ?? "not installed") }
    let outbox = DeviceOutbox(client, file: file)
    try await outbox.record(Date(), for: "WWM-0001-12")
    for await event in await outbox.sync() {
      if case .finished(let deviceID, let outcome, _, _) = event { print(deviceID, outcome) }
      if case .finished(_, let outcome, _, _) = event { outcomes.append(outcome) }
    }
    // End of the example.
    #expect(outcomes == [.confirmed])
    #expect(try await client.devices.get("WWM-0001-12").installationDate != nil)
  }

  @Test("is in the documentation exactly as compiled here")
  func sameText() throws {
    func lines(_ path: String) throws -> [String] {
      try Repository.text(path).components(separatedBy: "\n")
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let own = try lines("Tests/UnderstudyClientTests/Live/ExampleTests.swift")
    let shown =
      try lines("Sources/UnderstudyClient/UnderstudyClient.docc/UnderstudyClient.md")
      .split(whereSeparator: { $0.hasPrefix("```") }).first { $0.first?.hasPrefix("let client") == true } ?? []
    #expect(shown.count == 7)
    for line in shown { #expect(own.contains(line), "\(line)") }
  }
}
