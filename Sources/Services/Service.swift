import Contract
import JSON

/// The state and the handlers of one API; its contract is the `API` declaration.
///
/// It is a value. A sandbox has one per API; snapshot, restore and reset are assignments.
protocol Service: Sendable {
  static var contract: API { get }

  /// The API's initial data file, as embedded in `SeedFiles`.
  static var seed: String { get }

  /// One handler for each operation of the contract.
  static var handlers: Handlers<Self> { get }

  /// Creates the state from data that conforms to `contract.data`. Throws errors that a schema cannot express, such as
  /// repeated ids.
  ///
  /// - Parameters:
  ///   - data: A document that conforms to `contract.data`.
  ///   - now: The time at which the state is made.
  init(data: JSONValue, at now: Instant) throws(ValidationError)

  /// Returns true if the state made from the data depends on the time at which it is made.
  static func dependsOnTime(_ data: JSONValue) -> Bool

  /// Calls the operation's handler. It is a requirement, so that each service has its own code and none is generic.
  mutating func respond(to call: Call) -> Response

  /// Calls the operation's handler; nil if the response takes so long that it must be computed off the loop.
  mutating func respondAtOnce(to call: Call) -> Response?

  /// Returns true if the response takes so long that it must be computed off the loop, on a copy of the state.
  func isLong(_ call: Call) -> Bool

  /// Returns the record with this id, in the shape of `data`.
  func record(_ id: String) -> JSONValue?

  /// Applies an action of a rival, which takes or returns a resource. Returns the action; nil if there was nothing to
  /// do.
  mutating func move(takes: Bool, draw: UInt64) -> RivalMove?

  /// Replaces the data. The initial state, to which a reset returns, stays the same.
  mutating func load(_ data: JSONValue, at now: Instant) throws(ValidationError)

  /// The state in the shape of `contract.data`: `/_mock/state` shows it, and `init(data:at:)` reads it.
  var data: JSONValue { get }

  /// The complete state, including the parts that `data` does not show, as stored in the state log.
  var persisted: JSONValue { get }

  /// Creates the state from `persisted`.
  init(persisted: JSONValue, at now: Instant) throws(ValidationError)

  /// Sets a part of the state to the value in the delta.
  mutating func apply(_ delta: Delta) throws(Delta.MismatchError)
}

/// A rival's action: its description, and its change of the state.
package struct RivalMove {
  package let event: String
  package let change: Delta
}

extension Service {
  static func dependsOnTime(_ data: JSONValue) -> Bool { false }

  mutating func respondAtOnce(to call: Call) -> Response? { isLong(call) ? nil : respond(to: call) }

  func isLong(_ call: Call) -> Bool { call.hasLongBody }

  func record(_ id: String) -> JSONValue? {
    let records = Self.contract.records
    return records.list(in: data).first { $0[records.name]?.idText == id }
  }

  mutating func move(takes: Bool, draw: UInt64) -> RivalMove? { nil }

  var persisted: JSONValue { data }

  init(persisted: JSONValue, at now: Instant) throws(ValidationError) {
    if let violation = Self.contract.data.violations(in: persisted).first { throw violation }
    self = try Self(data: persisted, at: now)
  }

  mutating func apply(_ delta: Delta) throws(Delta.MismatchError) {
    guard case .several(let deltas) = delta else {
      throw Delta.MismatchError(expectation: "no change, because the state of \(Self.contract.name) has no such part")
    }
    for delta in deltas { try apply(delta) }
  }

  mutating func load(_ data: JSONValue, at now: Instant) throws(ValidationError) {
    self = try Self(data: data, at: now)
  }

  mutating func respond(to call: Call) -> Response {
    Self.handlers.respond(as: &self, to: call)
  }
}

/// The handlers of an API, in the order of its operations, so that a call finds its own by an index.
struct Handlers<Acting: Service>: Sendable {
  /// The handler of the operation with an id. A structure, because an array of functions would call each through two
  /// conversions of its arguments.
  struct Handler: Sendable {
    fileprivate let id: String
    fileprivate let respond: @Sendable (inout Acting, Call) -> Response

    /// Creates the handler of an operation.
    static func on(_ id: String, _ respond: @escaping @Sendable (inout Acting, Call) -> Response) -> Handler {
      Handler(id: id, respond: respond)
    }
  }

  private let handlers: [Handler]

  /// Assigns each operation of the contract the handler with its id. Both sets of ids must be equal.
  init(_ handlers: Handler...) {
    let byID = Dictionary(uniqueKeysWithValues: handlers.map { ($0.id, $0) })
    let ids = Acting.contract.operations.map(\.id)
    self.handlers = ids.map { id in
      guard let handler = byID[id] else { preconditionFailure("operation \(id) has no handler") }
      return handler
    }
    precondition(ids.count == byID.count, "a handler of \(Acting.contract.name) belongs to no operation")
  }

  /// Calls the operation's handler.
  func respond(as acting: inout Acting, to call: Call) -> Response {
    handlers[call.operation].respond(&acting, call)
  }
}

/// The services of the catalogue, in the order of `API.all`.
enum ServiceCatalogue {
  static let all: [any Service.Type] = [
    DeviceInventory.self, CallLog.self, House.self, UserDirectory.self, BookingDesk.self,
  ]
}
