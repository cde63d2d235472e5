import HTTP1
import Primitives
package import Understudy

/// Runs a test with its own server, on threads that may block, and stops the server even if the test throws.
package func withServer<Result>(
  using poller: PollerKind = .preferred, _ change: (inout MockServer.Options) -> Void = { _ in },
  _ body: (MockServer) async throws -> Result
) async throws -> Result {
  var options = MockServer.Options.patient
  options.poller = poller
  change(&options)
  let settled = options
  return try await BlockingTests.run {
    // A program that is being started holds copies of locks, such as that of the state.
    if settled.stateDirectory != nil { ChildProcess.waitForStarts() }
    let server = try await MockServer.start(settled)
    do {
      let result = try await body(server)
      await server.stop()
      return result
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
