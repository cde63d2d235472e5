package import Primitives

/// The maximum durations of a connection's phases.
package struct Timeouts: Sendable {
  /// Between two requests; then the connection is closed without a response (nginx: 75 s).
  package var idle: NanosecondDuration = .seconds(75)
  /// From the first byte of a head to its end; then the response is 408 (Apache: 20 s and more).
  package var head: NanosecondDuration = .seconds(20)
  /// Between two pieces of a body; then the response is 408 (nginx: 60 s).
  package var body: NanosecondDuration = .seconds(30)
  /// From the end of a head to the beginning of a request whose content may come in parts.
  package var awaitedContent: NanosecondDuration = .seconds(1)
  /// Until the peer accepts the next byte of a response (nginx: 60 s).
  package var writing: NanosecondDuration = .seconds(60)
  /// Until the peer closes after the last response, so that no reset overtakes it (nginx: `lingering_timeout`, 5 s).
  package var linger: NanosecondDuration = .seconds(5)
  /// For unfinished responses when the server stops.
  package var drain: NanosecondDuration = .seconds(5)

  package init() {}

  /// Timeouts for a server in a test's own process. The server cannot distinguish a client that stalls from a test that
  /// stands at a breakpoint, or on a busy machine.
  package static var patient: Self {
    var timeouts = Self()
    (timeouts.idle, timeouts.head, timeouts.body) = (.seconds(86_400), .seconds(86_400), .seconds(86_400))
    (timeouts.writing, timeouts.linger) = (.seconds(1_200), .seconds(1_200))
    return timeouts
  }
}
