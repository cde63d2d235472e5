import Contract
import JSON

/// What one API holds and how it answers: the acting half of an `API` declaration.
///
/// A behaviour is a value. A sandbox has one of each API, and snapshot, restore and reset are assignments of it.
protocol Behaviour: Sendable {
  static var contract: API { get }

  /// The data file that the API starts from, as it lies in `Seeds`.
  static var seed: [UInt8] { get }

  /// One handler for each operation of the contract.
  static var handlers: Handlers<Self> { get }

  /// Builds the state from data that already fits `contract.data`; what a schema cannot say (ids that repeat) is thrown.
  ///
  /// - Parameters:
  ///   - data: A document shaped as `contract.data` says.
  ///   - now: The moment at which the state is made.
  init(data: JSON, at now: Instant) throws(Violation)

  /// True if answering takes so long that it is to be done off the loop, on a copy of the state.
  func isLong(_ call: Call) -> Bool

  /// The record of this id, in the shape that `data` has for it.
  func record(_ id: String) -> JSON?

  /// Lets a rival take something that others want too, or give it back; what it did, nil where nothing is.
  mutating func move(takes: Bool, draw: UInt64) -> RivalMove?

  /// Takes other data while the state lives on; what was the start of it stays the start.
  mutating func take(_ data: JSON, at now: Instant) throws(Violation)

  /// The state in the shape of `contract.data`: what `/_mock/state` shows, and what `init(data:at:)` reads back.
  var data: JSON { get }

  /// All of the state, `data` and what it does not show: what the state log keeps.
  var kept: JSON { get }

  /// Builds the state that `kept` told of.
  init(kept: JSON, at now: Instant) throws(Violation)

  /// Makes a part of the state what it became before, or was before that.
  mutating func apply(_ delta: Delta) throws(Delta.Misfit)
}

/// What a rival did: in words, and to the state.
struct RivalMove {
  let event: String
  let change: Delta.Change
}

extension Behaviour {
  func isLong(_ call: Call) -> Bool { call.hasLongBody }

  func record(_ id: String) -> JSON? {
    let records = Self.contract.records
    return records.list(in: data).first { $0[records.name]?.idText == id }
  }

  mutating func move(takes: Bool, draw: UInt64) -> RivalMove? { nil }

  var kept: JSON { data }

  init(kept: JSON, at now: Instant) throws(Violation) {
    if let violation = Self.contract.data.violations(in: kept).first { throw violation }
    self = try Self(data: kept, at: now)
  }

  mutating func apply(_ delta: Delta) throws(Delta.Misfit) {
    guard case .several(let deltas) = delta else {
      throw Delta.Misfit(expectation: "no change, for \(Self.contract.name) has no state that changes so")
    }
    for delta in deltas { try apply(delta) }
  }

  mutating func take(_ data: JSON, at now: Instant) throws(Violation) {
    self = try Self(data: data, at: now)
  }

  mutating func respond(to call: Call) -> Reply {
    Self.handlers.respond(as: &self, to: call)
  }
}

/// The handlers of an API, in the order of its operations, so that a call finds its own by an index.
struct Handlers<Acting: Behaviour>: Sendable {
  typealias Handler = @Sendable (inout Acting, Call) -> Reply

  private let handlers: [Handler]

  /// Pairs each operation of the contract with the handler named by its id. Both sides must match exactly.
  init(_ named: KeyValuePairs<String, Handler>) {
    let byName = Dictionary(uniqueKeysWithValues: named.map { ($0.key, $0.value) })
    let ids = Acting.contract.operations.map(\.id)
    handlers = ids.map { id in
      guard let handler = byName[id] else { preconditionFailure("operation \(id) has no handler") }
      return handler
    }
    precondition(ids.count == byName.count, "a handler of \(Acting.contract.name) belongs to no operation")
  }

  /// Has the operation that is called handled.
  func respond(as acting: inout Acting, to call: Call) -> Reply { handlers[call.operation](&acting, call) }
}
