/// Whether a write took effect twice because its first reply was lost and no `Idempotency-Key` told the two apart.
///
/// It counts changes: a PATCH that is repeated changes nothing the second time, and is right. Whoever looks before
/// writing again has decided anew. What a transport repeats by itself, its client did not choose: that is a warning.
struct NoDuplicateEffect: Check {
  static let id = "no-duplicate-effect"

  private var exposed = 0
  private var doubled = 0
  private var byTransport = 0
  private var evidence = Evidence()

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial) {
    guard seen.isWrite else { return }
    switch trial {
    case .first: return
    case .replay(let request):
      guard let request else { return }
      exposed += 1
      guard seen.isApplied, let first = request.applied.last else { return }
      byTransport += 1
      evidence.add(first, seen.id)
    case .retry(let request, _, _):
      guard !request.wasReread else { return }
      exposed += 1
      guard seen.isApplied, let first = request.applied.first else { return }
      doubled += 1
      evidence.add(first, seen.id)
    }
  }

  func finding(_ moment: Judgement) -> Finding {
    if doubled > 0 {
      return Finding(
        .fail,
        "\(Words.count(doubled, "write")) that had taken effect before the reply was lost \(Words.were(doubled)) sent "
          + "again and took effect twice; an Idempotency-Key prevents that.", evidence)
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
