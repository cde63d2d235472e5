/// Harm to the bytes: they do not arrive as HTTP says they should.
package struct TransportFault: Sendable, Equatable {
  package let kind: Effect.Kind
  /// The part that is sent first.
  package let first: Part
  /// The silence after it; the whole message follows unless the hold ends otherwise.
  package let hold: Hold?
  package let last: Last
  /// True if it waits for no delay that was planned.
  package let isImmediate: Bool
  private let coding: Coding?

  init(
    _ kind: Effect.Kind, first: Part, hold: Hold? = nil, last: Last, isImmediate: Bool = false, coding: Coding? = nil
  ) {
    self.kind = kind
    self.first = first
    self.hold = hold
    self.last = last
    self.isImmediate = isImmediate
    self.coding = coding
  }

  package enum Part: Sendable, Equatable {
    case nothing
    case statusLine
    /// The head, and part of the body.
    case body(Ratio)
    case whole
  }

  package enum Last: Sendable {
    /// The message is out, and the connection goes on.
    case end
    /// FIN although the message is not whole.
    case close
    /// RST.
    case reset
  }

  /// Other bytes than those of the message, for a draw.
  enum Coding: Sendable {
    case message(@Sendable (UInt64) -> [UInt8])
    case chunks(@Sendable ([UInt8], UInt64) -> [UInt8])
  }

  /// The bytes that are sent in place of the message; nil if they are the message's own.
  package func message(draw: UInt64) -> [UInt8]? {
    if case .message(let bytes) = coding { bytes(draw) } else { nil }
  }

  /// True if the body is sent in chunks that break.
  package var isChunked: Bool { if case .chunks = coding { true } else { false } }

  /// The body in chunks that break.
  package func chunks(of body: [UInt8], draw: UInt64) -> [UInt8] {
    if case .chunks(let bytes) = coding { bytes(body, draw) } else { body }
  }

  /// The part of the body after which it hits.
  package var at: Ratio? { if case .body(let at) = first { at } else { nil } }

  /// True if the peer never gets the whole message.
  package var isFinal: Bool {
    guard let hold else { return true }
    return hold.then != .resume || hold.duration == nil
  }

  var words: String { kind.name + (at.map { " at \($0.text)" } ?? "") + (hold?.words ?? "") }

  package static func == (left: TransportFault, right: TransportFault) -> Bool {
    left.kind == right.kind && left.first == right.first && left.hold == right.hold
  }
}

/// The duration of a silence, and what follows it.
package struct Hold: Sendable, Equatable {
  /// Nil until the peer gives up.
  package let duration: Duration?
  package let then: Then

  package init(for duration: Duration? = nil, then: Then = .resume) {
    self.duration = duration
    self.then = then
  }

  package enum Then: String, Sendable, CaseIterable {
    case resume, reset, close
  }
}
