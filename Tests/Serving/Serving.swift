import LiveTesting
package import Understudy

/// Runs a test with its own server, which is stopped in any case, on threads that may block.
package func withServer(
  _ change: (inout MockServer.Options) -> Void = { _ in }, _ body: (MockServer) async throws -> Void
) async throws {
  var options = MockServer.Options()
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
