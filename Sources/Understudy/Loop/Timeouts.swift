/// The maximum durations of a connection's phases.
struct Timeouts: Sendable {
  /// Between two requests; then the connection is closed without a response (nginx: 75 s).
  var idle: Lapse = .seconds(75)
  /// From the first byte of a head to its end; then the response is 408 (Apache: 20 s and more).
  var head: Lapse = .seconds(20)
  /// Between two pieces of a body; then the response is 408 (nginx: 60 s).
  var body: Lapse = .seconds(30)
  /// Until the peer accepts the next byte of a response (nginx: 60 s).
  var writing: Lapse = .seconds(60)
  /// Until the peer closes after the last response, so that no reset overtakes it (nginx: `lingering_timeout`, 5 s).
  var linger: Lapse = .seconds(5)
  /// For unfinished responses when the server stops.
  var drain: Lapse = .seconds(5)

  init() {}
}
