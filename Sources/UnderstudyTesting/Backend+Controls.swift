public import Faults
public import Foundation
import JSON

extension Backend {
  /// Sets the scenario, and the seed if one is given. Counters, windows and schedules restart.
  public func setScenario(_ scenario: Scenario, seed: UInt64? = nil) async throws(BackendError) {
    try await client.send(.put, "/_mock/scenario", try scenario.json())
    guard let seed else { return }
    guard let value = Int(exactly: seed) else { throw .unusable("The seed \(seed) is too large.") }
    try await client.send(.patch, "/_mock/scenario", ["seed": .int(value)])
  }

  /// Returns the scenario's name and the seed.
  public func scenario() async throws(BackendError) -> (name: String, seed: UInt64) {
    let scenario = try JSONValue(response: try await client.send(.get, "/_mock/scenario"))
    return (scenario["name"]?.string ?? "", UInt64(max(0, scenario["seed"]?.int ?? 0)))
  }
}

extension Backend {
  /// The sandbox's clock, which the data and the schedules of scenarios follow.
  public var clock: Clock { Clock(client: client) }

  public struct Clock: Sendable {
    fileprivate let client: ControlClient

    public func now() async throws(BackendError) -> Date {
      guard let text = try JSONValue(response: try await client.send(.get, "/_mock/clock"))["now"]?.string,
        let date = Date(timestamp: text)
      else { throw .unusable("The server's clock has no valid time.") }
      return date
    }

    /// Stops the clock.
    public func freeze() async throws(BackendError) { try await set("frozen", true) }

    /// Resumes the clock at the time at which it stopped.
    public func resume() async throws(BackendError) { try await set("frozen", false) }

    /// Advances the clock, whether it is running or stopped.
    public func advance(by duration: Duration) async throws(BackendError) {
      try await set("advance", .duration(duration))
    }

    private func set(_ name: String, _ value: JSONValue) async throws(BackendError) {
      try await client.send(.patch, "/_mock/clock", .object(JSONValue.Object([JSONValue.Member(name, value)])))
    }
  }
}

extension Backend {
  /// A switch for the network between clients and this sandbox. It does not affect the scenario: requests that it drops
  /// are not counted.
  public var network: Network { Network(client: client) }

  public struct Network: Sendable {
    fileprivate let client: ControlClient

    /// The client's view of an outage.
    public enum Outage: String, Sendable, Hashable {
      /// Connections are reset.
      case reset
      /// Connections are refused: only for a sandbox with a port of its own.
      case refused
      /// Connections stay open, and nothing is sent.
      case silence
    }

    /// Starts an outage, for a time or until ``goOnline()``.
    public func goOffline(as outage: Outage = .reset, for time: Duration? = nil) async throws(BackendError) {
      try await set("offline", as: outage, for: time)
    }

    /// Ends an outage, and sends the responses that were held.
    public func goOnline() async throws(BackendError) { try await set("online") }

    /// Applies requests but holds their responses, for a time or until ``goOnline()``, so that a test can examine a
    /// loading screen.
    public func hold(for time: Duration? = nil) async throws(BackendError) { try await set("held", for: time) }

    private func set(_ state: String, as outage: Outage? = nil, for time: Duration? = nil) async throws(BackendError) {
      var change = JSONValue.Object([JSONValue.Member("state", .string(state))])
      change["as"] = outage.map { .string($0.rawValue) }
      change["for"] = time.map(JSONValue.duration)
      try await client.send(.patch, "/_mock/network", .object(change))
    }
  }
}

extension Backend {
  /// Saves the data as a snapshot, which is kept until the sandbox is deleted.
  ///
  /// - Parameter name: A DNS label of at most 63 characters.
  public func takeSnapshot(_ name: String) async throws(BackendError) {
    try await client.send(.put, "/_mock/snapshots/" + name)
  }

  /// Restores the data of a snapshot. Counters and journal do not change.
  public func restoreSnapshot(_ name: String) async throws(BackendError) {
    try await client.send(.post, "/_mock/snapshots/\(name)/restore")
  }
}

extension Backend {
  /// Gives the next requests with this method and path a fault, beside the scenario, which goes on as it is.
  ///
  /// ```swift
  /// try await backend.failNext(.post, "/book", .reset, phase: .after)
  /// ```
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: A glob, as in ``next(_:_:until:within:)``.
  ///   - effect: The fault or delay.
  ///   - phase: The side of the state change on which the fault occurs.
  ///   - count: The number of requests that it affects, from 1 to 1000.
  public func failNext(
    _ method: Method, _ path: String, _ effect: Rule.Effect, phase: Rule.Phase = .before, count: Int = 1
  ) async throws(BackendError) {
    try await armFault(Rule(effect, for: .request(method, path), phase: phase), count: count)
  }

  /// Gives each request with this method and path a fault, until ``removeFaults()``.
  ///
  /// The parameters are those of ``failNext(_:_:_:phase:count:)``.
  public func failEach(
    _ method: Method, _ path: String, _ effect: Rule.Effect, phase: Rule.Phase = .before
  ) async throws(BackendError) {
    try await armFault(Rule(effect, for: .request(method, path), phase: phase), count: nil)
  }

  /// Removes the faults of ``failNext(_:_:_:phase:count:)`` and ``failEach(_:_:_:phase:)`` that are still armed.
  public func removeFaults() async throws(BackendError) { try await client.send(.delete, "/_mock/faults") }

  private func armFault(_ rule: Rule, count: Int?) async throws(BackendError) {
    var order = rule.json.object ?? JSONValue.Object()
    order["count"] = count.map(JSONValue.int)
    try await client.send(.post, "/_mock/faults", .object(order))
  }
}
