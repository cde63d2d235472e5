import Fuzzing
import Testing

@testable import HTTP1

private typealias Phase = ConnectionState.Phase
private typealias Event = ConnectionState.Event

@Suite("The state of a connection (RFC 9112 9)")
struct ConnectionStateTests {
  /// The events of each phase, except `disconnected`, which every phase has; other events are programming errors.
  private static let declared: [Phase: [Event: Phase]] = [
    .idle: [.requestBegan: .receiving, .peerFinished: .mustClose, .gaveUp: .mustClose],
    .receiving: [
      .requestCompleted: .mustReply, .lastRequestCompleted: .mustReplyLast, .requestRefused: .mustReplyLast,
      .peerFinished: .mustReplyLast, .interimReplied: .receiving,
    ],
    .mustReply: [
      .interimReplied: .mustReply, .replyBegan: .sending, .lastReplyBegan: .sendingLast,
      .peerFinished: .mustReplyLast, .replyAborted: .mustClose,
    ],
    .mustReplyLast: [
      .interimReplied: .mustReplyLast, .replyBegan: .sendingLast, .lastReplyBegan: .sendingLast,
      .peerFinished: .mustReplyLast, .replyAborted: .mustClose,
    ],
    .sending: [
      .replyContinued: .sending, .replyEnded: .idle, .replyAborted: .mustClose, .peerFinished: .sendingLast,
    ],
    .sendingLast: [
      .replyContinued: .sendingLast, .replyEnded: .mustClose, .replyAborted: .mustClose, .peerFinished: .sendingLast,
    ],
    .mustClose: [.peerFinished: .mustClose, .shutDown: .lingering],
    .lingering: [.peerFinished: .closed],
    .closed: [:],
  ]

  @Test("every pair of phase and event is declared valid or invalid")
  func table() {
    for phase in Phase.allCases {
      for event in Event.allCases {
        let expected = event == .disconnected ? .closed : Self.declared[phase]?[event]
        #expect(ConnectionState.transition(from: phase, on: event) == expected, "\(event) while \(phase)")
      }
    }
  }

  @Test("after any events, requests and final responses stay paired, and nothing follows the last response")
  func walks() {
    var random = FuzzRandom(seed: 9112)
    for _ in 0..<2000 {
      var state = ConnectionState()
      var isOver = false
      var responses = 0
      for _ in 0..<40 {
        let fitting = Event.allCases.filter { ConnectionState.transition(from: state.phase, on: $0) != nil }
        guard let event = fitting.randomElement(using: &random) else { break }
        if isOver { #expect([.peerFinished, .shutDown, .disconnected].contains(event)) }
        state.advance(event)
        if event == .disconnected { break }
        let isOwed = [.mustReply, .mustReplyLast, .sending, .sendingLast].contains(state.phase)
        if event == .replyEnded || event == .replyAborted { responses += 1 }
        #expect(state.requests - responses == (isOwed ? 1 : 0))
        isOver = isOver || [.mustClose, .lingering, .closed].contains(state.phase)
      }
    }
  }

  @Test("a reply says what becomes of the connection (RFC 9112 9.3)")
  func options() {
    var state = ConnectionState()
    state.advance(.requestBegan)
    state.advance(.requestCompleted)
    #expect(state.phase == .mustReply)
    #expect(state.option(for: .http11) == .unneeded)
    #expect(state.option(for: .http10) == .keepAlive)
    #expect(state.option(for: .http11, closing: true) == .close)
    state.advance(.replyBegan)
    #expect(state.phase == .sending)
    state.advance(.replyEnded)
    state.advance(.requestBegan)
    state.advance(.lastRequestCompleted)
    #expect(state.option(for: .http11) == .close)
    #expect(state.option(for: .http10) == .close)
  }

  @Test("a request cut short is still answered, an idle end is not (RFC 9112 8)")
  func peerFinished() {
    var cut = ConnectionState()
    cut.advance(.requestBegan)
    cut.advance(.peerFinished)
    #expect(cut.phase == .mustReplyLast)
    #expect(cut.requests == 1)
    var idle = ConnectionState()
    idle.advance(.peerFinished)
    #expect(idle.phase == .mustClose)
    #expect(idle.requests == 0)
  }

  #if os(Linux) || os(macOS)
    @Test("an event that does not fit stops the program")
    func misfit() async {
      await #expect(processExitsWith: .failure) {
        var state = ConnectionState()
        state.advance(.replyBegan)
      }
    }
  #endif
}
