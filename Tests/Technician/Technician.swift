import Foundation
import UnderstudyClient

/// A program that is made to be killed: it records installations in an outbox without end and syncs it meanwhile, and
/// says what it is about to record, and what is recorded.
///
///     Technician FILE URL DEVICES FIRST
///
/// Each record carries a second of its own, counted from FIRST.
@main
struct Technician {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let url = URL(string: arguments[2]), let count = Int(arguments[3]),
      let first = Int(arguments[4])
    else {
      FileHandle.standardError.write(Data("usage: Technician FILE URL DEVICES FIRST\n".utf8))
      exit(64)
    }
    let outbox = try DeviceOutbox(BackendClient(url), file: URL(fileURLWithPath: arguments[1]))
    say(outbox.damagedFile.map { "damaged \($0.path)" } ?? "opened")
    Task { while true { await outbox.syncToTheEnd() } }
    for second in first... {
      let device = "D\(Int.random(in: 0..<count))"
      say("recording \(device) \(second)")
      try await outbox.record(Date(timeIntervalSince1970: Double(second)), for: device)
      say("recorded \(device) \(second)")
    }
  }

  /// A line reaches the pipe before the program goes on, so that its end takes no word back.
  private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
