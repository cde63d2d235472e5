import Foundation
import UnderstudyClient

/// A program for tests that kill it: it records installations in an outbox endlessly, syncs concurrently, and prints
/// each record before and after it is made.
///
///     InstallerApp FILE URL DEVICES FIRST SEED
///     InstallerApp models DIRECTORY URL FIRST
///
/// Each record has its own second, counted from FIRST; SEED and that second determine the device.
@main
struct InstallerApp {
  static func main() async throws {
    let arguments = CommandLine.arguments
    if arguments.count == 5, arguments[1] == "models", let url = URL(string: arguments[3]),
      let first = Int(arguments[4])
    {
      let directory = URL(fileURLWithPath: arguments[2])
      try await UserOfAllModels(client: BackendClient(url), directory: directory).work(from: first)
    }
    guard arguments.count == 6, let url = URL(string: arguments[2]), let count = UInt64(arguments[3]),
      let first = Int(arguments[4]), let seed = UInt64(arguments[5])
    else {
      FileHandle.standardError.write(Data("usage: InstallerApp FILE URL DEVICES FIRST SEED\n".utf8))
      exit(64)
    }
    let outbox = DeviceOutbox(BackendClient(url), file: URL(fileURLWithPath: arguments[1]))
    say(await outbox.damagedFile.map { "damaged \($0.path)" } ?? "opened")
    Task { while true { await outbox.syncToTheEnd() } }
    for second in first... {
      let draw = (seed ^ UInt64(second)) &* 0x9E37_79B9_7F4A_7C15
      let device = "D\((draw >> 32) % count)"
      say("recording \(device) \(second)")
      try await outbox.record(Date(timeIntervalSince1970: Double(second)), for: device)
      say("recorded \(device) \(second)")
    }
  }

  /// Prints a line. It is in the pipe before the program continues, so that a kill loses no line.
  static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
