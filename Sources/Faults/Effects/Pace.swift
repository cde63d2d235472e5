import JSON

/// The reply drips: so many bytes a second, in pieces of one size.
///
/// It takes nothing from the reply and so has no phase. Of several the slowest counts, as on a line of several links.
package struct Pace: EffectBody {
  static let kind = Effect.Kind.pace
  static let whyOnlyBefore: String? = "a pace takes nothing from the reply"

  package let bytesPerSecond: Int
  package let chunk: Int

  /// Without a size of its own a piece is what a tenth of a second carries, at most one TCP segment.
  package init(bytesPerSecond: Int, chunk: Int? = nil) {
    self.bytesPerSecond = bytesPerSecond
    self.chunk = chunk ?? max(1, min(1_460, bytesPerSecond / 10))
  }

  init(_ reader: Reader) throws(Violation) {
    let pace = try reader.nested("pace", "an object, as in {\"bytesPerSecond\": 2000, \"chunk\": 64}")
    try pace.allow(["bytesPerSecond", "chunk"])
    self.init(
      bytesPerSecond: try pace.requiredInteger("bytesPerSecond", in: 1...1_000_000_000),
      chunk: try pace.integer("chunk", in: 1...65_536))
  }

  var effect: Effect { .pace(self) }
  var words: String { "\(bytesPerSecond) B/s in \(chunk) B" }

  var members: [JSON.Member] {
    [JSON.Member("pace", ["bytesPerSecond": .int(bytesPerSecond), "chunk": .int(chunk)])]
  }

  func add(to plan: inout Plan, _ bite: Bite, _ memory: inout Memory) {
    plan.note(bite)
    if let pace = plan.pace, pace.bytesPerSecond <= bytesPerSecond { return }
    plan.pace = self
  }

  /// When the piece that ends with byte `count` may be sent, counted from the first: it is there when its last byte is.
  package func delay(untilByte count: Int) -> Duration {
    let (high, low) = Int64(count).multipliedFullWidth(by: 1_000_000_000)
    guard high < Int64(bytesPerSecond) else { return Duration.nanoseconds(Int64.max) }
    return .nanoseconds(Int64(bytesPerSecond).dividingFullWidth((high, low)).quotient)
  }
}
