import LiveTesting
import Primitives
package import Understudy

/// Runs a test with its own server, on threads that may block, and stops the server even if the test throws.
package func withServer(
  _ change: (inout MockServer.Options) -> Void = { _ in }, _ body: (MockServer) async throws -> Void
) async throws {
  var options = MockServer.Options.patient
  change(&options)
  let settled = options
  try await BlockingTests.run {
    let server = try await MockServer.start(settled)
    do {
      try await body(server)
      await server.stop()
    } catch {
      await server.stop()
      throw error
    }
  }
}

extension MockServer.Options {
  /// The standard options, with timeouts that no passing test reaches.
  package static var patient: Self {
    var options = Self()
    options.timeouts = .patient
    return options
  }
}

extension Timeouts {
  /// Timeouts that no passing test reaches: a test that is slow on a busy machine must not count as a client that stalls.
  package static var patient: Self {
    let patience = NanosecondDuration.seconds(Int64(Patience.seconds) * 10)
    var timeouts = Timeouts()
    (timeouts.idle, timeouts.head, timeouts.body) = (patience, patience, patience)
    (timeouts.writing, timeouts.linger, timeouts.drain) = (patience, patience, .seconds(1))
    return timeouts
  }
}
