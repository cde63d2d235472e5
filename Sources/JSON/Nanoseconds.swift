extension Duration {
  /// The whole of it in nanoseconds; beyond 292 years it stops there.
  package var nanoseconds: Int64 {
    // Most waits are none, and to take a duration apart costs two divisions of 128 bits.
    if self == .zero { return 0 }
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carry ? (seconds < 0 ? .min : .max) : sum
  }
}
