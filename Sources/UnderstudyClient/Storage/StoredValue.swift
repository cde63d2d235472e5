import Foundation

/// A value in a file that several models may use at the same time, also in several processes.
///
/// A change reads the file, changes its value and replaces the file, while a lock excludes all others. So no change
/// overwrites another. It belongs to an actor.
struct StoredValue<Value: Codable & Equatable & Sendable>: Sendable {
  /// Announces changes to the other users of the file, and learns of theirs.
  let user: FileUser
  private let file: DurableFile
  private var known: Value
  private var isRead = false
  private var lastDamagedFile: URL?
  private var lastFailure: StorageError?

  /// Names the file, which is read when its value is needed.
  ///
  /// - Parameter initial: The value if the file does not exist.
  init(_ file: DurableFile, initial: Value) {
    self.file = file
    known = initial
    user = FileUser(file)
  }

  /// The value as last read or written.
  var value: Value {
    mutating get {
      if !isRead { reload() }
      return known
    }
  }

  /// The path under which a damaged file was set aside.
  var damagedFile: URL? {
    mutating get {
      if !isRead { reload() }
      return lastDamagedFile
    }
  }

  /// The reason for which the file could not be read or written the last time.
  var failure: StorageError? {
    mutating get {
      if !isRead { reload() }
      return lastFailure
    }
  }

  /// Reads the file again, because another model may have changed it.
  mutating func reload() {
    isRead = true
    do throws(StorageError) {
      let loaded = try file.exclusively { try file.load(as: Value.self) }
      adopt(loaded)
      lastFailure = nil
    } catch {
      lastFailure = error
    }
  }

  /// Changes the value, on disk first.
  ///
  /// - Throws: `StorageError`; then nothing was changed.
  mutating func change(_ body: (inout Value) -> Void) throws(StorageError) {
    isRead = true
    do throws(StorageError) {
      let (loaded, next) = try file.exclusively {
        let loaded = try file.load(as: Value.self)
        var next = loaded.value ?? known
        body(&next)
        if next != loaded.value { try file.save(value: next) }
        return (loaded, next)
      }
      adopt(loaded)
      known = next
      lastFailure = nil
      if next != loaded.value { user.announce() }
    } catch {
      lastFailure = error
      throw error
    }
  }

  /// Changes the value, at least in memory if it cannot be stored: for a copy of what the server has.
  mutating func changeCopy(_ body: (inout Value) -> Void) {
    do throws(StorageError) {
      try change(body)
    } catch {
      body(&known)
    }
  }

  private mutating func adopt(_ loaded: DurableFile.Loaded<Value>) {
    if let value = loaded.value { known = value }
    if let path = loaded.setAside { lastDamagedFile = URL(fileURLWithPath: path) }
  }
}

/// One of the users of a file in this process, who learns when another one has changed it.
final class FileUser: @unchecked Sendable {
  /// The users of all files.
  private final class Table: @unchecked Sendable {
    private struct Weak {
      weak var user: FileUser?
    }

    private let lock = NSLock()
    private var users: [String: [ObjectIdentifier: Weak]] = [:]

    func add(_ user: FileUser) {
      lock.withLock { users[user.key, default: [:]][ObjectIdentifier(user)] = Weak(user: user) }
    }

    func remove(_ id: ObjectIdentifier, of key: String) {
      lock.withLock {
        users[key]?[id] = nil
        if users[key]?.isEmpty == true { users[key] = nil }
      }
    }

    func others(than user: FileUser) -> [FileUser] {
      lock.withLock { (users[user.key] ?? [:]).values.compactMap(\.user).filter { $0 !== user } }
    }
  }

  private static let table = Table()

  private let key: String
  private let lock = NSLock()
  private var action: (@Sendable () -> Void)?

  init(_ file: DurableFile) {
    key = file.store.identity + file.path
    Self.table.add(self)
  }

  deinit { Self.table.remove(ObjectIdentifier(self), of: key) }

  /// Calls `body` after each change by another user.
  func onChange(_ body: @escaping @Sendable () -> Void) { lock.withLock { action = body } }

  func announce() {
    for other in Self.table.others(than: self) { other.lock.withLock { other.action }?() }
  }
}
