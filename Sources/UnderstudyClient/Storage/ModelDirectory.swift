import Foundation

/// The directory with a model's files.
struct ModelDirectory: Sendable {
  let path: String
  let store: any FileStore

  /// Opens a directory on the disk, or creates it.
  init(_ url: URL) throws(StorageError) {
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw StorageError(path: url.path, detail: StorageError.reason(for: error))
    }
    self.init(path: url.path, store: DiskFileStore())
  }

  init(path: String, store: any FileStore) {
    self.path = path
    self.store = store
  }

  /// Returns the file of this name. The name is also its kind.
  func file(_ name: String) -> DurableFile {
    DurableFile(path: path + "/" + name, kind: "understudy-" + name, store: store)
  }

  /// Returns the files whose names begin with the prefix.
  func files(named prefix: String) throws -> [StoredFile] {
    try store.files(in: path).filter { $0.path.hasPrefix(path + "/" + prefix) }
  }
}
