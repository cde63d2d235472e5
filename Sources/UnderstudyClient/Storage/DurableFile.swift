import Contract
import Foundation

/// A file that is always complete: whenever the app or the system crashes, it has the content before or after a change,
/// never a part of it.
///
/// A change is written to a temporary file, synced, and renamed over the file; then the directory is synced. The first
/// line identifies the format: `understudy-outbox 1 <checksum> <bytes>`. A file that does not conform is set aside
/// under another name and reported, and never deleted, because it may contain a user's work.
struct DurableFile: Sendable {
  let path: String
  /// The word in the first line, which identifies the kind of file.
  let kind: String
  let store: any FileStore

  /// The version of the format. Files of another version are set aside.
  static let version = 1

  enum Content: Sendable, Equatable {
    case none
    case whole(Data)
    /// The file is damaged, and is now stored at this path.
    case damaged(setAside: String)
  }

  func load() throws(StorageError) -> Content {
    try attempt {
      guard let bytes = try store.read(path) else { return .none }
      guard let payload = payload(of: bytes) else { return .damaged(setAside: try moveAside()) }
      return .whole(payload)
    }
  }

  func save(_ payload: Data) throws(StorageError) {
    try attempt {
      let draft = path + ".new"
      try store.write(Data(firstLine(for: payload).utf8) + payload, to: draft)
      try store.synchronize(draft)
      try store.rename(draft, to: path)
      try store.synchronizeDirectory(of: path)
    }
  }

  /// Renames a damaged file to a unique name, and returns its path.
  func moveAside() throws -> String {
    var number = 1
    while store.exists(path + ".damaged-\(number)") { number += 1 }
    let position = path + ".damaged-\(number)"
    try store.rename(path, to: position)
    try store.synchronizeDirectory(of: path)
    return position
  }

  private func firstLine(for payload: Data) -> String {
    "\(kind) \(Self.version) \(Self.checksum(payload)) \(payload.count)\n"
  }

  private func payload(of bytes: Data) -> Data? {
    guard let end = bytes.firstIndex(of: 0x0A) else { return nil }
    let payload = Data(bytes[bytes.index(after: end)...])
    let line = String(decoding: bytes[...end], as: UTF8.self)
    return line == firstLine(for: payload) ? payload : nil
  }

  private static func checksum(_ payload: Data) -> String { String(EntityTag(of: Array(payload)).hash, radix: 16) }

  /// Runs `body` while no other model or process changes the file.
  func exclusively<Result>(_ body: () throws -> Result) throws(StorageError) -> Result {
    try attempt { try store.exclusively(path, body) }
  }

  private func attempt<Result>(_ body: () throws -> Result) throws(StorageError) -> Result {
    do {
      return try body()
    } catch let error as StorageError {
      throw error
    } catch {
      throw StorageError(path: path, detail: StorageError.reason(for: error))
    }
  }
}

extension DurableFile {
  /// A stored value, if there is one, and the damaged file, if there was one.
  struct Loaded<Value: Sendable>: Sendable {
    var value: Value?
    var setAside: String?
  }

  func load<Value: Decodable & Sendable>(as type: Value.Type) throws(StorageError) -> Loaded<Value> {
    switch try load() {
    case .none: return Loaded()
    case .damaged(let position): return Loaded(setAside: position)
    case .whole(let payload):
      if let value = try? JSONDecoder().decode(type, from: payload) { return Loaded(value: value) }
      return Loaded(setAside: try attempt { try moveAside() })
    }
  }

  func save(value: some Encodable) throws(StorageError) {
    let payload: Data
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      payload = try encoder.encode(value)
    } catch {
      throw StorageError(path: path, detail: StorageError.reason(for: error))
    }
    try save(payload)
  }
}
