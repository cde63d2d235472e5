/// A write that its client could not take for done, and what the client did about it.
struct WriteFate: Sendable {
  /// Why the client could not know that the write was done.
  struct Doubts: OptionSet, Sendable {
    let rawValue: UInt8
    /// Its response was lost, or a failure hides that the backend had done it.
    static let lost = Doubts(rawValue: 1)
    /// It was refused for now: 429, 503, or 500 after the commit.
    static let refused = Doubts(rawValue: 1 << 1)
    /// It was lost, and has a key that makes it safe to repeat.
    static let repeatable = Doubts(rawValue: 1 << 2)
    /// It was not done, and answered with a 2xx that is not the API's.
    static let misleading = Doubts(rawValue: 1 << 3)
    /// It was done, and answered with a failure, which its client may have shown.
    static let told = Doubts(rawValue: 1 << 4)
  }

  enum Ending: Sendable, Equatable {
    /// It was repeated, looked after, answered beside, or made moot by another write.
    case followed
    /// An equal write followed, which repeats it or is meant for itself.
    case repeated(by: Suspect)
    /// It was repeated after its time.
    case late(by: Int)
    /// Nothing but a steady poll showed its record within its time.
    case polled
    /// Nothing followed within its time.
    case forgotten
    /// Nothing followed before the run ended so much later.
    case leftAtEnd(Duration)
    /// Nothing had followed when the sandbox was reset.
    case interrupted
    /// A later request builds on it, as if it had been done.
    case builtUpon(by: Int)
    /// There were too many of them.
    case unjudged
  }

  let doubts: Doubts
  /// The client's own request, if this was its transport's repetition.
  let id: Int
  let request: String
  /// The part of the request that identifies it, as it is declared; nil if the request had none.
  let key: String?
  /// The explanations under which the client knows what became of it.
  let explanations: Explanations
  /// True if a file declares what the write means to a backend.
  let isDeclared: Bool
  let ending: Ending
  /// The exit code of the command that ended after it; nil if that is not known.
  let exitCode: Int32?
}
