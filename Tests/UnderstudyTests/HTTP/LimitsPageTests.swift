import Contract
import Foundation
import HTTP1
import JSON
import LiveTesting
import Services
import Testing

@testable import Faults
@testable import Primitives
@testable import Report
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
    ("fields with lists, such as `Accept`, `If-None-Match`, `Prefer` and `Forwarded`, in total", size(limits.lists)),
    ("body, decoded", size(limits.body)),
    ("content for an upstream that is awaited before its request begins", size(Application.awaitedContent)),
    ("answer of an upstream that is held for a fault", size(MockServer.Options().maximumBody)),
    ("line of a chunk", size(limits.chunkLine)),
    ("framing of all chunks, beyond 16 bytes and twice the data of each", size(limits.chunkOverhead)),
    ("all trailer fields", size(limits.trailers)), ("number of trailer fields", "\(limits.trailerFields)"),
    ("nesting of JSON", "\(JSONValue.deepestNesting) levels"),
    ("the next request of an idle connection", seconds(timeouts.idle)),
    ("a complete head, from its first byte", seconds(timeouts.head)),
    ("the next piece of a body", seconds(timeouts.body)),
    ("until the peer accepts the next byte of a response", seconds(timeouts.writing)),
    ("until the peer closes after the last response", seconds(timeouts.linger)),
    ("pending responses when the server stops", seconds(timeouts.drain)),
    ("unread responses of a connection", size(ServerConnection.highWater) + " and one response"),
    ("unread responses of all connections", size(ConnectionSet.standardMaximumUnsentBytes)),
    (
      "unread responses of all connections, before long responses wait",
      size(ConnectionSet.standardMaximumUnsentBytes / EventLoop.workLimitDivisor)
    ),
    ("long responses that are made at the same time", "\(EventLoop.maximumConcurrentJobs)"),
    ("requests that are arriving or waiting on all connections", size(ConnectionSet.standardMaximumRequestBytes)),
    ("lines of the request log that wait for their reader", size(RequestLog.Queue.maximumBytes)),
    (
      "query of users that is evaluated at once", "\(Query.maximumPairs) parameters and \(size(Query.maximumBytes))"
    ),
    ("descriptors that are kept for connections", "\(Listeners.reservedDescriptors), or a quarter of all"),
    ("errors that a problem lists", "\(Violations.maximumListed)"),
    ("requests behind the current one", size(ServerConnection.readAhead) + " and one read of 64 KiB"),
    ("requests that are started", "\(TurnBudget.maximumRequests)"),
    ("requests of one connection that are started", "\(TurnBudget.maximumRequestsOfConnection)"),
    ("bytes that are sent", size(TurnBudget.maximumBytes)), ("bytes that are read", size(TurnBudget.maximumBytes)),
    ("time after which nothing more is started", "\(TurnBudget.maximumTime.nanoseconds / 1_000_000) ms"),
    ("expired sandboxes that are deleted", "\(ServerState.maximumRemovals)"),
    ("actions of rivals in all sandboxes", "\(ServerState.maximumRivals), and those of one more sandbox"),
    ("actions of rivals in a sandbox", "\(Rivals.maximumAtOnce)"),
    ("body that is parsed at once", size(Call.maximumShortBody)),
    ("body of a response that is copied behind its head", size(OutputBuffer.minimumLongBody)),
    ("header fields that a scenario's rules match", "\(Scenario.maximumHeaders)"),
    ("text in which a rule searches the part between two `*`", size(Glob.maximumSearched)),
    ("segments that `**` matches before another segment", "\(PathGlob.maximumSkipped)"),
    ("`Prefer` field", size(PreferenceField.maximumLength)),
    ("rooms of the booking API", "\(API.maximumBookingRooms)"),
    ("sandboxes", "\(Sandboxes.capacity)"), ("snapshots of a sandbox", "\(SandboxState.snapshotCapacity)"),
    ("entries of a journal", "\(Journal.maximumEntries)"), ("bytes of a journal", size(Journal.maximumBytes)),
    ("body of a request in a journal", size(Journal.maximumBodyBytes)),
    ("body of a response in a journal", size(Journal.maximumBodyBytes)),
    ("all journals of a server", size(Sandboxes.maximumJournalBytes)),
    ("idempotency keys of a sandbox", "\(Idempotency.capacity)"),
    ("responses stored under them", size(Idempotency.maximumBytes)),
    ("streams that a scenario counts", "\(ScenarioState.maximumStreams)"),
    ("matches of rules and streams that are cached", "\(ScenarioState.maximumRuleIndices)"),
    (
      "parsed paths that a server caches",
      "\(RouteCache.capacity) of at most \(RouteCache.maximumPathBytes) bytes"
    ),
  ]

  @Test("has the same limits as the code")
  func rows() throws {
    let page = try String(contentsOf: Repository.page("Limits"), encoding: .utf8)
    for (name, value) in Self.rows { #expect(page.contains("| \(name) | \(value) |"), "\(name): \(value)") }
    let written = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| what |") }
    #expect(written.count == Self.rows.count, "a row of the page is not held to the code")
  }
}
