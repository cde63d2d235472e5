import JSON
import Primitives
import Report

extension ReportCard {
  /// The check on writes that took effect twice.
  static let doubledEffects = "no-duplicate-effect"
  /// The number of requests that are shown of one finding, and of one run.
  static let maximumShown = 8

  /// Returns an entry of its journal as a line: `#2 POST /book: 200, reset after commit`.
  func words(ofEntry id: Int) -> String? {
    guard let entry = entry(id), let method = entry["method"]?.string, let target = entry["target"]?.string else {
      return nil
    }
    // Of a response of which no field line was sent, the client got no status.
    let isHeadSent = entry["response"]?["headers"]?.object?.members.isEmpty == false
    let status = isHeadSent ? entry["response"]?["status"]?.int.map { "\($0)" } : nil
    // The rule is the cell's, which is named anyway.
    let plan = entry["plan"]?["words"]?.string?.split(separator: " (rule").first.map { ", \($0)" } ?? ""
    return "#\(id) \(method) \(target): \(status ?? "no response")\(plan)".printable
  }
}
