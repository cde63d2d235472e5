/// Requests that are counted together: those of one method on one path of one API.
package struct Stream: Sendable, Hashable {
  package let api: String
  /// In upper case.
  package let method: String
  /// Without labels and query, percent-decoded, slashes collapsed.
  package let path: String
  /// What the dice are thrown by. Neither an API's name nor a method holds a line feed, so no two streams have one text.
  package let hash: UInt64

  package init(api: String, method: String, path: String) {
    self.api = api
    self.method = method
    self.path = path
    hash = Dice.hash(path, from: Dice.hash("\n", from: Dice.hash(method, from: Dice.hash("\n", from: Dice.hash(api)))))
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// Which request of its stream it is.
package enum Position: Sendable, Hashable {
  /// Counted from 1.
  case ordinal(Int)
  /// By `Fault-Key`: it takes the place of n, and no window of ordinals holds it.
  case key(String)
}

/// What is known of a request before anything is done about it.
package struct Facts: Sendable {
  package var stream: Stream
  package var position: Position
  /// True if the request is a write as its client sees it.
  package var changes: Bool
  /// A CORS preflight is hit only by rules that name OPTIONS.
  package var isPreflight: Bool
  /// Time since the scenario was armed, by the sandbox's clock.
  package var elapsed: Duration

  package init(
    stream: Stream, position: Position, changes: Bool, isPreflight: Bool = false, elapsed: Duration = .zero
  ) {
    self.stream = stream
    self.position = position
    self.changes = changes
    self.isPreflight = isPreflight
    self.elapsed = elapsed
  }
}
