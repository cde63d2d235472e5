import Foundation
import UnderstudyClient

/// The client library's program of the field guide: it lists the rooms, books a spot in two of them, and looks after each booking.
///
/// The library sends an `Idempotency-Key` with each booking. A program that met an error tells it, waits longer than any
/// `Retry-After` of the ways, goes on, and ends with 1.
@main
struct FieldClient {
  static func main() async throws {
    guard let url = ProcessInfo.processInfo.environment["UNDERSTUDY_URL"].flatMap(URL.init) else {
      FileHandle.standardError.write(Data("UNDERSTUDY_URL is not set\n".utf8))
      exit(64)
    }
    let booking = BackendClient(url).booking
    let steps: [(String, () async throws -> Void)] = [
      ("list", { _ = try await booking.rooms() }),
      ("write", { try await booking.book("Ljerka", key: "the first booking") }),
      ("look", { _ = try await booking.rooms() }),
      ("write with key", { try await booking.book("Mina", key: "a-booking") }),
      ("look again", { _ = try await booking.rooms() }),
    ]
    var code: Int32 = 0
    for (name, send) in steps {
      do {
        try await send()
        tell(name, "ok", "")
      } catch {
        code = 1
        tell(name, "error", error.localizedDescription)
        try await Task.sleep(for: .seconds(1.2))
      }
    }
    exit(code)
  }

  static func tell(_ step: String, _ result: String, _ text: String) {
    FileHandle.standardOutput.write(Data("\(step)\t\(result)\t\(text)\n".utf8))
  }
}
