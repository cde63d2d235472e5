import Contract
import Faults
import JSON
import Platform
import Primitives
import Services

/// A sandbox as it is read from its directory.
struct StoredSandbox {
  let sandbox: Sandbox
  /// The server's settings at the last start, in the directory of the default sandbox.
  let settings: SandboxImage.ServerSettings?

  /// Reads a directory; returns nil if it has no state, as after a crash during a creation or a deletion.
  ///
  /// - Parameters:
  ///   - real: The machine's time, at which schedules restart.
  init?(_ name: String, on disk: any Disk, at real: Instant, tick: MonotonicInstant) throws(StartError) {
    guard let state = try StoredFile(name, SandboxImage.stateFile, on: disk) else { return nil }
    guard let start = try StoredFile(name, SandboxImage.startFile, on: disk) else {
      throw .badState("\(disk.path)/\(name)/\(SandboxImage.startFile): the file is missing")
    }
    let startedAt = try start.instant("at")
    let startStore = try start.reading { () throws(ValidationError) in
      try Store(start: start.json["data"], at: startedAt)
    }
    let armed = try state.scenario(in: state.json)
    var configuration = Sandbox.Configuration(scenario: armed.scenario, seed: armed.seed)
    configuration.identity = Sandbox.Identity(
      name: name, api: try state.api(), port: try state.integer("port", in: 1...65_535),
      timeToLive: try state.integer("ttl", in: 1...Int.max).map { .nanoseconds($0) }, patch: state.json["patch"])
    sandbox = Sandbox(configuration, store: startStore, at: startedAt, tick: tick)
    sandbox.state.store = try state.reading { () throws(ValidationError) in
      try Store(state.json["data"], start: startStore)
    }
    sandbox.state.clock = try state.clock()
    for (key, record) in try state.keys() { sandbox.state.idempotency.store(record, for: key) }
    for file in try disk.fileNames(in: name) where file.hasPrefix(SandboxImage.file(ofSnapshot: "")) {
      let snapshot = String(file.dropFirst(SandboxImage.file(ofSnapshot: "").count))
      // A crash may have left a file that was not renamed yet.
      guard Schema.Format.isLabel(snapshot), let content = try StoredFile(name, file, on: disk) else { continue }
      let store = try content.reading { () throws(ValidationError) in
        try Store(content.json["data"], start: startStore)
      }
      sandbox.state.snapshots[snapshot] = SandboxState.Snapshot(
        name: snapshot, store: store, at: try content.instant("at"))
    }
    settings = try state.json["server"].map { json throws(StartError) in
      let (scenario, seed) = try state.scenario(in: json)
      guard let number = json["lastNumber"]?.int, Sandboxes.numbers.contains(number) else {
        throw state.error("expected the number of a name as lastNumber")
      }
      return SandboxImage.ServerSettings(scenario: scenario, seed: seed, lastNumber: number)
    }
    // A schedule restarts only now, when the clock has its value.
    sandbox.arm(armed.scenario, seed: armed.seed, at: real)
  }
}

extension StoredSandbox {
  /// Returns true if a directory without a state has files of an image, and no others: a crash during a creation or a
  /// deletion left them.
  static func isRemainder(_ name: String, on disk: any Disk) throws(StartError) -> Bool {
    let files = try disk.fileNames(in: name)
    guard !files.isEmpty, files.allSatisfy(SandboxImage.isOfImage) else { return false }
    // Only a draft can be incomplete.
    return files.allSatisfy { SandboxImage.isDraft($0) || (try? StoredFile(name, $0, on: disk)) != nil }
  }
}

extension Disk {
  /// Returns the names of a directory, in their order.
  func fileNames(in directory: String?) throws(StartError) -> [String] {
    do throws(SystemError) { return try names(in: directory).sorted() } catch {
      throw .cannotKeep("stateDirectory \(error)")
    }
  }
}

/// A file of a sandbox's directory.
private struct StoredFile {
  let json: JSONValue
  private let path: String

  /// Reads a file; returns nil if it does not exist.
  init?(_ directory: String, _ name: String, on disk: any Disk) throws(StartError) {
    path = "\(disk.path)/\(directory)/\(name)"
    let bytes: [UInt8]?
    do throws(SystemError) { bytes = try disk.read("\(directory)/\(name)") } catch {
      throw .cannotKeep("stateDirectory \(error)")
    }
    guard let bytes else { return nil }
    do throws(JSONSyntaxError) { json = try JSONValue(parsing: bytes) } catch {
      throw .badState("\(path): expected JSON, \(error.detail)")
    }
    guard let version = json["version"]?.int else { throw error("expected an image of a sandbox") }
    guard version == SandboxImage.version else {
      throw error(
        "expected version \(SandboxImage.version), found \(version): use an understudy of that version")
    }
  }

  func error(_ detail: String) -> StartError { .badState("\(path): \(detail)") }

  /// Names the file in the errors of `read`.
  func reading<Value>(_ read: () throws(ValidationError) -> Value) throws(StartError) -> Value {
    do throws(ValidationError) { return try read() } catch {
      throw self.error("at /data\(error.pointer): \(error.detail)")
    }
  }

  func instant(_ name: String) throws(StartError) -> Instant {
    guard let value = json[name]?.int else { throw error("expected an integer as \(name)") }
    return Instant(nanoseconds: Int64(value))
  }

  /// Returns an integer that may be absent.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(StartError) -> Int? {
    guard let json = json[name] else { return nil }
    guard let value = json.int, range.contains(value) else {
      throw error("expected an integer from \(range.lowerBound) to \(range.upperBound) as \(name), found \(json.text)")
    }
    return value
  }

  func scenario(in json: JSONValue) throws(StartError) -> (scenario: Scenario, seed: UInt64) {
    guard let document = json["scenario"], let seed = json["seed"]?.int, seed >= 0 else {
      throw error("expected a scenario and its seed")
    }
    do throws(ValidationError) {
      // It was checked when it was armed, against the operations of that version.
      return (try Scenario(json: document), UInt64(seed))
    } catch {
      throw self.error("in the scenario, at \(error.pointer): \(error.detail)")
    }
  }

  func api() throws(StartError) -> Int? {
    guard let name = json["api"] else { return nil }
    guard let index = API.all.firstIndex(where: { .string($0.name) == name }) else {
      throw error("expected the name of an API as api, found \(name.text)")
    }
    return index
  }

  func clock() throws(StartError) -> SandboxClock {
    let parts = json["clock"]?.array?.compactMap(\.int) ?? []
    guard (2...3).contains(parts.count), parts.count == json["clock"]?.array?.count else {
      throw error("expected two or three readings as clock")
    }
    return SandboxClock(
      advance: .nanoseconds(parts[0]), advanced: .nanoseconds(parts[1]),
      frozenAt: parts.count == 3 ? Instant(nanoseconds: Int64(parts[2])) : nil)
  }

  /// Returns the responses under idempotency keys, the oldest first.
  func keys() throws(StartError) -> [(Idempotency.Key, Idempotency.Record)] {
    guard let array = json["keys"]?.array else { throw error("expected an array as keys") }
    var keys: [(Idempotency.Key, Idempotency.Record)] = []
    for (index, json) in array.enumerated() {
      guard let key = json["key"].flatMap(Idempotency.Key.init(json:)),
        let record = json["answered"].flatMap(Idempotency.Record.init(json:))
      else { throw error("at /keys/\(index): expected an idempotency key and its response") }
      keys.append((key, record))
    }
    return keys
  }
}
