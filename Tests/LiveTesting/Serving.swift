import HTTP1
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
    options.timeouts.drain = .seconds(1)
    return options
  }
}
