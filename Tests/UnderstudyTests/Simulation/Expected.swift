import Faults
import Report

@testable import Understudy

/// The bytes of a response that a client expects from a plan, computed independently of the code that delivers it.
struct Expected {
  enum MessageLayout: Equatable {
    case whole, nothing, statusLine, garbage, brokenChunks
    case part(Ratio)
  }

  enum End: Equatable {
    case goesOn, finished, reset
    /// Nothing, until the peer gives up or the server stops.
    case silence
  }

  struct Stall {
    let at: Ratio
    let hold: Duration
  }

  private(set) var layout = MessageLayout.whole
  private(set) var end = End.goesOn
  /// The silence before the end, or before the complete response.
  private(set) var hold = Duration.zero
  private(set) var stall: Stall?

  /// Computes the expectation.
  ///
  /// - Parameter isPastSilence: True if bytes arrived after a silence, so that the silence was not interrupted.
  init(_ plan: Plan, _ outcome: ExchangeOutcome, isPastSilence: Bool = false) {
    guard let ending = plan.ending, outcome != .notDeliverable else { return }
    // A peer that leaves and a server that stops end a silence early. An entry removed by a reset shows no outcome.
    let isBrokenOff = !isPastSilence && [.peerGone, .cut, .pending].contains(outcome)
    let (at, hold) = (ending.at ?? .half, ending.hold ?? Hold())
    switch ending.kind.name {
    case "reset": (layout, end) = (.statusLine, .reset)
    case "reset-bare", "offline": (layout, end) = (.nothing, .reset)
    case "empty": (layout, end) = (.nothing, .finished)
    case "truncate": (layout, end) = (.part(at), .finished)
    case "bad-chunk": (layout, end) = (.brokenChunks, .finished)
    case "garbage": (layout, end) = (.garbage, .finished)
    case "hang": take(hold, .nothing, isBrokenOff: isBrokenOff)
    case "stall":
      take(hold, .part(at), isBrokenOff: isBrokenOff)
      if let duration = hold.duration, hold.then == .resume { stall = Stall(at: at, hold: duration) }
    default: preconditionFailure("no client's words for \(ending.kind.name)")
    }
  }

  private mutating func take(_ hold: Hold, _ shown: MessageLayout, isBrokenOff: Bool) {
    self.hold = hold.duration ?? .zero
    switch (isBrokenOff ? nil : hold.duration, hold.then) {
    case (nil, _): (layout, end) = (shown, .silence)
    case (_, .resume): break
    case (_, .reset): (layout, end) = (shown, .reset)
    case (_, .close): (layout, end) = (shown, .finished)
    }
  }

  /// Returns the error in an outcome of the journal, if there is one.
  func flaw(in outcome: ExchangeOutcome, _ isHalfClosed: Bool, _ excuse: String?) -> String? {
    switch (outcome, end) {
    case (.pending, _), (.event, _): "has the outcome \(outcome.word)"
    case (.peerGone, .silence): isHalfClosed || excuse != nil ? nil : "is given up though the peer was there"
    case (.peerGone, _): isHalfClosed || excuse != nil ? nil : "counts as abandoned though the peer was there"
    case (.cut, .silence): nil
    case (.cut, _): excuse != nil ? nil : "was cut, though the drain was not over"
    case (.sent, .goesOn), (.notDeliverable, .goesOn): nil
    case (.reset, .reset), (.closed, .finished): nil
    case (.reset, _) where excuse == SimulatedLoop.outage: nil
    default: "has the outcome \(outcome.word), and the plan the end \(end)"
    }
  }
}

extension TransportFault {
  /// The position of a silence in the body; nil if it precedes everything, or if there is none.
  var stallsAt: Ratio? { kind.name == "stall" ? at : nil }
}
