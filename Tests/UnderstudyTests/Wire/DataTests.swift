import Foundation
import LiveTesting
import Platform
import Primitives
import Testing

@testable import Understudy

@Suite("Data files and the log")
struct DataTests {
  private static func devices(_ index: String) -> [UInt8] {
    Array(
      """
      [{"id": "A", "type": "heating", "meterPointDescription": "\(index)", "installationDate": null}]
      """.utf8)
  }

  @Test("data files replace the built-in data at the start and when they change", arguments: PollerKind.allCases)
  func watch(poller: PollerKind) async throws {
    let directory = NSTemporaryDirectory() + "understudy-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let file = directory + "/devices.json"
    try File.writeAtomically(Self.devices("Kitchen"), to: file)
    func change(_ options: inout MockServer.Options) {
      options.dataDirectory = directory
      options.watchesData = true
    }
    try await withServer(using: poller, change) { server in
      let client = try WireConnection(server.port)
      func devices() throws -> String {
        try client.send(wire())
        return try client.response().text
      }
      #expect(try devices().contains("Kitchen"))
      try File.writeAtomically(Self.devices("Attic"), to: file)
      #expect(await server.becomes { $0.application.state.sandboxes[nil]?.traffic.journal.count == 2 }, "it restarted")
      #expect(try devices().contains("Attic"))
      try File.writeAtomically(Array("{".utf8), to: file)
      #expect(try devices().contains("Attic"))
      #expect(try exchange(server, wire("GET", "/users/1")).text.contains("Leanne Graham"), "the others stay built in")
    }
  }

  @Test("a data file that is not regular or is too long is not read, and does not block the server")
  func unreadable() async throws {
    let directory = NSTemporaryDirectory() + "understudy-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let file = directory + "/devices.json"
    #expect(unsafe mkfifo(file, 0o644) == 0)
    #expect { try DataDirectory.load(directory) } throws: { "\($0)" == "\(file): it is not a regular file" }
    try FileManager.default.removeItem(atPath: file)
    try File.writeAtomically(Self.devices("Kitchen"), to: file)
    var data = try DataDirectory.load(directory)
    try FileManager.default.removeItem(atPath: file)
    #expect(FileManager.default.createFile(atPath: file, contents: nil))
    try FileHandle(forWritingTo: URL(fileURLWithPath: file)).truncate(atOffset: UInt64(DataDirectory.maximumBytes) + 1)
    #expect { try data.reload() } throws: { "\($0)".contains("has 16777217 bytes; the maximum is 16777216") }
    #expect(try data.reload() == nil, "it is reported once")
  }
}
