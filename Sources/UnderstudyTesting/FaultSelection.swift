import Exploration
import Faults

/// The ways in which an exploration lets each request fail.
public struct FaultSelection: Sendable {
  let ways: [FaultWay]
  /// The ways that are none, each with the reason.
  let defects: [String]

  /// The commonest failures: refusals, lost connections and cut responses, before and after the state change.
  public static let everyFault = FaultSelection(ways: FaultWay.standard, defects: [])

  /// The given ways, as `understudy explore --faults` takes them: `"reset@after"`, `"hang;for=30s"`.
  public static func only(_ ways: String...) -> FaultSelection {
    var (parsed, defects): ([FaultWay], [String]) = ([], [])
    for text in ways {
      do throws(FaultWay.Defect) {
        parsed.append(try FaultWay(text))
      } catch {
        defects.append("\(text): \(error.detail)")
      }
    }
    return FaultSelection(ways: parsed, defects: defects)
  }
}
