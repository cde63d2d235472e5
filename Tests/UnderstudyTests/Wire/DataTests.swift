import Foundation
import JSON
import LiveTesting
import Platform
import Primitives
import Testing

@testable import Understudy

@Suite("Data files", .temporaryFiles)
struct DataTests {
  @Test("a data file that is not regular or is too long is not read, and does not block the server")
  func unreadable() async throws {
    let directory = try TemporaryFiles.dataDirectory()
    let file = directory + "/devices.json"
    #expect(unsafe mkfifo(file, 0o644) == 0)
    #expect { try DataDirectory.load(directory) } throws: { "\($0)" == "\(file): it is not a regular file" }
    try FileManager.default.removeItem(atPath: file)
    try TemporaryFiles.write(devices: "A", at: "Kitchen", to: directory)
    var data = try DataDirectory.load(directory)
    try FileManager.default.removeItem(atPath: file)
    #expect(FileManager.default.createFile(atPath: file, contents: nil))
    try FileHandle(forWritingTo: URL(fileURLWithPath: file)).truncate(atOffset: UInt64(DataDirectory.maximumBytes) + 1)
    #expect { try data.reload() } throws: { "\($0)".contains("has 16777217 bytes; the maximum is 16777216") }
    #expect(try data.reload() == nil, "it is reported once")
  }
}

extension TemporaryFiles {
  /// Makes a directory for the data files of the current test, and returns its path.
  static func dataDirectory() throws -> String {
    let directory = newDirectory()
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    return directory.path
  }

  /// Writes the data file of the devices with these ids, which are all at one place.
  static func write(devices ids: String..., at place: String, to directory: String) throws {
    let devices = ids.map { id -> JSONValue in
      ["id": .string(id), "type": "heating", "meterPointDescription": .string(place), "installationDate": nil]
    }
    try File.writeAtomically(JSONValue.array(devices).bytes(), to: directory + "/devices.json")
  }
}
