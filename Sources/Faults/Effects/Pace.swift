package import JSON

/// The response is sent slowly: a number of bytes per second, in pieces of one size.
///
/// It removes nothing from the response and so has no phase. If several paces apply, the slowest counts, as on a path
/// of several links.
package struct Pace: EffectBody, Equatable {
  package static let kind = Effect.Kind(
    "pace", value: pace.member.shape,
    Effect.Kind.Page(
      "A slow response: a number of bytes per second, in pieces of one size.",
      wire: "Head and body in pieces of `chunk` bytes, each at the time of its last byte.",
      limit: "It slows the response, not the request. If several rules set a pace, the slowest is used. "
        + "It ends a stream of events after its first event.",
      example: #"{"pace": {"bytesPerSecond": 2000, "chunk": 64}}"#),
    onlyBeforeReason: "a pace only slows the response down"
  ) { reader throws(ValidationError) in
    let members = try reader.object(pace)
    return Pace(bytesPerSecond: try members.value(rate), chunk: try members.optional(size))
  }
  private static let pace = Key.object(
    "pace", [rate.member, size.member], "The rate.",
    example: #"{"bytesPerSecond": 2000, "chunk": 64}"#)
  private static let rate = Key.integer("bytesPerSecond", in: 1...1_000_000_000, "Bytes per second.", isRequired: true)
  private static let size = Key.integer(
    "chunk", in: 1...65_536, "The size of a piece in bytes. By default a tenth of `bytesPerSecond`, at most 1460."
  )

  package let bytesPerSecond: Int
  package let chunk: Int

  /// Creates a pace. By default a piece is the amount of a tenth of a second, but at most one TCP segment.
  package init(bytesPerSecond: Int, chunk: Int? = nil) {
    self.bytesPerSecond = bytesPerSecond
    self.chunk = chunk ?? max(1, min(1_460, bytesPerSecond / 10))
  }

  package var kind: Effect.Kind { Self.kind }
  package var description: String { "\(bytesPerSecond) B/s in \(chunk) B" }
  package var value: JSONValue { ["bytesPerSecond": .int(bytesPerSecond), "chunk": .int(chunk)] }

  package func add(to plan: inout PlanDraft, _ ruleMatch: RuleMatch, _ counters: inout RuleCounters) {
    plan.record(ruleMatch)
    if let pace = plan.pace, pace.bytesPerSecond <= bytesPerSecond { return }
    plan.pace = self
  }

  /// Returns the time at which the piece that ends with byte `count` may be sent, counted from the first: a piece is
  /// sent when its last byte is due.
  package func delay(untilByte count: Int) -> Duration {
    let (high, low) = Int64(count).multipliedFullWidth(by: 1_000_000_000)
    guard high < Int64(bytesPerSecond) else { return Duration.nanoseconds(Int64.max) }
    return .nanoseconds(Int64(bytesPerSecond).dividingFullWidth((high, low)).quotient)
  }
}
