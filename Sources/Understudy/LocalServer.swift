package import Contract
import Faults
import HTTP1
import JSON
import Primitives

/// A server without sockets and threads, for clients in the same process.
///
/// It responds like the server behind a port, including faults. Only one thread at a time may call it.
package final class LocalServer {
  fileprivate let application: Application

  /// Creates a server with the embedded data.
  ///
  /// - Parameters:
  ///   - scenario: The name of a built-in scenario, the path of a file, or a scenario as JSON.
  ///   - seed: The seed of every decision.
  ///   - elapsed: Returns the time since a fixed point in the past.
  ///   - instant: Returns the date.
  package init(
    scenario: String, seed: UInt64, elapsed: @escaping @Sendable () -> Duration,
    instant: @escaping @Sendable () -> Instant
  ) throws(StartError) {
    guard seed <= MockServer.maximumSeed else {
      throw .badOptions("seed \(seed): at most \(MockServer.maximumSeed)")
    }
    application = Application(
      seeds: try DataDirectory.load(nil).seeds,
      standard: Sandbox.Configuration(scenario: try Scenarios.load(nameOrText: scenario), seed: seed),
      clocks: Clocks(
        tick: { MonotonicInstant(nanoseconds: elapsed().nanoseconds) }, instant: instant))
  }

  /// Begins an exchange on a new connection.
  ///
  /// - Parameter request: The bytes of one HTTP/1.1 request. It does not ask to close the connection, so that the response of
  ///   a stream is chunked, and has an end, which a fault can leave out.
  package func begin(_ request: [UInt8]) -> LocalConnection {
    // Schedules and rivals take effect before the request, as between two turns of the loop.
    runMaintenance()
    let connection = LocalConnection(
      Connection(peer: "127.0.0.1", port: Labels(), application: application, timeouts: Timeouts(), at: application.now)
    )
    connection.receive(request)
    application.endTurn()
    return connection
  }

  /// Lets schedules, rivals and times to live take effect.
  package func runMaintenance() {
    while !application.state.runMaintenance(at: application.tick) {}
  }
}

/// A connection to a `LocalServer` for one exchange.
package final class LocalConnection {
  private var connection: Connection
  /// The bytes of the response that the owner has not taken yet.
  package private(set) var received: [UInt8] = []
  /// The way in which the connection ended; nil while it is open.
  package private(set) var end: End?

  package enum End: Sendable {
    case closed
    case reset
  }

  fileprivate init(_ connection: consuming Connection) { self.connection = connection }

  private var now: ClockReading { connection.application.now }

  /// The time until `resume()` is due; nil if the server sends nothing more until the client disconnects.
  package var wait: Duration? { connection.wakeUp.map { max(.zero, $0 - connection.application.tick) } }

  fileprivate func receive(_ bytes: [UInt8]) {
    connection.receive(bytes[...], at: now)
    collect()
  }

  /// Continues the response, if `wait` has passed.
  package func resume() {
    if let wakeUp = connection.wakeUp, wakeUp <= connection.application.tick { connection.resume(at: now) }
    collect()
  }

  /// True while the response is an event stream, which `follow()` continues.
  package var isStreaming: Bool { connection.isStreaming }

  /// Continues a stream with the events since the last call.
  package func follow() {
    var budget = JournalFollower.Budget()
    connection.follow(within: &budget, at: now)
    collect()
  }

  /// Returns the bytes of the response since the last call.
  package func takeReceived() -> [UInt8] {
    defer { received = [] }
    return received
  }

  /// Disconnects the client.
  package func leave() {
    connection.disconnect(at: now)
    if end == nil { end = .closed }
  }

  /// Collects the output that may be sent, and performs the connection's pending action.
  private func collect() {
    while end == nil {
      while connection.http.output.pending > 0 {
        let (bytes, range) = connection.http.output.next(atMost: 1 << 20)
        received += bytes[range]
        connection.didSend(range.count, at: now)
      }
      switch connection.http.pendingAction {
      case .resume: return
      case .close: end = .closed
      case .reset:
        connection.disconnect(at: now)
        end = .reset
      case .shutDown:
        connection.didShutDown(at: now)
        connection.finish(at: now)
      }
    }
  }
}

extension Scenarios {
  /// Returns the built-in scenario with a name, the scenario of a file, or the scenario that the text contains as JSON.
  fileprivate static func load(nameOrText text: String) throws(StartError) -> Scenario {
    guard text.drop(while: \.isWhitespace).first == "{" else { return try load(text) }
    do {
      return try read(JSONValue(parsing: Array(text.utf8)))
    } catch let error as JSONSyntaxError {
      throw .badScenario("scenario: at byte \(error.offset): \(error.detail)")
    } catch let violation as ValidationError {
      throw .badScenario("scenario: \(violation.pointer): \(violation.detail)")
    } catch {
      throw .badScenario("\(error)")
    }
  }
}
