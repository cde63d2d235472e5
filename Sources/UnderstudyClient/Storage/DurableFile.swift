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

  /// A stored value, if there is one, and the damaged file, if there was one.
  struct Loaded<Value: Sendable>: Sendable {
    var value: Value?
    /// The file's first line, which differs with its content; nil if there is no value.
    var mark: String?
    var setAside: String?
  }

  func load<Value: Decodable & Sendable>(as type: Value.Type) throws(StorageError) -> Loaded<Value> {
    try attempt {
      guard let bytes = try store.read(path) else { return Loaded() }
      let mark = Self.firstLine(of: bytes)
      let payload = Data(bytes.dropFirst(mark.utf8.count))
      guard mark == firstLine(for: payload), let value = try? JSONDecoder().decode(type, from: payload) else {
        return Loaded(setAside: try moveAside())
      }
      return Loaded(value: value, mark: mark)
    }
  }

  /// Replaces the file. It is locked only meanwhile: the system ends an app that is suspended with a lock.
  ///
  /// - Parameter mark: The mark of the replaced content; nil if there was none. It becomes that of the new content as
  ///   soon as the file has it, even if a later step fails.
  /// - Throws: `StorageError`, also if the file has other content, which only another process can have written.
  func save(_ value: some Encodable, replacing mark: inout String?) throws(StorageError) {
    try attempt {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      let payload = try encoder.encode(value)
      let newMark = firstLine(for: payload)
      try store.exclusively(path) {
        if let bytes = try store.read(path), Self.firstLine(of: bytes) != mark {
          throw StorageError.changedByAnotherProcess(path: path)
        }
        let draft = path + ".new"
        try store.write(Data(newMark.utf8) + payload, to: draft)
        try store.synchronize(draft)
        try store.rename(draft, to: path)
        mark = newMark
        try store.synchronizeDirectory(of: path)
      }
    }
  }

  /// Renames a damaged file to a unique name, and returns its path.
  private func moveAside() throws -> String {
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

  /// Returns the first line, with its end.
  private static func firstLine(of bytes: Data) -> String {
    String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self) + "\n"
  }

  private static func checksum(_ payload: Data) -> String { String(EntityTag(of: Array(payload)).hash, radix: 16) }

  private func attempt<Result>(_ body: () throws -> Result) throws(StorageError) -> Result {
    do {
      return try body()
    } catch let error as StorageError {
      throw error
    } catch {
      throw StorageError.failed(path: path, detail: StorageError.reason(for: error))
    }
  }
}
