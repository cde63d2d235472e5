import Foundation
import JSON
import LiveTesting
import Understudy

@testable import UnderstudyClient
@testable import UnderstudyTesting

/// A test's own sandbox on the server that all live tests share.
struct LiveSandbox: Sendable {
  private static let server = Task { try await MockServer.start(.patient) }

  let backend: Backend

  var url: URL { backend.url }

  init(_ scenario: String = "calm", seed: Int = 1, devices: [String] = []) async throws {
    let list = devices.map { id -> JSONValue in
      ["id": .string(id), "type": "heating", "meterPointDescription": "Hall", "installationDate": nil]
    }
    let data: JSONValue = ["devices": .array(list)]
    backend = try await Backend.start(
      .named(scenario), seed: UInt64(seed), data: devices.isEmpty ? nil : Data(data.bytes()),
      on: .running(try await Self.server.value))
  }

  /// Sends a request to the control API of this sandbox.
  @discardableResult
  func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
    let content = try await backend.client.send(.init(rawValue: method), "/_mock/" + path, body)
    return content.isEmpty ? nil : try JSONValue(parsing: content)
  }

  /// Deletes the sandbox.
  func delete() async throws { try await backend.delete() }

  /// Advances the sandbox's clock, and with it everything that is scheduled.
  func advance(by duration: Duration) async {
    let milliseconds = Int64(duration.inSeconds * 1_000) + 1
    _ = try? await control("PATCH", "clock", ["advance": .string("\(milliseconds)ms")])
  }

  /// Returns a client of this sandbox with short timeouts, whose sleeps advance the sandbox's clock instead of waiting.
  func client(timeout: Duration = .milliseconds(700), attempts: Int = 6) -> BackendClient {
    var configuration = BackendClient.Configuration(Endpoints(url))
    configuration.policy.timeoutPerTry = timeout
    configuration.policy.maximumAttempts = attempts
    configuration.policy.baseDelay = .milliseconds(20)
    configuration.policy.deadline = .seconds(30)
    configuration.budget = RetryBudget(capacity: 1_000, perSecond: 1_000)
    // Only sleeps take time: on a busy machine a call would otherwise reach its deadline before its last attempt.
    let slept = TestClock()
    configuration.clock.elapsed = { slept.clock.elapsed() }
    configuration.clock.sleep = { duration in
      try Task.checkCancellation()
      await advance(by: duration)
      slept.advance(by: duration)
    }
    return BackendClient(configuration)
  }

  /// Returns the received requests that may have changed the state.
  func writes() async throws -> [Backend.Entry] { try await backend.entries().filter(\.isWrite) }

  /// Waits until the server has carried out, or dropped, every write that reached it.
  func waitForLateWrites() async throws {
    let entries = try await backend.entries()
    let late = Set(entries.filter(\.isUnderWay).map(\.id))
    guard let last = entries.map(\.sequence).max(), !late.isEmpty else { return }
    try await withinPatience { [backend, late] in
      var late = late
      for try await entry in backend.stream(after: last) where !entry.isUnderWay {
        late.remove(entry.id)
        if late.isEmpty { return }
      }
      throw StillUnderWay(ids: late)
    }
  }

  /// Entries of writes that the server neither carried out nor dropped.
  struct StillUnderWay: Error {
    let ids: Set<Int>
  }
}

extension Backend.Entry {
  /// True if the request may have changed the state. Fixtures are switched by GET.
  fileprivate var isWrite: Bool {
    method != nil && (method != .get || path.hasSuffix("/on") || path.hasSuffix("/off"))
  }

  /// True if a write has yet to be applied; false if only its response is delayed.
  fileprivate var isUnderWay: Bool {
    let fault = (try? JSONValue(parsing: Array(json)))?["plan"]?["fault"]?.string
    return isWrite && outcome == .pending && !isApplied && fault != "hang" && fault != "stall"
  }
}
