import Contract
import Faults
import JSON
import Primitives
import Services

/// The complete state of a sandbox as the files of its directory. It is made on the loop, in constant time, and any
/// thread can make the files' bytes.
struct SandboxImage: Sendable {
  static let version = 2
  /// The file that makes a directory that of a sandbox.
  static let stateFile = "state"
  /// The data to which a reset returns.
  static let startFile = "start"
  static func file(ofSnapshot name: String) -> String { "snapshot-" + name }
  /// The name under which a file is written, before it replaces the old one.
  static func draft(of file: String) -> String { file + draftSuffix }
  private static let draftSuffix = ".new"

  static func isDraft(_ file: String) -> Bool { file.hasSuffix(draftSuffix) }

  /// Returns true if a file has the name of one of an image, or of its draft. Others are not removed: people may have
  /// named a directory of other things as the state directory.
  static func isOfImage(_ file: String) -> Bool {
    let name = isDraft(file) ? String(file.dropLast(draftSuffix.count)) : file
    let prefix = self.file(ofSnapshot: "")
    return name == stateFile || name == startFile
      || name.hasPrefix(prefix) && Schema.Format.isLabel(String(name.dropFirst(prefix.count)))
  }

  let name: String
  /// Returns the content of each file to write, `state` last.
  let files: [(name: String, bytes: @Sendable () -> [UInt8])]
  /// True if the directory may have other content than the stored state, so that its other files are removed.
  let isWhole: Bool

  /// The settings of the server that the image of the default sandbox has.
  struct ServerSettings: Sendable {
    /// The command line's settings of the default sandbox.
    let scenario: Scenario
    let seed: UInt64
    /// The highest number in a generated name, which may be that of a deleted sandbox.
    let lastNumber: Int
  }

  /// - Parameters:
  ///   - stored: The state in the directory; nil if it is not known.
  ///   - settings: The server's settings, for the default sandbox.
  init(of sandbox: Sandbox, since stored: SandboxState?, _ settings: ServerSettings?) {
    let (identity, state) = (sandbox.identity, sandbox.state)
    let (store, startedAt) = (state.store, state.startedAt)
    var files: [(name: String, bytes: @Sendable () -> [UInt8])] = []
    if stored?.startNumber != state.startNumber {
      files.append((Self.startFile, { Self.data(store.startJSON, at: startedAt) }))
    }
    for snapshot in state.snapshots.values.sorted(by: { $0.name < $1.name })
    where stored?.snapshots[snapshot.name] !== snapshot {
      files.append((Self.file(ofSnapshot: snapshot.name), { Self.data(snapshot.store.json, at: snapshot.at) }))
    }
    let (scenario, seed) = (state.scenarioState.scenario, state.scenarioState.seed)
    let (clock, idempotency) = (state.clock, state.idempotency)
    files.append(
      (
        Self.stateFile,
        {
          var object = JSONValue.Object([
            JSONValue.Member("version", .int(Self.version)), JSONValue.Member("data", store.changedJSON),
            JSONValue.Member("clock", clock.json), JSONValue.Member("scenario", scenario.json),
            JSONValue.Member("seed", .int(Int(seed))),
            JSONValue.Member("keys", .array(idempotency.all.map { ["key": $0.key.json, "answered": $0.record.json] })),
          ])
          object["api"] = identity.api.map { .string(API.all[$0].name) }
          object["port"] = identity.port.map { .int($0) }
          object["ttl"] = identity.timeToLive.map { .int(Int($0.nanoseconds)) }
          object["patch"] = identity.patch
          object["server"] = settings?.json
          return JSONValue.object(object).bytes() + [UInt8(ascii: "\n")]
        }
      ))
    name = sandbox.name
    self.files = files
    isWhole = stored == nil
  }

  private static func data(_ data: JSONValue, at time: Instant) -> [UInt8] {
    let json: JSONValue = ["version": .int(version), "at": .int(Int(time.nanoseconds)), "data": data]
    return json.bytes() + [UInt8(ascii: "\n")]
  }
}

extension SandboxImage.ServerSettings {
  fileprivate var json: JSONValue {
    ["scenario": scenario.json, "seed": .int(Int(seed)), "lastNumber": .int(lastNumber)]
  }
}

extension SandboxClock {
  fileprivate var json: JSONValue {
    .array(
      [.int(Int(advance.nanoseconds)), .int(Int(advanced.nanoseconds))]
        + (frozenAt.map { [.int(Int($0.nanoseconds))] } ?? []))
  }
}
