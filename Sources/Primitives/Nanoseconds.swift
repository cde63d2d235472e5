extension Duration {
  /// The duration in nanoseconds, clamped to ± 292 years.
  public var nanoseconds: Int64 {
    // Most waits are zero, and splitting a duration costs two 128-bit divisions.
    if self == .zero { return 0 }
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carry ? (seconds < 0 ? .min : .max) : sum
  }
}
