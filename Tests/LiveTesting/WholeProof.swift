import Foundation

/// Tests that could go on for ever try a sample, so that `swift test` stays short.
///
/// The gate sets `UNDERSTUDY_WHOLE_PROOF`, and has each try all that it is made for.
package enum WholeProof {
  package static let isDemanded = ProcessInfo.processInfo.environment["UNDERSTUDY_WHOLE_PROOF"] != nil
}
