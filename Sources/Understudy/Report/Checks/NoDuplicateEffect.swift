/// Checks that no write took effect twice because its first response was lost and the attempts did not share an
/// `Idempotency-Key`.
///
/// A new key for each attempt is like no key. A client that later repeats the first key intended another write with the
/// new one.
///
/// Only changes count: a repeated PATCH changes nothing the second time, and is correct. A client that looks before it
/// writes again has made a new decision. A repetition by a transport was not the client's choice; it is a warning.
struct NoDuplicateEffect: Check {
  static let id = "no-duplicate-effect"

  private var exposed = 0
  private var doubled = 0
  private var byTransport = 0
  private var evidence = Evidence()
  private var suspects: [Suspect] = []
  static let mostSuspects = 256

  /// A write under a new key that looks like the repetition of another.
  private struct Suspect: Sendable {
    let client: UInt64
    let key: UInt64
    let first: Int
    let second: Int
  }

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial) {
    guard seen.isWrite else { return }
    if let key = seen.key { suspects.removeAll { $0.client == seen.client && $0.key == key } }
    switch trial {
    case .first: return
    case .replay(let request):
      guard let request else { return }
      exposed += 1
      guard seen.isApplied, let first = request.applied.last else { return }
      byTransport += 1
      evidence.add(first.id, seen.id)
    case .retry(let request, _, _):
      guard !request.wasReread else { return }
      exposed += 1
      guard seen.isApplied, let first = request.applied.first else { return }
      guard let key = first.key, seen.key != nil else { return convict(first.id, seen.id) }
      if suspects.count == Self.mostSuspects { convict(suspects[0].first, suspects.removeFirst().second) }
      suspects.append(Suspect(client: seen.client, key: key, first: first.id, second: seen.id))
    }
  }

  private mutating func convict(_ first: Int, _ second: Int) {
    doubled += 1
    evidence.add(first, second)
  }

  func finding(_ moment: Judgement) -> Finding {
    var judged = self
    for suspect in suspects { judged.convict(suspect.first, suspect.second) }
    return judged.settled
  }

  private var settled: Finding {
    if doubled > 0 {
      let cure = suspects.isEmpty ? "an Idempotency-Key" : "the same Idempotency-Key for all attempts"
      return Finding(
        .fail,
        "\(Words.count(doubled, "write")) that had taken effect before the reply was lost \(Words.were(doubled)) sent "
          + "again and took effect twice; \(cure) prevents that.", evidence)
    }
    if byTransport > 0 {
      return Finding(
        .warn,
        "\(Words.count(byTransport, "write")) took effect twice because the transport repeated it by itself; "
          + "an Idempotency-Key prevents that.", evidence)
    }
    guard exposed > 0 else { return Finding(.notExercised, "No write was repeated after a failure.") }
    return Finding(
      .pass,
      "\(Words.count(exposed, "write")) \(Words.were(exposed)) repeated after a failure, and none took effect twice.")
  }
}
