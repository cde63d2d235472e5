public import Understudy
public import UnderstudyClient

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension URLSessionConfiguration {
  /// Returns the configuration of sessions whose requests a server in memory answers: no request leaves the process,
  /// whatever its host.
  ///
  /// The server is the same as behind a port, with the same data, faults and control API, whose paths begin with
  /// `/_mock`. A request selects its API by the host of the real service or by its path. Each configuration has a server
  /// of its own, with the initial data, which lives as long as the process.
  ///
  /// - Parameters:
  ///   - scenario: The faults: the name of a built-in scenario, the path of a JSON file, or a scenario as JSON.
  ///   - seed: The seed of every decision, at most 2^53 - 1.
  ///   - clock: The server's time, by which delays, paces and timeouts pass.
  /// - Throws: `StartError`, if there is no such scenario or it is invalid.
  public static func understudy(
    scenario: String = "calm", seed: UInt64 = 1, clock: ClientClock = .system
  ) throws(StartError) -> URLSessionConfiguration {
    understudy(try InMemoryTransport(scenario: scenario, seed: seed, clock: clock))
  }

  /// Returns the configuration of sessions whose requests this server answers, so that a test can also switch its
  /// network off, or change its faults.
  public static func understudy(_ server: InMemoryTransport) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [ServerTable.shared.add(server)]
    configuration.urlCache = nil
    return configuration
  }
}
