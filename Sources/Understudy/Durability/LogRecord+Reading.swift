import Contract
import Faults
import JSON
import Services

extension LogRecord {
  /// The error of a line that is not a record: the expectation.
  struct LogError: Error {
    let expectation: String
  }

  /// Returns the records of a frame.
  static func records(in payload: ArraySlice<UInt8>) throws(LogError) -> [LogRecord] {
    var records: [LogRecord] = []
    for line in payload.split(separator: UInt8(ascii: "\n")) {
      let json: JSONValue
      do throws(JSONSyntaxError) {
        json = try JSONValue(parsing: line)
      } catch {
        throw LogError(expectation: "a record as JSON, \(error.detail)")
      }
      records.append(try LogRecord(json))
    }
    return records
  }

  init(_ json: JSONValue) throws(LogError) {
    guard let kind = json.object?.members.first?.name else { throw LogError(expectation: "a record") }
    let reader = RecordReader(json)
    switch kind {
    case "seeds": self = .seeds(try reader.int("seeds"), try reader.documents("documents"))
    case "commandLine":
      let (scenario, seed) = try reader.scenarioState("commandLine")
      self = .commandLine(scenario, seed: seed)
    case "made": self = .made(try reader.origin())
    case "deleted": self = .deleted(try reader.string("deleted"))
    case "reseeded": self = .reseeded(try reader.int("reseeded"), at: try reader.instant("at"))
    case "numbered":
      let number = try reader.int("numbered")
      guard Sandboxes.numbers.contains(number) else {
        throw LogError(expectation: "a number of a name, found \(number)")
      }
      self = .numbered(number)
    case "in": self = .changed(try reader.string("in"), try reader.change())
    default: throw LogError(expectation: "a record of a known kind, found \(JSONValue.string(kind).text)")
    }
  }
}

/// Reads a record's members from its JSON.
private struct RecordReader {
  private let json: JSONValue

  init(_ json: JSONValue) { self.json = json }

  private func mismatch(_ name: String, _ expectation: String) -> LogRecord.LogError {
    LogRecord.LogError(expectation: "\(expectation) as \(JSONValue.string(name).text)")
  }

  func int(_ name: String) throws(LogRecord.LogError) -> Int {
    guard let value = json[name]?.int else { throw mismatch(name, "an integer") }
    return value
  }

  func string(_ name: String) throws(LogRecord.LogError) -> String {
    guard let value = json[name]?.string else { throw mismatch(name, "a string") }
    return value
  }

  func instant(_ name: String) throws(LogRecord.LogError) -> Instant { Instant(nanoseconds: Int64(try int(name))) }

  func scenarioState(_ name: String) throws(LogRecord.LogError) -> (Scenario, seed: UInt64) {
    guard let scenarioState = json[name], let document = scenarioState["scenario"],
      let seed = scenarioState["seed"]?.int, seed >= 0
    else {
      throw mismatch(name, "a scenario and its seed")
    }
    do throws(ValidationError) {
      // It was checked when it was armed, against the operations of that version.
      return (try Scenario(json: document), UInt64(seed))
    } catch {
      throw mismatch(name, "a scenario, at \(error.pointer) \(error.detail)")
    }
  }

  func origin() throws(LogRecord.LogError) -> LogRecord.Origin {
    let (scenario, seed) = try scenarioState("armed")
    let identity = Sandbox.Identity(
      name: try string("made"), api: try json["api"]?.string.map { name throws(LogRecord.LogError) in try api(name) },
      port: json["port"]?.int, timeToLive: json["ttl"]?.int.map { .nanoseconds($0) }, patch: json["data"])
    let configuration = Sandbox.Configuration(identity: identity, scenario: scenario, seed: seed)
    return LogRecord.Origin(configuration: configuration, seeds: try int("seeds"), at: try instant("at"))
  }

  private func api(_ name: String) throws(LogRecord.LogError) -> Int {
    guard let index = API.all.firstIndex(where: { $0.name == name }) else {
      throw LogRecord.LogError(expectation: "an API, found \(JSONValue.string(name).text)")
    }
    return index
  }

  /// Returns the record's change, without the sandbox's name.
  func change() throws(LogRecord.LogError) -> LogRecord.Change {
    guard let member = json.object?.members.dropFirst().first else { throw LogRecord.LogError(expectation: "a change") }
    switch member.name {
    case "key":
      guard let key = Idempotency.Key(json: member.value),
        let record = json["answered"].flatMap(Idempotency.Record.init(json:))
      else { throw mismatch("key", "an idempotency key and its response") }
      return .key(key, record)
    case "merged": return .merged(member.value, at: try instant("at"))
    case "snapshot":
      let name = try string("snapshot")
      guard json["store"] != nil else { return .snapshot(name, at: try instant("at")) }
      return .storedSnapshot(name, at: try instant("at"), try documents("store"))
    case "restored": return .restored(try string("restored"))
    case "reset": return .reset(at: try instant("reset"))
    case "clock": return .clock(try clock(member.value))
    case "armed":
      let (scenario, seed) = try scenarioState("armed")
      return .armed(scenario, seed: seed)
    case "store": return .store(try documents("store"))
    default:
      guard let delta = Delta(json: member.value) else { throw mismatch(member.name, "a change of state") }
      return .state(api: try api(member.name), delta)
    }
  }

  func documents(_ name: String) throws(LogRecord.LogError) -> [Int: JSONValue] {
    guard let members = json[name]?.object?.members else { throw mismatch(name, "the states of APIs") }
    var documents: [Int: JSONValue] = [:]
    for member in members { documents[try api(member.name)] = member.value }
    return documents
  }

  private func clock(_ json: JSONValue) throws(LogRecord.LogError) -> SandboxClock {
    let parts = json.array?.compactMap(\.int) ?? []
    guard (2...3).contains(parts.count), parts.count == json.array?.count else {
      throw mismatch("clock", "two or three readings")
    }
    return SandboxClock(
      advance: .nanoseconds(parts[0]), advanced: .nanoseconds(parts[1]),
      frozenAt: parts.count == 3 ? Instant(nanoseconds: Int64(parts[2])) : nil)
  }
}
