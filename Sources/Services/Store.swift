package import Contract
package import Faults
package import JSON

/// The state of all APIs of one sandbox, as a value: copying it stores it, assigning it restores it.
package struct Store: Sendable {
  private var services: [any Service]
  /// A number that increases by one with each change.
  package private(set) var version = 0

  /// Makes the state.
  ///
  /// - Parameters:
  ///   - seeds: Valid data.
  ///   - now: The time at which the state is made.
  package init(_ seeds: SeedData, at now: Instant) {
    services = seeds.states(at: now)
  }

  package func isLong(api: Int, _ call: Call) -> Bool { services[api].isLong(call) }

  /// Returns the response to a call; nil if it takes so long that it must be computed off the loop.
  package mutating func respondAtOnce(api: Int, to call: Call) -> Response? {
    let response = services[api].respondAtOnce(to: call)
    if response?.changed == true { version += 1 }
    return response
  }

  package mutating func respond(api: Int, to call: Call) -> Response {
    let response = services[api].respond(to: call)
    if response.changed { version += 1 }
    return response
  }

  /// Applies a rival's action. Returns the API and the action; nil if the rival had nothing to do.
  package mutating func move(_ rival: Rivals.Move) -> (api: Int, move: RivalMove)? {
    for index in services.indices {
      guard let move = services[index].move(takes: rival.takes, draw: rival.draw) else { continue }
      version += 1
      return (index, move)
    }
    return nil
  }

  /// Applies a delta to an API's state.
  package mutating func apply(_ delta: Delta, to api: Int) throws(Delta.MismatchError) {
    try services[api].apply(delta)
    version += 1
  }

  /// The complete state of each API for the state log, in the order of the catalogue.
  package var persisted: [JSONValue] { services.map(\.persisted) }

  /// Restores a stored state; an API that was not stored is as in `start`.
  ///
  /// - Parameter persisted: The states by the API's index in the catalogue.
  package init(persisted: [Int: JSONValue], besides start: Store, at now: Instant) throws(ValidationError) {
    services = start.services
    for (index, document) in persisted {
      do throws(ValidationError) {
        services[index] = try ServiceCatalogue.all[index].init(persisted: document, at: now)
      } catch {
        throw ValidationError(.root / ServiceCatalogue.all[index].contract.name / error.pointer, error.detail)
      }
    }
  }

  /// The data of all APIs, as shown by `/_mock/state`.
  package var seeds: SeedData { SeedData(documents: services.map(\.data)) }

  /// Returns a record of an API by its name.
  package func record(_ id: String, of api: String) -> JSONValue? {
    services.first { type(of: $0).contract.name == api }?.record(id)
  }

  /// Returns the data of one API by its name.
  package func data(of api: String) -> JSONValue? {
    services.first { type(of: $0).contract.name == api }?.data
  }

  package var document: JSONValue {
    .object(JSONValue.Object(services.map { JSONValue.Member(type(of: $0).contract.name, $0.data) }))
  }

  /// Changes the data of some APIs by a merge patch whose members are APIs; it counts as one change.
  package mutating func merge(_ patch: JSONValue, at now: Instant) throws(Problem) {
    let merged = try seeds.merging(patch)
    var changed = services
    for member in patch.object?.members ?? [] {
      guard let index = ServiceCatalogue.all.firstIndex(where: { $0.contract.name == member.name }) else { continue }
      do throws(ValidationError) {
        try changed[index].load(merged.documents[index], at: now)
      } catch {
        throw .invalid([ValidationError(.root / member.name / error.pointer, error.detail)])
      }
    }
    services = changed
    version += 1
  }

  /// Counts a change that another source of responses made.
  package mutating func countChange() { version += 1 }

  /// Replaces the state; it counts as a change.
  package mutating func replace(with store: Store) {
    services = store.services
    version += 1
  }
}
