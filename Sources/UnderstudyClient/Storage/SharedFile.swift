import Foundation
import Platform

/// A file with a value, which the models of this process share. No other process may change it.
final class SharedFile<Value: Codable & Equatable & Sendable>: Sendable {
  struct State {
    /// The registration of a model that uses the file.
    struct Registration {
      /// False before its first look, which reads the file.
      var hasRead = false
      var onChange: (@Sendable () -> Void)?
    }

    /// The value if the file does not exist.
    let initial: Value
    var value: Value
    /// False until the file could be read, or was missing: a file that cannot be read is not replaced.
    var isRead = false
    /// True if the file has the value.
    var isStored = false
    /// The mark of the file's content when it was last read or written; nil if there was none.
    var mark: String?
    var damagedFile: URL?
    /// The reason for which the file could not be read or written the last time.
    var failure: StorageError?
    var models: [ObjectIdentifier: Registration] = [:]
  }

  private let file: DurableFile
  private let state: Locked<State>

  private init(_ file: DurableFile, initial: Value) {
    self.file = file
    state = Locked(State(initial: initial, value: initial))
  }

  /// Returns the shared object for a file. It lives as long as a model uses it.
  ///
  /// - Parameter initial: The value if the file does not exist.
  static func shared(_ file: DurableFile, initial: Value) -> SharedFile {
    let key = "\(file.kind) \(file.store.identity)\(file.path)"
    return filesInUse.withLock { files in
      if let known = files[key]?.file as? SharedFile<Value> { return known }
      let new = SharedFile(file, initial: initial)
      files = files.filter { $0.value.file != nil }
      files[key] = WeakFile(file: new)
      return new
    }
  }

  /// Adds a model, or sets its action after each change by another one.
  func add(_ id: ObjectIdentifier, onChange: (@Sendable () -> Void)? = nil) {
    state.withLock { $0.models[id, default: State.Registration()].onChange = onChange }
  }

  func remove(_ id: ObjectIdentifier) { state.withLock { $0.models[id] = nil } }

  func state(for id: ObjectIdentifier) -> State {
    let (found, listeners) = state.withLock { state -> (State, [@Sendable () -> Void]) in
      let value = state.value
      state.read(file, for: id)
      return (state, state.value == value ? [] : state.listeners(besides: id))
    }
    for listener in listeners { listener() }
    return found
  }

  /// Changes the value, on disk first.
  ///
  /// - Parameter isCopy: True to change the value in memory even if it cannot be stored.
  /// - Returns: The reason for which it could not be stored.
  func change(by id: ObjectIdentifier, isCopy: Bool, _ body: (inout Value) -> Void) -> StorageError? {
    let (failure, listeners) = state.withLock { state -> (StorageError?, [@Sendable () -> Void]) in
      state.read(file, for: id)
      if !state.isRead { state.read(file) }
      var next = state.value
      body(&next)
      let isChanged = next != state.value
      guard isChanged || !state.isStored else { return (nil, []) }
      state.store(next, in: file)
      guard state.isStored || isCopy else { return (state.failure, []) }
      state.value = next
      return (state.failure, isChanged ? state.listeners(besides: id) : [])
    }
    for listener in listeners { listener() }
    return failure
  }
}

extension SharedFile.State {
  /// The actions of the other models.
  func listeners(besides id: ObjectIdentifier) -> [@Sendable () -> Void] {
    models.filter { $0.key != id }.values.compactMap(\.onChange)
  }

  /// Reads the file at the first look of a model, because another process may have used it since the last one's, and at
  /// each look until it can be read: a device that is locked, for example, gives no file.
  mutating func read(_ file: DurableFile, for id: ObjectIdentifier) {
    guard let model = models[id], !model.hasRead || !isRead else { return }
    models[id]?.hasRead = true
    read(file)
  }

  /// Reads the file. Its value replaces the one in memory, unless this process has written it. Of a file that was deleted
  /// nothing is left in memory either.
  mutating func read(_ file: DurableFile) {
    do throws(StorageError) {
      let loaded = try file.load(as: Value.self)
      if let path = loaded.setAside { damagedFile = URL(fileURLWithPath: path) }
      if let found = loaded.value {
        if loaded.mark != mark { (value, isStored) = (found, true) }
      } else {
        if mark != nil, loaded.setAside == nil { value = initial }
        isStored = false
      }
      mark = loaded.mark
      if isStored || !isRead { failure = nil }
      isRead = true
    } catch {
      failure = error
    }
  }

  /// Writes a value to the file, or sets the reason for which that is impossible.
  mutating func store(_ next: Value, in file: DurableFile) {
    isStored = false
    guard isRead else { return }
    do throws(StorageError) {
      try file.save(next, replacing: &mark)
      isStored = true
      failure = nil
    } catch {
      failure = error
    }
  }
}

/// The files that models of this process use, by kind and path.
private let filesInUse = Locked<[String: WeakFile]>([:])

private struct WeakFile {
  weak var file: AnyObject?
}
