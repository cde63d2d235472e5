/// A fault in the transport: the bytes of the message do not arrive as HTTP requires.
package struct TransportFault: Sendable, Equatable {
  package let kind: Effect.Kind
  /// The part that is sent first.
  package let first: Part
  /// The silence after the first part; then the rest of the message follows, unless the hold ends in another way.
  package let hold: Hold?
  package let last: Last
  /// True if planned delays are skipped.
  package let isImmediate: Bool
  let coding: Coding?

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
    /// The given number of events of a stream.
    case events(Int)
  }

  package enum Last: Sendable {
    /// The message is complete, and the connection persists.
    case end
    /// FIN.
    case close
    /// RST.
    case reset
  }

  /// Bytes that replace those of the message, computed from 64 pseudo-random bits.
  enum Coding: Sendable {
    case message(@Sendable (UInt64) -> [UInt8])
    case chunks(@Sendable ([UInt8], UInt64) -> [UInt8])
  }

  /// The number of events of a stream after which it occurs.
  package var eventLimit: Int? { if case .events(let count) = first { count } else { nil } }

  /// The part of the body that is sent before the fault.
  package var at: Ratio? { if case .body(let at) = first { at } else { nil } }

  /// True if the peer never gets the complete message.
  package var isFinal: Bool {
    guard let hold else { return true }
    return hold.then != .resume || hold.duration == nil
  }

  var description: String {
    let part = at.map { " at \($0.text)" } ?? eventLimit.map { " after \($0) event\($0 == 1 ? "" : "s")" } ?? ""
    return kind.name + part + (hold?.description ?? "")
  }

  package static func == (left: TransportFault, right: TransportFault) -> Bool {
    left.kind == right.kind && left.first == right.first && left.hold == right.hold
  }
}

/// The duration of a silence, and what follows it.
public struct Hold: Sendable, Equatable {
  /// Nil if the silence lasts until the peer gives up.
  package let duration: Duration?
  package let then: Then

  package init(for duration: Duration? = nil, then: Then = .resume) {
    self.duration = duration
    self.then = then
  }

  /// The action at the end of a hold.
  public enum Then: String, Sendable, CaseIterable {
    /// The response goes on.
    case resume
    case reset, close
  }
}
