package import Platform

/// The files of one directory, as needed by the state log. Tests replace it to simulate a loss of power.
package protocol Disk: AnyObject {
  /// The path of the directory, for messages.
  var path: String { get }

  /// Returns the content of a file; nil if it does not exist.
  func read(_ name: String) throws(SystemError) -> [UInt8]?
  /// Creates an empty file, or empties an existing one.
  func create(_ name: String) throws(SystemError) -> any DiskFile
  /// Opens an existing file.
  func open(_ name: String) throws(SystemError) -> any DiskFile
  /// Renames a file, and replaces a file of the new name.
  func rename(_ name: String, to other: String) throws(SystemError)
  func remove(_ name: String)
  /// Throws unless the name still refers to the open file: the next start would not find a file that was removed.
  func confirm(_ name: String, is file: any DiskFile) throws(SystemError)
  /// Creates the directory again if it was removed, and locks it again.
  func restore() throws(SystemError)
  /// Waits until the directory's entries are durable.
  func synchronize() throws(SystemError)
}

/// A writable file. It is closed when it has no more owners.
package protocol DiskFile: AnyObject {
  /// Writes all bytes at an offset; if it throws, some of them may be written.
  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError)
  func truncate(to count: Int) throws(SystemError)
  /// Waits until everything written is durable.
  func synchronize() throws(SystemError)
}
