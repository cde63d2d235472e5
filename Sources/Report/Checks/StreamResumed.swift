import Contract

/// Checks that a client comes back to a stream of events without a gap: with the id of an event that it was sent.
///
/// An event is sent when its blank line is (HTML standard, section 9.2.6): a client that stores the id of an event that was cut
/// never gets that event. An older id leaves no gap, nor does the entity tag of a plain read. Without an id everything comes
/// again, which works only while each event shows the whole state.
struct StreamResumed: ReportCheck {
  static let id = "stream-resumed"
  /// A client that comes back this soon after a break comes because of it; later it may have been started anew.
  static let window = Duration.seconds(60)
  /// The number of returns without an id that is a habit.
  static let minimumAnew = 2

  private enum Kind: Int { case claimed, anew }

  var interest: Traits { .stream }
  var needsState: Bool { true }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    guard let stream = facts.stream else { return }
    let earlier = stream.last > 0 ? [stream.last] : []
    switch stream.resumption {
    case .resumed: tally.inOrder += 1
    case .unknownID: tally[Kind.claimed].add(seen, after: earlier, unless: seen.isNamed ? [] : .severalClients)
    case .anew(let count) where count >= Self.minimumAnew:
      tally[Kind.anew].add(seen, after: earlier, unless: seen.isNamed ? .library : [.library, .severalClients])
    case .anew, .unjudged: break
    }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let claimed = tally[Kind.claimed]
    if claimed.count > 0 {
      return Finding(
        claimed.verdict,
        "A client resumed a stream with the id of an event that it had \(claimed.certain > 0 ? "" : "perhaps ")not received "
          + "completely, \(ReportText.count(claimed.count, "time")): \(claimed.example). The server does not send this event "
          + "again. Store an event's id only when its blank line has arrived.\(claimed.excuses)", claimed.evidence)
    }
    let anew = tally[Kind.anew]
    if anew.count > 0 {
      return Finding(
        .warn,
        "A client reopened a broken stream without Last-Event-ID, and not for the first time, "
          + "\(ReportText.count(anew.count, "time")): \(anew.example). Send the id of the last event, so that the server "
          + "sends only later events.\(anew.excuses)", anew.evidence)
    }
    guard tally.inOrder > 0 else { return Finding(.notExercised, "No client reopened a stream of events.") }
    return Finding(.pass, "\(ReportText.were(tally.inOrder, "stream")) resumed without a gap.")
  }
}
