package import Contract
package import Faults
package import JSON

/// The state of all APIs of one sandbox, as a value: copying it stores it, assigning it restores it.
package struct Store: Sendable {
  private var documents: [Document]
  /// A number that increases by one with each change.
  package private(set) var version = 0

  /// Makes the state.
  ///
  /// - Parameters:
  ///   - seeds: Valid data.
  ///   - now: The time at which the state is made.
  package init(_ seeds: SeedData, at now: Instant) {
    documents = seeds.states(at: now)
  }

  package func isLong(api: Int, _ call: Call) -> Bool { ServiceCatalogue.all[api].isLong(call, documents[api].size) }

  /// Returns the response to a call; nil if it takes so long that it must be computed off the loop.
  package mutating func respondAtOnce(api: Int, to call: Call) -> Response? {
    isLong(api: api, call) ? nil : respond(api: api, to: call)
  }

  package mutating func respond(api: Int, to call: Call) -> Response {
    let response = ServiceCatalogue.all[api].handlers.respond(to: call, &documents[api])
    if response.changed { version += 1 }
    return response
  }

  /// Returns the actions of rivals that have an effect, with the API of each, in their order.
  package func moves(of rivals: [Rivals.Move]) -> [(api: Int, move: RivalMove)] {
    documents.indices.flatMap { api in
      ServiceCatalogue.all[api].moves(of: rivals, in: documents[api]).map { (api, $0) }
    }
  }

  /// Carries out a rival's action.
  package mutating func carryOut(_ move: RivalMove, api: Int) {
    if documents[api].carryOut(move) { version += 1 }
  }

  /// Returns a record of an API by its name.
  package func record(_ id: String, of api: String) -> JSONValue? { document(of: api)?.record(id) }

  /// Returns the data of one API by its name.
  package func data(of api: String) -> JSONValue? { document(of: api)?.data }

  private func document(of api: String) -> Document? { ServiceCatalogue.firstIndex(of: api).map { documents[$0] } }

  /// The data of all APIs by their names, as shown by `/_mock/state`.
  package var json: JSONValue { Self.json(documents) { $0.data } }
  /// The data to which a reset returns.
  package var startJSON: JSONValue { Self.json(documents) { $0.startData } }
  /// The data of the APIs that are not as at the start.
  package var changedJSON: JSONValue {
    Self.json(documents) { document in
      let data = document.data
      // A literal nil would be null.
      return data == document.startData ? JSONValue?.none : data
    }
  }

  private static func json(_ documents: [Document], _ data: (Document) -> JSONValue?) -> JSONValue {
    .object(
      JSONValue.Object(
        documents.compactMap { document in
          data(document).map { JSONValue.Member(document.service.contract.name, $0) }
        }))
  }
}

/// Changes of the whole state. Each counts as one change.
extension Store {
  /// Changes the data of some APIs by a merge patch whose members are APIs.
  ///
  /// - Parameter now: The time to which the data may refer.
  package mutating func merge(_ patch: JSONValue, at now: Instant) throws(Problem) {
    var changed = documents
    try ServiceCatalogue.merge(patch, into: { documents[$0].data }) { index, merged throws(ValidationError) in
      try changed[index].load(ServiceCatalogue.all[index].data(merged, at: now))
    }
    documents = changed
    version += 1
  }

  /// Returns to the data at the start.
  package mutating func reset() {
    for index in documents.indices { documents[index].reset() }
    version += 1
  }

  /// Restores the data of an earlier state; a reset still returns to the same start.
  package mutating func restore(_ earlier: Store) {
    for index in documents.indices { documents[index].restore(earlier.documents[index]) }
    version += 1
  }

  /// Replaces the state, and the start to which a reset returns.
  package mutating func restart(as store: Store) {
    documents = store.documents
    version += 1
  }

  /// Counts a change that a backend made.
  package mutating func countChange() { version += 1 }
}

/// The state as it is stored.
extension Store {
  /// Restores the start from its data; an API without data in it has the embedded data.
  ///
  /// - Parameter time: The time at which the start was made.
  package init(start json: JSONValue?, at time: Instant) throws(ValidationError) {
    do throws(SeedData.SeedDataError) {
      documents = try SeedData.embedded().states(at: time)
    } catch {
      preconditionFailure("the embedded data is valid, yet \(error)")
    }
    try replaceDocuments(by: json) { data, document throws(ValidationError) in
      if let violation = document.service.contract.data.violations(in: data).first { throw violation }
      return try Document(data, of: document.service)
    }
  }

  /// Restores a state from its data; an API without data in it is as at the start.
  package init(_ json: JSONValue?, start: Store) throws(ValidationError) {
    documents = start.documents
    try replaceDocuments(by: json) { data, document throws(ValidationError) in try Document(data, start: document) }
  }

  private mutating func replaceDocuments(
    by json: JSONValue?, _ make: (JSONValue, Document) throws(ValidationError) -> Document
  ) throws(ValidationError) {
    guard let members = json?.object?.members else {
      throw ValidationError(.root, "expected an object with the data of APIs")
    }
    for member in members {
      guard let index = ServiceCatalogue.firstIndex(of: member.name) else {
        throw ValidationError(.root, "expected the name of an API, found \(JSONValue.string(member.name).text)")
      }
      do throws(ValidationError) {
        documents[index] = try make(member.value, documents[index])
      } catch {
        throw ValidationError(.root / member.name / error.pointer, error.detail)
      }
    }
  }
}
