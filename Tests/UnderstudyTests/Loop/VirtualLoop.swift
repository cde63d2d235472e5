import Contract
import HTTP1
import JSON
import LiveTesting
import Platform
import Report
import Services

@testable import Primitives
@testable import Understudy

/// The event loop on the test's own thread, with real sockets and a virtual clock: time passes only when the loop would
/// have waited for it.
final class VirtualLoop {
  var loop: EventLoop
  let application: Application
  let port: Int
  private let clock: Locked<Int64>
  /// The nanoseconds that pass with each reading of the clock.
  private let step = Locked<Int64>(0)
  private let poller: VirtualPoller

  /// Starts a loop.
  ///
  /// - Parameters:
  ///   - disk: The disk for the state, if it is stored.
  ///   - upstream: The backend, if there is one.
  init(
    _ rules: String..., timeouts: Timeouts = Timeouts(), disk: (any Disk)? = nil,
    upstream: (configuration: Upstream.Configuration, resolver: UpstreamResolver)? = nil
  ) throws {
    let clock = Locked<Int64>(1_000_000_000_000)
    self.clock = clock
    let start = Instant(seconds: 1_700_000_000)
    let clocks = Clocks(
      tick: { [step] in
        let passed = step.withLock { $0 }
        return MonotonicInstant(
          nanoseconds: clock.withLock { time in
            time += passed
            return time
          })
      },
      instant: { start + .nanoseconds(clock.withLock { $0 } - 1_000_000_000_000) })
    application = Application(
      seeds: try Self.seeds.get(), clocks: clocks,
      upstream: upstream.map {
        Upstream($0.configuration, asking: UpstreamConnections($0.configuration, $0.resolver, clock: clocks.tick))
      })
    if let disk { try application.state.openState(on: disk) }
    poller = VirtualPoller()
    loop = EventLoop(
      poller: poller, jobs: try JobQueue(), application: application, host: "127.0.0.1", timeouts: timeouts)
    port = try loop.services.open(0, for: Labels(), keepsReserve: false)
    application.port = port
    if !rules.isEmpty { try arm(rules) }
  }

  private static let seeds: Result<SeedData, any Error> = Result { try .embedded() }

  var now: MonotonicInstant { MonotonicInstant(nanoseconds: clock.withLock { $0 }) }

  /// Lets time pass while the loop sleeps.
  func pass(_ duration: Duration) { clock.withLock { $0 += duration.nanoseconds } }

  /// Lets time pass with each reading of the clock.
  func passWithEachReading(_ duration: Duration) { step.withLock { $0 = duration.nanoseconds } }

  private func arm(_ rules: [String]) throws {
    let text = "{\"name\":\"test\",\"rules\":[\(rules.joined(separator: ","))]}"
    let response = try ask(wire("PUT", "/_mock/scenario", body: text))
    guard response.status == 200 else { throw WireConnection.Failure(description: response.text) }
  }

  /// Runs turns of the loop until a condition is met; returns false if it is not met within a span of virtual time.
  func turn(within limit: Duration = .seconds(3_600), until isSo: @escaping () -> Bool) -> Bool {
    let end = now + limit
    while !isSo() {
      guard now <= end else { return false }
      let idleTime = turn()
      // Work on another thread takes no virtual time, however late a busy machine gives that thread its turn.
      guard let idleTime, loop.work.runningCount == 0, !isSo() else { continue }
      clock.withLock { $0 += idleTime.nanoseconds }
    }
    return true
  }

  /// Runs one turn of the loop, in which no time passes. Returns the time that it would have waited; nil if an event came.
  @discardableResult
  func turn() -> NanosecondDuration? {
    loop.turn()
    return poller.takeIdleTime()
  }

  /// Returns clients each of which has sent the same text.
  func clients(_ count: Int, sending text: String) throws -> [WireConnection] {
    try (0..<count).map { _ in
      let client = try WireConnection(port)
      try client.send(text)
      return client
    }
  }

  /// Sends a request on its own connection, and runs turns of the loop until its response.
  func ask(_ request: String) throws -> WireResponse {
    let client = try WireConnection(port)
    try client.send(request)
    return try response(to: client)
  }

  /// Waits without a turn until a condition is met by bytes that the kernel is handing over; returns false if it is never
  /// met.
  func arrives(_ isSo: () -> Bool) -> Bool {
    let end = ContinuousClock.now + Patience.limit
    while !isSo() {
      guard ContinuousClock.now < end else { return false }
    }
    return true
  }

  func response(to client: WireConnection) throws -> WireResponse {
    guard turn(until: { Self.isWhole(client.available()) }) else {
      throw WireConnection.Failure(description: "no response")
    }
    return try client.response()
  }

  private static func isWhole(_ bytes: [UInt8]) -> Bool {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return false }
    return bytes.count - end >= WireResponse(head: String(decoding: bytes[..<end], as: UTF8.self)).bodyLength
  }

  var connections: [ConnectionSet.Member] { loop.connections.all }

  /// The journal of the default sandbox.
  var journal: Journal { application.state.sandboxes[nil]?.traffic.journal ?? Journal() }
  var lastEntry: Entry? { journal.entry(journal.lastID) }
}

/// Reports ready descriptors at once. If there are none, records the time that the loop would wait.
private final class VirtualPoller: Poller {
  private let poller = PollPoller()
  private var idleTime: NanosecondDuration?
  /// The kernel hands bytes from one end of a connection to the other a little later.
  private static let handOver = NanosecondDuration.milliseconds(5)

  /// Returns the time that the loop would have waited in its last turn; nil if it would not, or did not come to wait.
  func takeIdleTime() -> NanosecondDuration? {
    defer { idleTime = nil }
    return idleTime
  }

  func add(_ descriptor: Int32, token: UInt64, _ interest: Interest) {
    poller.add(descriptor, token: token, interest)
  }

  func change(_ descriptor: Int32, token: UInt64, to interest: Interest) {
    poller.change(descriptor, token: token, to: interest)
  }

  func remove(_ descriptor: Int32) { poller.remove(descriptor) }

  func wait(atMost timeout: NanosecondDuration?, into ready: inout [Readiness]) {
    poller.wait(atMost: min(timeout ?? Self.handOver, Self.handOver), into: &ready)
    idleTime = ready.isEmpty ? timeout : nil
  }
}
