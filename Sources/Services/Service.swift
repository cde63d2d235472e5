import Contract
import Faults
import JSON

/// The behaviour of one API: what each of its operations does to the API's document. Its contract is the `API`
/// declaration.
protocol Service: Sendable {
  static var contract: API { get }

  /// The API's initial data file, as embedded in `SeedFiles`.
  static var seed: String { get }

  /// One handler for each operation of the contract.
  static var handlers: Handlers { get }

  /// The layout of a record.
  static var layout: JSONValue.Layout { get }

  /// Returns what operations name in the data, with its position. Throws what a schema cannot express, such as repeated
  /// ids.
  static func positions(in data: JSONValue) throws(ValidationError) -> [String: Document.Position]

  /// Returns the data of a state that is made at a time, which the data may refer to.
  static func data(_ data: JSONValue, at now: Instant) -> JSONValue

  /// Returns true if the response takes so long that it must be computed off the loop, on a copy of the state.
  static func isLong(_ call: Call, _ size: Document.Size) -> Bool

  /// Returns the actions of rivals that take or free something, in their order; those without an effect are left out.
  static func moves(of rivals: [Rivals.Move], in document: Document) -> [RivalMove]
}

/// A rival's action on one record, decided and not yet carried out.
package struct RivalMove: Sendable {
  /// The rule of the rival.
  package let rule: String
  /// The sentence about it in the journal.
  package let event: String
  let index: Int
  /// The member that it sets.
  let change: JSONValue.Member
}

extension Service {
  static var layout: JSONValue.Layout { .compact }

  static func positions(in data: JSONValue) throws(ValidationError) -> [String: Document.Position] {
    let place = contract.records
    let records = place.list(in: data)
    let pointer = place.list.map { .root / $0 } ?? JSONPointer.root
    var positions: [String: Document.Position] = [:]
    positions.reserveCapacity(records.count)
    for (index, record) in records.enumerated() {
      guard let id = record[place.name]?.idText else {
        throw ValidationError(pointer / index, "expected the member \(place.name), found none")
      }
      guard positions.updateValue(Document.Position(first: index), forKey: id) == nil else {
        throw ValidationError(
          pointer / index / place.name, "expected a unique \(place.name), found \(id) a second time")
      }
    }
    return positions
  }

  static func data(_ data: JSONValue, at now: Instant) -> JSONValue { data }

  static func isLong(_ call: Call, _ size: Document.Size) -> Bool {
    call.hasLongBody || call.arguments.isEmpty && size.isLongToList
  }

  static func moves(of rivals: [Rivals.Move], in document: Document) -> [RivalMove] { [] }
}

/// The handlers of an API, in the order of its operations, so that a call finds its own by an index.
struct Handlers: Sendable {
  /// The handler of the operation with an id. A structure, because an array of functions would call each through two
  /// conversions of its arguments.
  struct Handler: Sendable {
    fileprivate let id: String
    fileprivate let respond: @Sendable (inout Document, Call) -> Response

    /// Creates the handler of an operation.
    static func on(_ id: String, _ respond: @escaping @Sendable (inout Document, Call) -> Response) -> Handler {
      Handler(id: id, respond: respond)
    }
  }

  private let handlers: [Handler]

  /// Assigns each operation of the contract the handler with its id. Both sets of ids must be equal.
  init(of contract: API, _ handlers: Handler...) {
    let byID = Dictionary(uniqueKeysWithValues: handlers.map { ($0.id, $0) })
    let ids = contract.operations.map(\.id)
    self.handlers = ids.map { id in
      guard let handler = byID[id] else { preconditionFailure("operation \(id) has no handler") }
      return handler
    }
    precondition(ids.count == byID.count, "a handler of \(contract.name) belongs to no operation")
  }

  /// Calls the operation's handler.
  func respond(to call: Call, _ document: inout Document) -> Response {
    handlers[call.operation].respond(&document, call)
  }
}

/// The services of the catalogue, in the order of `API.all`.
enum ServiceCatalogue {
  static let all: [any Service.Type] = [
    DeviceInventory.self, CallLog.self, House.self, UserDirectory.self, BookingDesk.self,
  ]

  /// Returns the index of the service of an API; nil if there is none of this name.
  static func firstIndex(of api: String) -> Int? { all.firstIndex { $0.contract.name == api } }

  /// Merges the members of a patch, which name APIs, into the data of these APIs (RFC 7396).
  ///
  /// - Parameters:
  ///   - data: Returns the data of the API with an index.
  ///   - use: Takes the merged data, which conform to the API's schema.
  static func merge(
    _ patch: JSONValue, into data: (Int) -> JSONValue, _ use: (Int, JSONValue) throws(ValidationError) -> Void
  ) throws(Problem) {
    for member in patch.object?.members ?? [] {
      let pointer = JSONPointer.root / member.name
      guard let index = firstIndex(of: member.name) else {
        let names = all.map { $0.contract.name }.joined(separator: ", ")
        throw .invalid([ValidationError(pointer, "unknown API; expected one of \(names)")])
      }
      let merged = data(index).merging(member.value)
      let violations = all[index].contract.data.boundedViolations(in: merged, at: pointer)
      guard violations.isEmpty else { throw .invalid(violations) }
      do throws(ValidationError) {
        try use(index, merged)
      } catch {
        throw .invalid([ValidationError(pointer / error.pointer, error.detail)])
      }
    }
  }
}
