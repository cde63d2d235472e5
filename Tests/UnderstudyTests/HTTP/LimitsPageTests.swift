import Contract
import Faults
import Foundation
import HTTP1
import JSON
import Testing

@testable import Understudy

@Suite("The page about limits")
struct LimitsPageTests {
  private static let limits = Limits.standard
  private static let timeouts = Timeouts()

  private static func size(_ bytes: Int) -> String {
    bytes % (1 << 20) == 0 ? "\(bytes >> 20) MiB" : bytes % (1 << 10) == 0 ? "\(bytes >> 10) KiB" : "\(bytes) bytes"
  }

  private static func seconds(_ lapse: NanosecondDuration) -> String { "\(lapse.nanoseconds / 1_000_000_000) s" }

  private static let rows = [
    ("request line", size(limits.requestLine)), ("method", size(limits.method)),
    ("all header fields", size(limits.head)), ("number of header fields", "\(limits.fields)"),
    ("body, decoded", size(limits.body)), ("one chunk's line", size(limits.chunkLine)),
    ("framing of all chunks beyond 16 bytes and twice the data of each", size(limits.chunkOverhead)),
    ("all trailer fields", size(limits.trailers)), ("number of trailer fields", "\(limits.trailerFields)"),
    ("nesting of JSON", "\(JSONValue.deepestNesting) levels"),
    ("the next request of an idle connection", seconds(timeouts.idle)),
    ("a whole head, from its first byte", seconds(timeouts.head)),
    ("the next piece of a body", seconds(timeouts.body)),
    ("to take the next byte of a reply", seconds(timeouts.writing)),
    ("to close after the last reply", seconds(timeouts.linger)),
    ("replies under way when the server stops", seconds(timeouts.drain)),
    ("replies that the peer does not take", size(Connection.highWater) + " and one reply"),
    ("replies of all connections together", size(EventLoop.standardMaximumHeldOutput)),
    ("errors that a problem lists", "\(Violations.maximumListed)"),
    ("requests behind the one that is answered", size(Connection.readAhead) + " and one reading of 64 KiB"),
    ("requests that are begun", "\(TurnBudget.maximumRequests)"),
    ("requests of one connection that are begun", "\(TurnBudget.maximumRequestsOfConnection)"),
    ("bytes that are sent", size(EventLoop.maximumBytes)),
    ("sandboxes that are looked after", "\(EventLoop.maximumSandboxes)"),
    ("moves of rivals in a sandbox", "\(Rivals.maximumAtOnce)"),
    ("body that is read at once", size(Call.maximumShortBody)),
    ("body of a reply that is copied behind its head", size(OutputBuffer.minimumLongBody)),
    ("header fields that a scenario's rules look into", "\(Scenario.maximumHeaders)"),
    ("text in which a rule looks for what stands between two `*`", size(TextGlob.maximumSearched)),
    ("segments that `**` stands for before something else", "\(PathGlob.maximumSkipped)"),
    ("`Prefer` field", size(Preferred.maximumLength)),
    ("sandboxes", "\(Sandboxes.capacity)"), ("snapshots of a sandbox", "\(Sandbox.snapshotCapacity)"),
    ("entries of a journal", "\(Journal.maximumEntries)"), ("texts of a journal", size(Journal.maximumBytes)),
    ("body of a request in a journal", size(Journal.maximumBodyBytes)),
    ("all journals of a server", size(JournalBudget.maximumBytes)),
    ("idempotency keys of a sandbox", "\(Idempotency.capacity)"),
    ("replies kept under them", size(Idempotency.maximumBytes)),
    ("streams that a scenario counts", "\(ScenarioState.maximumStreams)"),
    ("rules about streams that are remembered", "\(ScenarioState.maximumPlaces)"),
    (
      "paths that were taken apart, of a server",
      "\(RouteCache.most) of at most \(RouteCache.maximumPathBytes) bytes"
    ),
    ("history for the audit, of a sandbox", size(History.maximumBytes)),
  ]

  @Test("has the same limits as the code")
  func rows() throws {
    let page = try String(contentsOf: Documentation.page("Limits"), encoding: .utf8)
    for (name, value) in Self.rows { #expect(page.contains("| \(name) | \(value) |"), "\(name): \(value)") }
    let written = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| what |") }
    #expect(written.count == Self.rows.count, "a row of the page is not held to the code")
  }
}
