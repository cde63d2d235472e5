/// The files of one directory, as far as the state log needs them: the kernel's, or one that loses power in a test.
protocol Disk: AnyObject {
  /// Where it is, for messages.
  var path: String { get }

  /// All of a file; nil if there is none.
  func read(_ name: String) throws(SystemError) -> [UInt8]?
  /// A file that is empty, whatever it was before.
  func create(_ name: String) throws(SystemError) -> any DiskFile
  /// A file that is there.
  func open(_ name: String) throws(SystemError) -> any DiskFile
  /// Gives a file the name of another, which is gone then.
  func rename(_ name: String, to other: String) throws(SystemError)
  func remove(_ name: String)
  /// Throws unless a name still stands for an open file of this length: another program may have removed, replaced or
  /// cut it.
  func confirm(_ name: String, is file: any DiskFile, of length: Int) throws(SystemError)
  /// Makes the directory anew where it was removed, and claims it again.
  func restore() throws(SystemError)
  /// Returns when the directory's names are where no loss of power reaches them.
  func synchronize() throws(SystemError)
}

/// A file that is written to. It is closed when nobody holds it any more.
protocol DiskFile: AnyObject {
  /// Writes all bytes, from an offset on, or throws when some may be written and some not.
  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError)
  func truncate(to count: Int) throws(SystemError)
  /// Returns when everything that was written is where no loss of power reaches it.
  func synchronize() throws(SystemError)
}
