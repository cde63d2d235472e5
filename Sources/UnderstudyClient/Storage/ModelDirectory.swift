import Foundation

/// The directory with a model's files. It is created by the first change.
struct ModelDirectory: Sendable {
  let path: String
  let store: any FileStore

  /// Names a directory on the disk.
  init(_ url: URL) { self.init(path: url.pathWithoutLinks, store: DiskFileStore()) }

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

extension URL {
  /// The path of a file, without links as far as it exists: models that share a directory find each other by its path.
  var pathWithoutLinks: String {
    let url = URL(fileURLWithPath: path).standardizedFileURL
    let parent = url.deletingLastPathComponent()
    if parent.path == url.path || FileManager.default.fileExists(atPath: url.path) {
      return url.resolvingSymlinksInPath().path
    }
    return URL(fileURLWithPath: parent.pathWithoutLinks).appendingPathComponent(url.lastPathComponent).path
  }
}
