import Exploration
import Faults

/// The ways in which an exploration lets each request fail.
public struct FaultSelection: Sendable {
  /// The ways, or the error in their text.
  let ways: Result<[FaultWay], BackendError>

  /// The commonest failures: refusals, lost connections and cut responses, before and after the state change.
  public static let everyFault = FaultSelection(ways: .success(FaultWay.standard))

  /// The given ways, as `understudy explore --faults` takes them: `"reset@after"`, `"hang;for=30s"`.
  public static func only(_ ways: String...) -> FaultSelection {
    do throws(FaultWay.Defect) {
      return FaultSelection(ways: .success(try FaultWay.list(ways.joined(separator: ","))))
    } catch {
      return FaultSelection(ways: .failure(.unusable("In FaultSelection.only, \(error.detail)")))
    }
  }
}
