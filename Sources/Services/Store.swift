import Contract
import Faults
import JSON

/// The state of all APIs of one sandbox, as a value: copying it stores it, assigning it restores it.
struct Store: Sendable {
  private var services: [any Service]
  /// A number that increases by one with each change.
  private(set) var version = 0

  /// Makes the state.
  ///
  /// - Parameters:
  ///   - seeds: Valid data.
  ///   - now: The time at which the state is made.
  init(_ seeds: SeedData, at now: Instant) {
    services = seeds.states(at: now)
  }

  func isLong(api: Int, _ call: Call) -> Bool { services[api].isLong(call) }

  mutating func respond(api: Int, to call: Call) -> Response {
    let response = services[api].respond(to: call)
    if response.changed { version += 1 }
    return response
  }

  /// Applies a rival's action. Returns the API and the action; nil if the rival had nothing to do.
  mutating func move(_ rival: Rivals.Move) -> (api: Int, move: RivalMove)? {
    for index in services.indices {
      guard let move = services[index].move(takes: rival.takes, draw: rival.draw) else { continue }
      version += 1
      return (index, move)
    }
    return nil
  }

  /// Applies a delta to an API's state.
  mutating func apply(_ delta: Delta, to api: Int) throws(Delta.MismatchError) {
    try services[api].apply(delta)
    version += 1
  }

  /// The complete state of each API for the state log, in the order of the catalogue.
  var persisted: [JSONValue] { services.map(\.persisted) }

  /// Restores a stored state; an API that was not stored is as in `start`.
  ///
  /// - Parameter persisted: The states by the API's index in the catalogue.
  init(persisted: [Int: JSONValue], besides start: Store, at now: Instant) throws(ValidationError) {
    services = start.services
    for (index, document) in persisted {
      do throws(ValidationError) {
        services[index] = try Services.all[index].init(persisted: document, at: now)
      } catch {
        throw ValidationError(.root / Services.all[index].contract.name / error.pointer, error.detail)
      }
    }
  }

  /// The data of all APIs, as shown by `/_mock/state`.
  var seeds: SeedData { SeedData(documents: services.map(\.data)) }

  /// Returns a record of an API by its name.
  func record(_ id: String, of api: String) -> JSONValue? {
    services.first { type(of: $0).contract.name == api }?.record(id)
  }

  /// Returns the data of one API by its name.
  func data(of api: String) -> JSONValue? {
    services.first { type(of: $0).contract.name == api }?.data
  }

  var document: JSONValue {
    .object(JSONValue.Object(services.map { JSONValue.Member(type(of: $0).contract.name, $0.data) }))
  }

  /// Changes the data of some APIs by a merge patch whose members are APIs; it counts as one change.
  mutating func merge(_ patch: JSONValue, at now: Instant) throws(Problem) {
    let merged = try seeds.merging(patch)
    var changed = services
    for member in patch.object?.members ?? [] {
      guard let index = Services.all.firstIndex(where: { $0.contract.name == member.name }) else { continue }
      do throws(ValidationError) {
        try changed[index].load(merged.documents[index], at: now)
      } catch {
        throw .invalid([ValidationError(.root / member.name / error.pointer, error.detail)])
      }
    }
    services = changed
    version += 1
  }

  /// Replaces the state; it counts as a change.
  mutating func replace(with store: Store) {
    services = store.services
    version += 1
  }
}
