import Foundation
public import Understudy
public import UnderstudyClient

extension BackendClient {
  /// Creates a client of a server in memory without faults, for a preview: `RoomScreen(client: .inMemory())`.
  public static func inMemory() -> BackendClient {
    do {
      return try inMemory(scenario: "calm")
    } catch {
      preconditionFailure("the embedded data is invalid: \(error)")
    }
  }

  /// Creates a client of a server in memory with the faults of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: The name of a built-in scenario, the path of a JSON file, or a scenario as JSON.
  ///   - seed: The seed of every decision.
  ///   - clock: The time of the client and of the server.
  /// - Throws: `StartError`, if there is no such scenario or it is invalid.
  public static func inMemory(
    scenario: String, seed: UInt64 = 1, clock: ClientClock = .system
  ) throws(StartError) -> BackendClient {
    guard let base = URL(string: "http://localhost") else { preconditionFailure("the base is a URL") }
    var configuration = Configuration(
      Endpoints(base), transport: try InMemoryTransport(scenario: scenario, seed: seed, clock: clock))
    configuration.clock = clock
    return BackendClient(configuration)
  }
}
