/// The result of a check, or of a card: the worst of its checks.
public enum Verdict: String, Sendable, Comparable, CaseIterable {
  case notExercised = "not exercised"
  case pass, warn, fail

  public static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .notExercised: 0
    case .pass: 1
    case .warn: 2
    case .fail: 3
    }
  }
}
