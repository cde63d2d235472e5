import Foundation
import JSON
import LiveTesting
import Testing
// Imported as by an app, without internal declarations.
import Understudy
import UnderstudyClient
import UnderstudyInMemory

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The loading of a session's tasks from a server in memory")
struct SessionLoadingTests {
  /// The status of the response, or the code of the error.
  private func outcome(_ session: URLSession, _ request: URLRequest) async -> Int? {
    do {
      return try await text(session, request).status
    } catch {
      return (error as? URLError)?.code.rawValue
    }
  }

  private static func scenario(_ effect: String) -> String {
    #"{"name":"x","rules":[{"match":{"api":"devices"},"effect":\#(effect)}]}"#
  }

  @Test("survives tasks that are cancelled at once, and many at the same time", .timeLimit(.minutes(10)))
  func manyTasks() async throws {
    let session = try session("original")
    var request = try request("GET", "https://comgy.io/devices")
    // Every task's sleep advances the clock, so minutes may pass while a busy machine lets one task wait.
    request.timeoutInterval = 86_400
    for number in 0..<1_000 {
      let task = session.dataTask(with: request) { _, _, _ in }
      task.resume()
      for _ in 0..<number % 7 { await Task.yield() }
      task.cancel()
    }
    let outcomes = await withTaskGroup(of: Int?.self) { [request] group in
      for _ in 0..<200 { group.addTask { await outcome(session, request) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count == 200)
    #expect(outcomes.allSatisfy { $0 == 200 || $0 == 500 }, "\(outcomes)")
  }

  @Test("writes the fields of the connection by itself, whatever the app has set, and keeps a given host")
  func connectionFields() async throws {
    let session = try session()
    var change = try request("POST", "http://192.0.2.1/activities/7834", #"{"is_archived":true}"#)
    change.setValue("20", forHTTPHeaderField: "Content-Length")
    change.setValue("keep-alive", forHTTPHeaderField: "Connection")
    change.setValue("chunked", forHTTPHeaderField: "Transfer-Encoding")
    change.setValue("aircall-job.herokuapp.com", forHTTPHeaderField: "Host")
    #expect(try await text(session, change).status == 200)
    let journal = try await text(session, request("GET", "http://localhost/_mock/journal?limit=10")).body
    #expect(journal.contains(#""Host":"aircall-job.herokuapp.com""#))
    #expect(try await text(session, request("GET", "http://[::1]:8080/devices")).status == 200)
  }

  @Test("a session has no cache in which another test could find a response")
  func cache() throws {
    #expect(try URLSessionConfiguration.understudy().urlCache == nil)
  }

  @Test(
    "a request's own timeout counts, also a longer one than the session's and none at all", .timeLimit(.minutes(10)))
  func timeouts() async throws {
    let configuration = try URLSessionConfiguration.understudy(
      scenario: Self.scenario(#"{"latency":"30s"}"#), clock: ClientClock(VirtualClock()))
    configuration.timeoutIntervalForRequest = 5
    let session = URLSession(configuration: configuration)
    var request = try request("GET", "https://comgy.io/devices")
    #expect(await outcome(session, request) == URLError.timedOut.rawValue)
    for seconds in [45, .infinity, .greatestFiniteMagnitude] {
      request.timeoutInterval = seconds
      #expect(await outcome(session, request) == 200, "\(seconds)")
    }
  }

  @Test("ends with status 401, whose challenge no session answers", .timeLimit(.minutes(10)))
  func unauthorized() async throws {
    let session = try session(Self.scenario(#"{"status":401}"#))
    #expect(try await text(session, request("GET", "https://comgy.io/devices")).status == 401)
  }

  @Test("a stalled stream of events times out", .timeLimit(.minutes(10)))
  func stalledStream() async throws {
    let rule = #"{"match":{"path":"/rooms/stream"},"effect":{"fault":"stall","events":1}}"#
    let session = try session(#"{"name":"x","rules":[\#(rule)]}"#)
    var stream = try request("GET", "https://wetransfer.github.io/rooms/stream")
    stream.timeoutInterval = 5
    #expect(await outcome(session, stream) == URLError.timedOut.rawValue)
  }

  @Test(
    "a stream of events that is cut fails like one with a connection", .live, .timeLimit(.minutes(10)),
    arguments: ["truncate", "reset"])
  func cutStream(fault: String) async throws {
    let rule = #"{"match":{"path":"/rooms/stream"},"effect":{"fault":"\#(fault)","events":1}}"#
    let scenario = #"{"name":"x","rules":[\#(rule)]}"#
    let session = try session(scenario)
    let code = await outcome(session, try request("GET", "https://wetransfer.github.io/rooms/stream"))
    let sandbox = try await LiveSandbox()
    try await sandbox.control("PUT", "scenario", JSONValue(parsing: Array(scenario.utf8)))
    let live = URLSession(configuration: .ephemeral)
    let real = await outcome(live, URLRequest(url: sandbox.url.appendingPathComponent("rooms/stream")))
    #expect(code == real && (code ?? 0) < 0, "\(String(describing: code)), and not \(String(describing: real))")
    try await sandbox.delete()
  }

  @Test("a stream of the client library that is cut fails, and does not end as if it were complete")
  func cutStreamOfTheLibrary() async throws {
    let rule = #"{"match":{"path":"/rooms/stream"},"effect":{"fault":"truncate","events":1}}"#
    let transport = try InMemoryTransport(scenario: #"{"name":"x","rules":[\#(rule)]}"#)
    let stream = try await transport.open(
      TransportRequest(method: "GET", url: try url("https://wetransfer.github.io/rooms/stream")), timeout: .seconds(5))
    await #expect(throws: TransportFailure.self) { for try await _ in stream.body {} }
  }

  @Test("is the transport of the client library, with its streams", .timeLimit(.minutes(10)))
  func transport() async throws {
    let configuration = try URLSessionConfiguration.understudy()
    let transport = URLSessionTransport(configuration: configuration)
    let stream = try await transport.open(
      TransportRequest(method: "GET", url: try url("https://wetransfer.github.io/rooms/stream")), timeout: .seconds(5))
    #expect(stream.status == 200)
    #expect(try await stream.body.contains { String(decoding: $0, as: UTF8.self).contains("Ljerka") })
  }
}
