import Contract
import Faults
import JSON
import Primitives
import Services
import StateLog

/// The state that is reconstructed from a log, record by record.
struct Recovery {
  private(set) var seeds: [Int: SeedData] = [:]
  private(set) var commandLine: (scenario: Scenario, seed: UInt64)?
  private(set) var sandboxes: [String: Sandbox] = [:]
  /// The highest number in a name that may have been generated.
  private(set) var lastNumber = 0
  private let real: Instant
  private let tick: MonotonicInstant

  /// Replays a log.
  ///
  /// - Parameters:
  ///   - path: The file's path, for messages.
  ///   - real: The machine's time, at which schedules restart.
  init(_ content: LogFormat.Content, path: String, at real: Instant, tick: MonotonicInstant) throws(StartError) {
    self.real = real
    self.tick = tick
    for (payload, offset) in zip(content.payloads, content.offsets) {
      do throws(LogRecord.LogError) {
        for record in try LogRecord.records(in: payload) { try apply(record) }
        guard sandboxes[Sandboxes.defaultName] != nil, commandLine != nil, !seeds.isEmpty else {
          throw LogRecord.LogError(expectation: "an image that contains the default sandbox")
        }
      } catch {
        throw .badState("\(path): in the frame at byte \(offset): expected \(error.expectation)")
      }
    }
    // Schedules restart only now, when each sandbox's clock has its final value.
    for sandbox in sandboxes.values {
      sandbox.arm(sandbox.state.scenarioState.scenario, seed: sandbox.state.scenarioState.seed, at: real)
    }
  }

  /// The newest initial data.
  var latest: SeedData? { seeds.max { $0.key < $1.key }?.value }

  private mutating func apply(_ record: LogRecord) throws(LogRecord.LogError) {
    switch record {
    case .seeds(let number, let documents):
      do throws(ValidationError) {
        seeds[number] = try SeedData.persisted(documents, number: number)
      } catch {
        throw LogRecord.LogError(expectation: "data, at \(error.pointer) \(error.detail)")
      }
    case .commandLine(let scenario, let seed): commandLine = (scenario, seed)
    case .made(let origin):
      sandboxes[origin.configuration.identity.name] = try sandbox(origin)
      lastNumber = max(lastNumber, Sandboxes.number(in: origin.configuration.identity.name) ?? 0)
    case .deleted(let name): sandboxes[name] = nil
    case .numbered(let number): lastNumber = max(lastNumber, number)
    case .reseeded(let number, let at):
      let data = try data(number)
      let store = Store(data, at: at)
      for sandbox in sandboxes.values { sandbox.reseed(data, from: store, at: at) }
    case .changed(let name, let change):
      guard let sandbox = sandboxes[name] else {
        throw LogRecord.LogError(expectation: "the name of an existing sandbox, found \(JSONValue.string(name).text)")
      }
      try sandbox.redo(change, at: real)
    }
  }

  private func data(_ number: Int) throws(LogRecord.LogError) -> SeedData {
    guard let data = seeds[number] else {
      throw LogRecord.LogError(expectation: "the number of existing data, found \(number)")
    }
    return data
  }

  private func sandbox(_ origin: LogRecord.Origin) throws(LogRecord.LogError) -> Sandbox {
    let data = try data(origin.seeds)
    do throws(Problem) {
      let merged = try data.merging(origin.configuration.identity.patch ?? [:])
      return Sandbox(origin.configuration, seeds: merged, at: origin.at, tick: tick)
    } catch {
      throw LogRecord.LogError(expectation: "a sandbox whose data fits, \(error.detail)")
    }
  }
}
