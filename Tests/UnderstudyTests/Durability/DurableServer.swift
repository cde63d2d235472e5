import Contract
import HTTP1
import JSON
import Platform
import Services

@testable import Primitives
@testable import Understudy

/// A server without sockets that stores its state on the test's disk. The requests of one call are one turn of the
/// loop.
final class DurableServer {
  let application: Application
  private let clock: Locked<Int64>
  /// The notices to the server's operator.
  let notices: Notices

  final class Notices {
    var all: [String] = []
  }

  /// Starts a server.
  ///
  /// - Parameter now: The time of the machine's clock in seconds.
  init(
    on disk: any Disk, scenario: String = "calm", data: DataDirectory? = nil, now: Int64 = 1_700_000_000,
    log: RequestLog = RequestLog(.off)
  ) throws {
    let clock = Locked<Int64>(now)
    self.clock = clock
    var configuration = Sandbox.Configuration()
    configuration.scenario = try Scenarios.load(scenario)
    application = Application(
      seeds: try data?.seeds ?? Self.seeds.get(), standard: configuration,
      clocks: Clocks(
        tick: { MonotonicInstant(nanoseconds: clock.withLock { $0 } * 1_000_000_000) },
        instant: { Instant(seconds: clock.withLock { $0 }) }), requestLog: log, watched: data)
    let notices = Notices()
    self.notices = notices
    application.state.notify = { notices.all.append($0) }
    try application.state.openState(on: disk)
  }

  private static let seeds: Result<SeedData, any Error> = Result { try .embedded() }

  func pass(seconds: Int64) { clock.withLock { $0 += seconds } }

  /// Sends each request on its own connection, all in one turn, and ends the turn.
  func turn(_ requests: [String]) -> [WireResponse] {
    let connections = begin(requests)
    commit(connections)
    if connections.contains(where: \.awaitsCommit) {
      // An image is in doubt.
      application.state.directory?.tryRepair()
      commit(connections)
    }
    return responses(connections)
  }

  /// Stores all changes, and lets connections continue that wait for it.
  func commit(_ connections: [HeldConnection] = []) {
    while application.state.isUncommitted {
      let refused = application.state.commit()
      for connection in connections { connection.resolve(afterRefusing: refused) }
    }
  }

  /// Sends each request on its own connection, and commits nothing.
  func begin(_ requests: [String]) -> [HeldConnection] { requests.map(connect) }

  /// Sends a request on a connection of its own.
  func connect(_ request: String) -> HeldConnection {
    let connection = HeldConnection(peer: "peer", port: Labels(), application: application, timeouts: Timeouts())
    connection.receive(Array(request.utf8)[...])
    return connection
  }

  /// The response on each connection, if there was one.
  func responses(_ connections: [HeldConnection]) -> [WireResponse] {
    connections.map { connection in
      let sent = (connection.output.bytes + connection.output.body)[..<connection.output.released]
      let text = String(decoding: sent, as: UTF8.self)
      let end = text.range(of: "\r\n\r\n")
      var response = WireResponse(head: end.map { String(text[..<$0.upperBound]) } ?? text)
      if let end { response.body = Array(text[end.upperBound...].utf8) }
      return response
    }
  }

  @discardableResult
  func ask(_ request: String) -> WireResponse { turn([request])[0] }

  /// Runs the loop's maintenance.
  func runMaintenance(_ connections: [HeldConnection] = []) {
    pass(seconds: 1)
    application.state.runMaintenance(at: application.tick)
    commit(connections)
  }

  /// The complete state, as the texts of the files that store it.
  var image: [String] {
    application.state.sandboxes.all.flatMap { sandbox in
      SandboxImage(of: sandbox, since: nil, nil).files
        .map { "\(sandbox.name)/\($0.name): " + String(decoding: $0.bytes(), as: UTF8.self) }
    }
  }
}

extension Sandbox {
  /// Makes a sandbox with the initial data.
  convenience init(
    _ configuration: Configuration, seeds: SeedData, store: Store? = nil, at now: Instant, tick: MonotonicInstant
  ) {
    self.init(configuration, store: store ?? Store(seeds, at: now), at: now, tick: tick)
  }
}

extension String {
  /// The position of a text, without Foundation.
  fileprivate func range(of text: String) -> Range<String.Index>? { firstRange(of: text) }
}

/// A write that sets a device's date to a day of July 2023.
func dated(_ day: Int) -> String {
  wire("PATCH", "/devices/WWM-0001-12", body: "{\"installationDate\":\"2023-07-0\(day)T08:00:00Z\"}")
}
