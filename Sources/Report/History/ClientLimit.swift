import Contract
import Primitives

extension ClientHistory {
  /// The time until which a 429 told the client to wait. A 503 may speak of one resource alone, as to many workers at once.
  struct Limit: Sendable {
    let id: Int
    private let identity: UInt64
    private let start: MonotonicInstant
    private let until: MonotonicInstant
    /// The connections on which the client has got such a refusal.
    private var connections: [Int]
    /// The other requests since, and those of them that were refused.
    private(set) var others = 0
    private(set) var refused = 0
    /// The explanations by which some of them may be another client's.
    private(set) var otherSenders: Explanations = []

    private static let maximumConnections = 16

    /// - Returns: Nil if the response asks for no wait.
    private init?(_ seen: Observation) {
      guard seen.result == .unavailable(429), let until = seen.notBefore else { return nil }
      (id, identity, start, self.until) = (seen.id, seen.identity, seen.end, until)
      connections = [seen.connection]
    }

    /// Counts a request under the limit of its client, or begins a new limit.
    ///
    /// - Returns: The limit, if the request did not respect it.
    static func watch(_ limit: inout Limit?, _ seen: Observation) -> Limit? {
      guard seen.replayOf == nil else { return nil }
      if let known = limit, known.covers(seen) {
        limit?.count(seen)
        return limit
      }
      if limit.map({ $0.until <= seen.end }) ?? true { limit = Limit(seen) ?? limit }
      return nil
    }

    /// True for another request, sent when its client knew the refusal and long before the wait was over.
    private func covers(_ seen: Observation) -> Bool {
      let isOnItsConnection = seen.connection != 0 && seen.arrival >= start && connections.contains(seen.connection)
      return (isOnItsConnection || seen.arrival - start >= RetryAfterHonoured.slack)
        && seen.arrival + RetryAfterHonoured.slack < until && seen.identity != identity
    }

    private mutating func count(_ seen: Observation) {
      others += 1
      if !seen.isNamed, !connections.contains(seen.connection) { otherSenders = .severalClients }
      guard seen.result == .unavailable(429) else { return }
      refused += 1
      if connections.count < Self.maximumConnections { connections.append(seen.connection) }
    }
  }
}
