/// The reason why a directory, or the state log in it, cannot be opened.
package enum OpeningError: Error, CustomStringConvertible {
  /// The log is not as it was written. The text has its path, the position of the error, and the expectation.
  case damaged(String)
  /// Another server owns the directory. The text has its path, and the other process.
  case inUse(String)
  /// A system call failed.
  case unavailable(String)

  package var description: String {
    switch self {
    case .damaged(let detail), .inUse(let detail), .unavailable(let detail): detail
    }
  }
}
