/// How long a connection may take for what.
struct Timeouts: Sendable {
  /// Between two requests, after which the connection is closed without a word (nginx: 75 s).
  var idle: Lapse = .seconds(75)
  /// From the first byte of a head to its end, after which 408 is answered (Apache: 20 s and more).
  var head: Lapse = .seconds(20)
  /// Between two pieces of a body, after which 408 is answered (nginx: 60 s).
  var body: Lapse = .seconds(30)
  /// For the peer to take a reply's next byte (nginx: 60 s).
  var writing: Lapse = .seconds(60)
  /// For the peer to close after the last reply, so that no reset overtakes it (nginx: `lingering_timeout`, 5 s).
  var linger: Lapse = .seconds(5)
  /// For the replies that are under way when the server stops.
  var drain: Lapse = .seconds(5)

  init() {}
}
