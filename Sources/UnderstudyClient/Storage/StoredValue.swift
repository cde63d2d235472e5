import Foundation

/// A model's access to a value in a file. The models of a process that use the same file share its value.
final class StoredValue<Value: Codable & Equatable & Sendable>: Sendable {
  private let file: SharedFile<Value>

  /// Names the file, which is read when its value is needed.
  ///
  /// - Parameter initial: The value if the file does not exist.
  init(_ file: DurableFile, initial: Value) {
    self.file = .shared(file, initial: initial)
    self.file.add(id)
  }

  deinit { file.remove(id) }

  private var id: ObjectIdentifier { ObjectIdentifier(self) }

  var value: Value { file.state(for: id).value }

  /// The path under which a damaged file was set aside.
  var damagedFile: URL? { file.state(for: id).damagedFile }

  /// The reason for which the file could not be read or written the last time.
  var failure: StorageError? { file.state(for: id).failure }

  /// Calls `body` after each change by another model.
  func onChange(_ body: @escaping @Sendable () -> Void) { file.add(id, onChange: body) }

  /// Changes the value, on disk first.
  ///
  /// - Throws: `StorageError`; then nothing was changed.
  func change(_ body: (inout Value) -> Void) throws(StorageError) {
    if let failure = file.change(by: id, isCopy: false, body) { throw failure }
  }

  /// Changes the value, at least in memory if it cannot be stored: for a copy of what the server has.
  func changeCopy(_ body: (inout Value) -> Void) { _ = file.change(by: id, isCopy: true, body) }
}
