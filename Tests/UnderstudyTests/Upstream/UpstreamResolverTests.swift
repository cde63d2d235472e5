import Foundation
import HTTP1
import LiveTesting
import Platform
import Testing

@testable import Primitives
@testable import Understudy

@Suite("The name of a backend", .live)
struct UpstreamResolverTests {
  /// Names whose addresses a test sets, and searches for them that it lets end.
  private final class NameServer: Sendable {
    private let state = Observed((port: Int?.none, searchCount: 0))
    private let mayEnd = DispatchSemaphore(value: 0)

    /// The first search, at the start of the server, ends at once.
    func addresses() -> [SocketAddress] {
      let isFirst = state.withLock { state in
        state.searchCount += 1
        return state.searchCount == 1
      }
      if !isFirst { mayEnd.wait() }
      return state.withLock { $0.port }.map { SocketAddress.resolve("127.0.0.1", port: $0) } ?? []
    }

    var searchCount: Int { state.withLock { $0.searchCount } }

    func endSearch(withPort port: Int?) {
      state.withLock { $0.port = port }
      mayEnd.signal()
    }
  }

  private let names = NameServer()

  private func loop(startThread: @escaping UpstreamResolver.ThreadStart = LoopThread.start) throws -> VirtualLoop {
    let configuration = Upstream.Configuration(address: try BaseURL("http://shop:3000"))
    let resolver = UpstreamResolver({ [names] in names.addresses() }, startThread: startThread)
    return try VirtualLoop(upstream: (configuration, resolver))
  }

  /// Runs turns of the loop, in which no virtual time passes; returns false if the condition is not met in time.
  private func turn(_ virtual: VirtualLoop, until isSo: () -> Bool) -> Bool {
    let end = ContinuousClock.now + Patience.limit
    while !isSo() {
      guard ContinuousClock.now < end else { return false }
      virtual.turn()
    }
    return true
  }

  @Test("is looked up for the first request, which waits for it and then gets its answer, and so do those behind it")
  func waits() throws {
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", "{}"))
    let virtual = try loop()
    let clients = try virtual.clients(3, sending: wire("GET", "/orders"))
    #expect(turn(virtual) { names.searchCount == 2 && virtual.loop.channels.timerCount == 3 })
    names.endSearch(withPort: backend.port)
    for client in clients {
      #expect(turn(virtual) { !client.available().isEmpty })
      #expect(try client.response().status == 200)
    }
    #expect(names.searchCount == 2)
    #expect(backend.requests.withLock { $0.count } == 3)
  }

  @Test("without an address gets the client 502 with that reason, and is looked up again for the next request")
  func nameless() throws {
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", "{}"))
    let virtual = try loop()
    let client = try WireConnection(virtual.port)
    for port in [nil, backend.port] {
      try client.send(wire("GET", "/orders"))
      names.endSearch(withPort: port)
      #expect(turn(virtual) { !client.available().isEmpty })
      let answer = try client.response()
      #expect(answer.status == (port == nil ? 502 : 200))
      #expect(answer.text.contains("does not resolve to an address") == (port == nil))
    }
    #expect(backend.requests.withLock { $0.count } == 1)
  }

  @Test("that no thread can look up gets the client 502 with the system's error")
  func noThread() throws {
    let virtual = try loop { _ throws(SystemError) in throw SystemError("pthread_create", code: EAGAIN) }
    let answer = try virtual.ask(wire("GET", "/orders"))
    #expect(answer.status == 502 && answer.text.contains("upstream-unreachable"))
    let reason = "cannot resolve its name: pthread_create: \(SystemError.reason(of: EAGAIN))"
    #expect(answer.text.contains(reason), "\(answer.text)")
    #expect(names.searchCount == 1, "only that at the start")
  }

  @Test("that is not resolved within the time of --upstream-timeout gets the client 502 with that reason")
  func late() throws {
    let virtual = try loop()
    let start = virtual.now
    let answer = try virtual.ask(wire("GET", "/orders"))
    #expect(answer.status == 502 && answer.text.contains("its name was not resolved in time"))
    #expect(virtual.now - start >= .seconds(30) && virtual.now - start < .seconds(31))
    names.endSearch(withPort: nil)
  }
}
