/// On which side of the change of state a fault hits.
package enum Phase: String, Sendable, CaseIterable {
  /// Nothing was done.
  case before
  /// The state changed, and the reply is damaged or lost.
  case after
}
