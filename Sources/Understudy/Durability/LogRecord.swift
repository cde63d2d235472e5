import Contract
import Faults
import JSON
import Primitives
import Services

/// One change, as a line of JSON in the state log. An image is a series of them that begins with the empty state.
enum LogRecord: Sendable {
  /// The initial data of sandboxes, with its number.
  case seeds(Int, [Int: JSONValue])
  /// The command line's settings of the default sandbox.
  case commandLine(Scenario, seed: UInt64)
  /// A sandbox was made; it replaces an older one of the same name.
  case made(Origin)
  case deleted(String)
  /// All sandboxes were reset to other initial data.
  case reseeded(Int, at: Instant)
  /// In an image: the highest number in a generated name, which may be that of a deleted sandbox.
  case numbered(Int)
  /// A change in the sandbox of this name.
  case changed(String, Change)

  /// The properties with which a sandbox was made, or its later initial data.
  struct Origin: Sendable {
    let configuration: Sandbox.Configuration
    /// The number of its initial data.
    let seeds: Int
    let at: Instant
  }

  enum Change: Sendable {
    case state(api: Int, Delta)
    case key(Idempotency.Key, Idempotency.Record)
    case merged(JSONValue, at: Instant)
    /// A snapshot was taken.
    case snapshot(String, at: Instant)
    case restored(String)
    case reset(at: Instant)
    case clock(SandboxClock)
    case armed(Scenario, seed: UInt64)
    /// In an image: the complete state of the APIs that differ from their initial state.
    case store([Int: JSONValue])
    /// In an image: a snapshot with its content.
    case storedSnapshot(String, at: Instant, [Int: JSONValue])
  }
}

extension LogRecord {
  var json: JSONValue {
    switch self {
    case .seeds(let number, let documents): ["seeds": .int(number), "documents": Self.json(documents)]
    case .commandLine(let scenario, let seed): ["commandLine": Self.json(scenario, seed)]
    case .made(let origin): origin.json
    case .deleted(let name): ["deleted": .string(name)]
    case .reseeded(let number, let at): ["reseeded": .int(number), "at": Self.json(at)]
    case .numbered(let number): ["numbered": .int(number)]
    case .changed(let name, let change):
      .object(JSONValue.Object([JSONValue.Member("in", .string(name))] + change.members))
    }
  }

  /// Returns the records of one frame, one per line.
  static func payload(_ records: some Sequence<LogRecord>) -> [UInt8] {
    var bytes: [UInt8] = []
    for record in records {
      record.json.write(to: &bytes)
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  /// Returns the states of APIs as an object, by the APIs' names.
  fileprivate static func json(_ documents: [Int: JSONValue]) -> JSONValue {
    .object(
      JSONValue.Object(documents.sorted { $0.key < $1.key }.map { JSONValue.Member(API.all[$0.key].name, $0.value) }))
  }

  fileprivate static func json(_ instant: Instant) -> JSONValue { .int(Int(instant.nanoseconds)) }

  fileprivate static func json(_ scenario: Scenario, _ seed: UInt64) -> JSONValue {
    ["scenario": scenario.json, "seed": .int(Int(seed))]
  }
}

extension LogRecord.Origin {
  fileprivate var json: JSONValue {
    var object = JSONValue.Object([
      JSONValue.Member("made", .string(configuration.identity.name)), JSONValue.Member("seeds", .int(seeds)),
      JSONValue.Member("at", LogRecord.json(at)),
      JSONValue.Member("armed", LogRecord.json(configuration.scenario, configuration.seed)),
    ])
    object["api"] = configuration.identity.api.map { .string(API.all[$0].name) }
    object["port"] = configuration.identity.port.map { .int($0) }
    object["ttl"] = configuration.identity.timeToLive.map { .int(Int($0.nanoseconds)) }
    object["data"] = configuration.identity.patch
    return .object(object)
  }
}

extension LogRecord.Change {
  fileprivate var members: [JSONValue.Member] {
    switch self {
    case .state(let api, let delta): [JSONValue.Member(API.all[api].name, delta.json)]
    case .key(let key, let record): [JSONValue.Member("key", key.json), JSONValue.Member("answered", record.json)]
    case .merged(let patch, let at): [JSONValue.Member("merged", patch), JSONValue.Member("at", LogRecord.json(at))]
    case .snapshot(let name, let at):
      [JSONValue.Member("snapshot", .string(name)), JSONValue.Member("at", LogRecord.json(at))]
    case .restored(let name): [JSONValue.Member("restored", .string(name))]
    case .reset(let at): [JSONValue.Member("reset", LogRecord.json(at))]
    case .clock(let clock): [JSONValue.Member("clock", clock.json)]
    case .armed(let scenario, let seed): [JSONValue.Member("armed", LogRecord.json(scenario, seed))]
    case .store(let documents): [JSONValue.Member("store", LogRecord.json(documents))]
    case .storedSnapshot(let name, let at, let documents):
      [
        JSONValue.Member("snapshot", .string(name)), JSONValue.Member("at", LogRecord.json(at)),
        JSONValue.Member("store", LogRecord.json(documents)),
      ]
    }
  }
}

extension SandboxClock {
  fileprivate var json: JSONValue {
    .array(
      [.int(Int(advance.nanoseconds)), .int(Int(advanced.nanoseconds))]
        + (frozenAt.map { [.int(Int($0.nanoseconds))] } ?? []))
  }
}
