import LiveTesting
import Testing

@testable import HTTP1

private typealias Phase = ConnectionState.Phase
private typealias Event = ConnectionState.Event

@Suite("The state of a connection (RFC 9112 9)")
struct ConnectionStateTests {
  /// The events of each phase, except `disconnected` and `resetRequested`, which every phase has; other events are
  /// programming errors.
  private static let declared: [Phase: [Event: Phase]] = [
    .idle: [.requestBegan: .receiving, .peerFinished: .mustClose, .gaveUp: .mustClose],
    .receiving: [
      .requestCompleted: .mustRespond, .lastRequestCompleted: .mustRespondLast, .requestRefused: .mustRespondLast,
      .peerFinished: .mustRespondLast, .interimResponseWritten: .receiving,
    ],
    .mustRespond: [
      .interimResponseWritten: .mustRespond, .responseBegan: .sending, .lastResponseBegan: .sendingLast,
      .peerFinished: .mustRespondLast, .responseAborted: .mustClose,
    ],
    .mustRespondLast: [
      .interimResponseWritten: .mustRespondLast, .responseBegan: .sendingLast, .lastResponseBegan: .sendingLast,
      .peerFinished: .mustRespondLast, .responseAborted: .mustClose,
    ],
    .sending: [
      .responseContinued: .sending, .responseEnded: .idle, .responseAborted: .mustClose, .peerFinished: .sendingLast,
    ],
    .sendingLast: [
      .responseContinued: .sendingLast, .responseEnded: .mustClose, .responseAborted: .mustClose,
      .peerFinished: .sendingLast,
    ],
    .mustClose: [.peerFinished: .mustClose, .shutDown: .lingering],
    .mustReset: [.peerFinished: .mustReset],
    .lingering: [.peerFinished: .closed],
    .closed: [:],
  ]

  @Test("every pair of phase and event is declared valid or invalid")
  func table() {
    for phase in Phase.allCases {
      for event in Event.allCases {
        let expected: Phase? =
          switch event {
          case .disconnected: .closed
          case .resetRequested: phase == .closed ? .closed : .mustReset
          default: Self.declared[phase]?[event]
          }
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
        if isOver { #expect([.peerFinished, .shutDown, .resetRequested, .disconnected].contains(event)) }
        let wasOwed = state.requests > responses
        state.advance(event)
        if event == .disconnected { break }
        let isOwed = [.mustRespond, .mustRespondLast, .sending, .sendingLast].contains(state.phase)
        if event == .responseEnded || event == .responseAborted { responses += 1 }
        // A reset drops the owed response.
        if event == .resetRequested, wasOwed { responses += 1 }
        #expect(state.requests - responses == (isOwed ? 1 : 0))
        isOver = isOver || [.mustClose, .mustReset, .lingering, .closed].contains(state.phase)
      }
    }
  }

  @Test("the Connection option of a response follows from the state and the version (RFC 9112 9.3)")
  func options() {
    var state = ConnectionState()
    state.advance(.requestBegan)
    state.advance(.requestCompleted)
    #expect(state.phase == .mustRespond)
    #expect(state.option(for: .http11) == .unneeded)
    #expect(state.option(for: .http10) == .keepAlive)
    #expect(state.option(for: .http11, closing: true) == .close)
    state.advance(.responseBegan)
    #expect(state.phase == .sending)
    state.advance(.responseEnded)
    state.advance(.requestBegan)
    state.advance(.lastRequestCompleted)
    #expect(state.option(for: .http11) == .close)
    #expect(state.option(for: .http10) == .close)
  }

  #if os(Linux) || os(macOS)
    @Test("an event that is invalid in the current phase stops the program")
    func misfit() async {
      await #expect(processExitsWith: .failure) {
        var state = ConnectionState()
        state.advance(.responseBegan)
      }
    }
  #endif
}
