import Contract
import Primitives

/// The addresses and User-Agents that may be shared by several clients, as far as their connections tell.
///
/// One client that does one thing after another stays on its connection, or leaves it for good: HTTP libraries take the
/// newest or the first of their idle connections. So a client that returns from a newer connection to an older one,
/// with nothing under way, is two; the APIs may be at ports of their own, so each is looked at by itself. Requests that
/// overlap are one client's or several clients'.
struct UnnamedClients: Sendable {
  /// The connections of an address and User-Agent to one API.
  private struct Use: Sendable {
    let client: UInt64
    let api: Int
    var connection: Int
    /// The newest connection so far.
    var newest: Int
    /// When the last response and the last response to a write were complete.
    var end = MonotonicInstant(nanoseconds: 0)
    var writeEnd = MonotonicInstant(nanoseconds: 0)
    /// True if the last request came while none was under way, and was answered: its connection can be used again.
    var isAlone = true
    /// True if a connection was used for more than one request.
    var isReused = false

    var key: UInt64 { client.mixed(with: UInt64(bitPattern: Int64(api))) }
  }

  /// The signs of more than one client.
  private struct Signs: OptionSet, Sendable {
    let rawValue: UInt8
    static let returns = Signs(rawValue: 1)
    static let overlaps = Signs(rawValue: 1 << 1)
    static let writesOverlap = Signs(rawValue: 1 << 2)
    /// Connections are used more than once, so that those of several clients can be told from one another.
    static let reuses = Signs(rawValue: 1 << 3)
    static let all: Signs = [.returns, .overlaps, .writesOverlap, .reuses]
  }

  private var uses = RecentTable<Use>(capacity: 256)
  private var signs = RecentTable<Signs>(capacity: 256)
  /// The use to which the last exchange belonged, which the table has only when another takes its place: the next exchange
  /// mostly belongs to the same.
  private var current = Use(client: 0, api: 0, connection: 0, newest: 0)

  /// Records an exchange, in the order in which they came.
  mutating func observe(_ seen: Observation) {
    guard !seen.isNamed, seen.connection != 0 else { return }
    let api = seen.api ?? -1
    if seen.client != current.client || api != current.api { switchUse(to: seen, api) }
    if seen.connection != current.connection {
      change(seen)
    } else if !current.isReused, current.end.nanoseconds != 0 {
      reuse(seen)
    }
    // A response that its client did not wait for says nothing about what it does next.
    guard seen.isAnswered else { return current.isAlone = false }
    current.isAlone = seen.arrival >= current.end
    current.end = max(current.end, seen.end)
    if seen.isWrite { current.writeEnd = max(current.writeEnd, seen.end) }
  }

  /// Stores the current use, and loads that of an exchange.
  private mutating func switchUse(to seen: Observation, _ api: Int) {
    if current.connection != 0 { uses[current.key] = current }
    let next = Use(client: seen.client, api: api, connection: seen.connection, newest: seen.connection)
    current = uses[next.key] ?? next
  }

  private mutating func reuse(_ seen: Observation) {
    current.isReused = true
    add(.reuses, to: seen.client)
  }

  /// Looks at a request on another connection than the last.
  private mutating func change(_ seen: Observation) {
    if seen.arrival < current.end, seen.isAnswered {
      add(seen.isWrite && seen.arrival < current.writeEnd ? [.overlaps, .writesOverlap] : .overlaps, to: seen.client)
    }
    if seen.connection < current.newest {
      if !current.isReused { reuse(seen) }
      if current.isAlone, seen.arrival >= current.end { add(.returns, to: seen.client) }
    }
    current.connection = seen.connection
    current.newest = max(current.newest, seen.connection)
  }

  private mutating func add(_ new: Signs, to client: UInt64) {
    let known = signs[client] ?? []
    if !known.isSuperset(of: new) { signs[client] = known.union(new) }
  }

  /// True if a client's requests are certain, or as good as that, to come from several: what one sends is then no
  /// repetition of what another sent.
  func isShared(_ client: UInt64) -> Bool {
    let signs = signs(of: client)
    return signs.contains(.returns) || signs.contains(.writesOverlap)
      || signs.contains(.overlaps) && !signs.contains(.reuses)
  }

  /// True if a client's requests came side by side, so that its waits may be those of several clients.
  func isParallel(_ client: UInt64) -> Bool { isShared(client) || signs(of: client).contains(.overlaps) }

  /// Returns the signs of a client. It has each of them if its own may have been evicted.
  private func signs(of client: UInt64) -> Signs { signs[client] ?? (signs.hasEvicted ? .all : []) }
}

extension Observation {
  /// True if a response was sent whole, and a stream of events, which goes on beside other requests, is none.
  fileprivate var isAnswered: Bool { outcome == .sent && !isStream }
}
