import Foundation

/// The choice between a sample, which keeps `swift test` short, and the complete test.
///
/// The gate sets `UNDERSTUDY_WHOLE_PROOF`, and runs everything.
package enum WholeProof {
  package static let isDemanded = ProcessInfo.processInfo.environment["UNDERSTUDY_WHOLE_PROOF"] != nil

  /// Returns the number of rounds: all if the complete test is required, otherwise the sample.
  package static func rounds(_ sample: Int, of whole: Int) -> Int { isDemanded ? whole : sample }

  /// Returns all elements if the complete test is required, otherwise every nth, beginning with the first.
  package static func sample<Element>(every n: Int, of whole: [Element]) -> [Element] {
    isDemanded ? whole : stride(from: 0, to: whole.count, by: n).map { whole[$0] }
  }
}
