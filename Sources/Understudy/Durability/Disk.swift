import Platform

/// The state directory and the directories in it, one for each sandbox. Tests replace it to simulate a loss of power.
///
/// A path names a file as `NAME/state`.
protocol Disk: AnyObject {
  /// The path of the state directory, for messages.
  var path: String { get }

  /// Returns the names in the state directory, or in a sandbox's directory; none if it does not exist.
  func names(in directory: String?) throws(SystemError) -> [String]
  /// Returns the content of a file; nil if it does not exist.
  func read(_ file: String) throws(SystemError) -> [UInt8]?
  /// Makes a sandbox's directory if it does not exist.
  func makeDirectory(_ name: String) throws(SystemError)
  /// Writes a file, and returns when its content is durable.
  func write(_ bytes: [UInt8], to file: String) throws(SystemError)
  /// Renames a file, and replaces a file of the new name.
  func rename(_ file: String, to other: String) throws(SystemError)
  /// Removes a file, if it exists.
  func remove(_ file: String) throws(SystemError)
  /// Removes a sandbox's directory, if it is empty.
  func removeDirectory(_ name: String)
  /// Waits until the names in the state directory, or in a sandbox's directory, are durable.
  func synchronize(_ directory: String?) throws(SystemError)
}
