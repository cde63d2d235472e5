import Foundation
import HTTP1
import LiveTesting
import Testing

@testable import UnderstudyTesting

@Suite("A server that gives no response", .live)
struct UnreachableTests {
  /// Returns the error of a request to a port of this machine.
  private func error(at port: Int) async throws -> String {
    let client = ControlClient(base: try BaseURL("http://127.0.0.1:\(port)"), token: nil)
    let error = await #expect(throws: BackendError.self) { try await client.send(.get, "/_mock/health") }
    return try #require(error).description.replacing(":\(port)", with: ":port")
  }

  /// Handles connections after the first bytes of a request.
  private func listener(_ answer: @escaping @Sendable (Link) -> Void) throws -> BoundListener {
    let listener = try BoundListener()
    listener.serve { link in
      link.receive()
      answer(link)
    }
    return listener
  }

  @Test(
    "is reported with the defect of its bytes",
    arguments: [
      ("", "The connection ended without a response."),
      ("hello\r\n\r\n", "The response does not begin with a status line of HTTP/1.0 or HTTP/1.1."),
      (
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", "The connection ended before the response was complete."
      ),
    ])
  func malformed(answer: String, defect: String) async throws {
    let stranger = try listener { $0.send(Array(answer.utf8)) }
    defer { stranger.shut() }
    #expect(try await error(at: stranger.port) == "The server at 127.0.0.1:port gave no complete response: \(defect)")
  }

  @Test("is reported as a broken connection if it resets it")
  func broken() async throws {
    let stranger = try listener { $0.resetAtEnd() }
    defer { stranger.shut() }
    #expect(try await error(at: stranger.port) == "The connection broke: Connection reset by peer.")
  }

  @Test("is reported with its address if it refuses the connection")
  func refused() async throws {
    let closed = try BoundListener(isOpen: false)
    #expect(try await error(at: closed.port) == "No server answers at 127.0.0.1:port: Connection refused.")
    withExtendedLifetime(closed) {}
  }

  @Test("is reported with its name if the name has no address")
  func unknown() async throws {
    let client = ControlClient(base: try BaseURL("http://no.such.host.invalid"), token: nil)
    let error = await #expect(throws: BackendError.self) { try await client.send(.get, "/_mock/health") }
    #expect(try #require(error).description == "No address is known for no.such.host.invalid.")
  }

  @Test("lets a cancelled task end at once")
  func cancelled() async throws {
    let hasArrived = Observed(false)
    let stranger = try listener { link in
      hasArrived.withLock { $0 = true }
      // Until the client leaves.
      while link.receive() {}
    }
    defer { stranger.shut() }
    let base = try BaseURL("http://127.0.0.1:\(stranger.port)")
    let request = Task { try await ControlClient(base: base, token: nil).send(.get, "/_mock/health") }
    #expect(await hasArrived.becomes { $0 })
    request.cancel()
    let error = await #expect(throws: BackendError.self) { try await request.value }
    #expect(try #require(error).description == "The task was cancelled.")
  }
}
