import Faults

@testable import Understudy

/// What a plan says of the bytes of a reply, put in a client's words and apart from the code that carries it out.
struct Expected {
  enum Extent: Equatable {
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

  private(set) var extent = Extent.whole
  private(set) var end = End.goesOn
  /// The silence before the end, or before the whole.
  private(set) var hold = Duration.zero
  private(set) var stall: Stall?

  /// - Parameter isPastSilence: Whether bytes were seen that come after a silence, so that none was broken off.
  init(_ plan: Plan, _ outcome: JournalEntry.Outcome, isPastSilence: Bool = false) {
    guard let ending = plan.ending, outcome != .notDeliverable else { return }
    // Who gives up, and a server that stops, end a silence before its time. An entry that a reset forgot tells nothing.
    let isBrokenOff = !isPastSilence && [.peerGone, .cut, .pending].contains(outcome)
    let (at, hold) = (ending.at ?? .half, ending.hold ?? Hold())
    switch ending.kind.name {
    case "reset": (extent, end) = (.statusLine, .reset)
    case "reset-bare", "offline": (extent, end) = (.nothing, .reset)
    case "empty": (extent, end) = (.nothing, .finished)
    case "truncate": (extent, end) = (.part(at), .finished)
    case "bad-chunk": (extent, end) = (.brokenChunks, .finished)
    case "garbage": (extent, end) = (.garbage, .finished)
    case "hang": take(hold, .nothing, isBrokenOff: isBrokenOff)
    case "stall":
      take(hold, .part(at), isBrokenOff: isBrokenOff)
      if let duration = hold.duration, hold.then == .goOn { stall = Stall(at: at, hold: duration) }
    default: preconditionFailure("no client's words for \(ending.kind.name)")
    }
  }

  private mutating func take(_ hold: Hold, _ shown: Extent, isBrokenOff: Bool) {
    self.hold = hold.duration ?? .zero
    switch (isBrokenOff ? nil : hold.duration, hold.then) {
    case (nil, _): (extent, end) = (shown, .silence)
    case (_, .goOn): break
    case (_, .reset): (extent, end) = (shown, .reset)
    case (_, .close): (extent, end) = (shown, .finished)
    }
  }

  /// What is wrong with an outcome that the journal tells of, if anything.
  func flaw(in outcome: JournalEntry.Outcome, _ isHalfClosed: Bool, _ excuse: String?) -> String? {
    switch (outcome, end) {
    case (.pending, _), (.event, _): "has the outcome \(outcome.word)"
    case (.peerGone, .silence): isHalfClosed || excuse != nil ? nil : "is given up though the peer was there"
    case (.peerGone, _): isHalfClosed || excuse != nil ? nil : "counts as abandoned though the peer was there"
    case (.cut, .silence): nil
    case (.cut, _): excuse != nil ? nil : "was cut, though the drain was not over"
    case (.sent, .goesOn), (.notDeliverable, .goesOn): nil
    case (.reset, .reset), (.closed, .finished): nil
    default: "has the outcome \(outcome.word), and the plan the end \(end)"
    }
  }
}

extension Ending {
  /// Where in the body a silence comes; nil where it comes before everything, or not at all.
  var stallsAt: Ratio? { kind.name == "stall" ? at : nil }
}
