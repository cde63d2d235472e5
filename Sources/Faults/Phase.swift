/// The side of the state change on which a fault occurs.
package enum Phase: String, Sendable, CaseIterable {
  /// The request was not applied.
  case before
  /// The state changed, and the response is damaged or lost.
  case after
}
