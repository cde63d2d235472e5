import Foundation
import LiveTesting
import Testing

@testable import UnderstudyClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("URLSession as a transport", .live)
struct URLSessionTransportTests {
  /// Responds to each connection by a function of its request's first line.
  private static func serve(_ listener: BoundListener, _ answer: @escaping @Sendable (String, Link) -> Void) {
    listener.serve { link in
      link.receive()
      answer(String(decoding: link.received, as: UTF8.self).components(separatedBy: "\r\n")[0], link)
    }
  }

  private func send(_ method: String, to url: URL, timeout: Duration = Patience.limit) async -> ScriptedTransport.Answer
  {
    let body = method == "GET" ? nil : Data("{\"name\":\"Ljerka\"}".utf8)
    do throws(TransportFailure) {
      return .success(
        try await URLSessionTransport().send(TransportRequest(method: method, url: url, body: body), timeout: timeout))
    } catch {
      return .failure(error)
    }
  }

  @Test("keeps no response and no cookie")
  func keepsNothing() {
    let configuration = URLSessionTransport().session.configuration
    #expect(configuration.urlCache == nil)
    #expect(configuration.httpCookieStorage == nil)
  }

  @Test("ends an attempt at its timeout even if bytes keep arriving")
  func drip() async throws {
    let listener = try BoundListener()
    defer { listener.shut() }
    Self.serve(listener) { _, link in
      link.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n".utf8))
      // Sends bytes until the client closes, because its timeout may be late on a busy machine.
      while link.send([0x61]) { usleep(20_000) }
    }
    let answer = await send("GET", to: try url("http://127.0.0.1:\(listener.port)/drip"), timeout: .milliseconds(200))
    #expect(answer == .failure(.lost(.timedOut)))
  }

  @Test("lets a stream go on after the timeout for its head")
  func streamAfterTimeout() async throws {
    let listener = try BoundListener()
    defer { listener.shut() }
    let hasPassed = DispatchSemaphore(value: 0)
    Self.serve(listener) { _, link in
      link.send(Array("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 2\r\n\r\na".utf8))
      hasPassed.wait()
      link.send(Array("b".utf8))
    }
    let (start, timeout) = (ContinuousClock.now, Duration.seconds(2))
    let request = TransportRequest(method: "GET", url: try url("http://127.0.0.1:\(listener.port)/stream"))
    let stream = try await URLSessionTransport().open(request, timeout: timeout)
    // The timer of the head began with the request.
    try await ContinuousClock().sleep(until: start + timeout + .milliseconds(500))
    hasPassed.signal()
    var body = Data()
    for try await piece in stream.body { body += piece }
    #expect(String(decoding: body, as: UTF8.self) == "ab")
  }

  @Test("stops waiting for a stream's head when its task is cancelled")
  func cancelledBeforeHead() async throws {
    let listener = try BoundListener()
    defer { listener.shut() }
    let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
    Self.serve(listener) { _, link in
      continuation.finish()
      while link.receive() {}
    }
    let request = TransportRequest(method: "GET", url: try url("http://127.0.0.1:\(listener.port)/stream"))
    let opening = Task { () -> TransportFailure? in
      do throws(TransportFailure) {
        _ = try await URLSessionTransport().open(request, timeout: Patience.limit)
        return nil
      } catch {
        return error
      }
    }
    for await _ in requests {}
    opening.cancel()
    #expect(await opening.value == .lost(.cancelled))
  }

  @Test(
    "refuses a redirected write, because another resource may answer it",
    arguments: [301, 302, 303, 307, 308])
  func redirectedWrite(status: Int) async throws {
    let listener = try BoundListener()
    defer { listener.shut() }
    Self.serve(listener) { line, link in
      let isRedirected = line.contains("/book ")
      link.send(
        Array(
          (isRedirected
            ? "HTTP/1.1 \(status) Elsewhere\r\nLocation: /elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            : "HTTP/1.1 200 OK\r\nContent-Length: 16\r\nConnection: close\r\n\r\n{\"success\":true}").utf8))
    }
    for method in ["POST", "PATCH", "DELETE"] {
      let answer = await send(method, to: try url("http://127.0.0.1:\(listener.port)/book"))
      if case .success(let response) = answer { #expect(response.status == status, "\(method): \(response)") }
    }
    let read = await send("GET", to: try url("http://127.0.0.1:\(listener.port)/book"))
    guard case .success(let response) = read else { Issue.record("\(read)"); return }
    #expect(response.status == 200, "a read may follow")
  }

  @Test("refuses a write that is redirected to the same path of another origin")
  func redirectedToOtherOrigin() async throws {
    let (first, second) = (try BoundListener(), try BoundListener())
    defer {
      first.shut()
      second.shut()
    }
    let other = second.port
    Self.serve(first) { _, link in
      link.send(
        Array(
          "HTTP/1.1 307 Elsewhere\r\nLocation: http://127.0.0.1:\(other)/book\r\nContent-Length: 0\r\n\r\n".utf8))
    }
    Self.serve(second) { _, link in
      link.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 16\r\nConnection: close\r\n\r\n{\"success\":true}".utf8))
    }
    let answer = await send("POST", to: try url("http://127.0.0.1:\(first.port)/book"))
    if case .success(let response) = answer { #expect(response.status == 307, "\(response)") }
  }

  @Test("reports a redirected booking as of unknown outcome")
  func redirectedBooking() async throws {
    let client = try BackendClient.scripted(ScriptedTransport(.response(303, "", ["Location": "/elsewhere"])))
    await #expect {
      try await client.booking.book("Ljerka", key: "k")
    } throws: { error in
      guard case RequestError.unknown(.unreadable) = error else { return false }
      return true
    }
  }

  @Test("reports a body shorter than its Content-Length as lost")
  func cut() async throws {
    let listener = try BoundListener()
    defer { listener.shut() }
    Self.serve(listener) { _, link in link.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 600\r\n\r\n[]".utf8)) }
    let answer = await send("GET", to: try url("http://127.0.0.1:\(listener.port)/cut"))
    guard case .failure(.lost(.connectionLost)) = answer else { Issue.record("\(answer)"); return }
  }
}
