import Contract
import Faults
import JSON

/// The state of all APIs of one sandbox, as a value: copying it stores it, assigning it restores it.
struct Store: Sendable {
  private var behaviours: [any Behaviour]
  /// A number that increases by one with each change.
  private(set) var version = 0

  /// Makes the state.
  ///
  /// - Parameters:
  ///   - seeds: Valid data.
  ///   - now: The time at which the state is made.
  init(_ seeds: SeedData, at now: Instant) {
    behaviours = zip(Behaviours.all, seeds.documents).map { $0.made(of: $1, at: now) }
  }

  func isLong(api: Int, _ call: Call) -> Bool { behaviours[api].isLong(call) }

  mutating func respond(api: Int, to call: Call) -> Reply {
    let reply = behaviours[api].respond(to: call)
    if reply.changed { version += 1 }
    return reply
  }

  /// Applies a rival's action. Returns the API and the action; nil if the rival had nothing to do.
  mutating func move(_ rival: Rivals.Move) -> (api: Int, move: RivalMove)? {
    for place in behaviours.indices {
      guard let move = behaviours[place].move(takes: rival.takes, draw: rival.draw) else { continue }
      version += 1
      return (place, move)
    }
    return nil
  }

  /// Applies a delta to an API's state.
  mutating func apply(_ delta: Delta, to api: Int) throws(Delta.Misfit) {
    try behaviours[api].apply(delta)
    version += 1
  }

  /// Reverts a change that no client has seen, and its version.
  mutating func takeBack(_ delta: Delta, of api: Int) {
    do {
      try behaviours[api].apply(delta)
      version -= 1
    } catch {
      preconditionFailure("what was changed in this turn can be changed back: expected \(error.expectation)")
    }
  }

  /// The complete state of each API for the state log, in the order of the catalogue.
  var kept: [JSON] { behaviours.map(\.kept) }

  /// Restores a stored state; an API that was not stored is as in `start`.
  ///
  /// - Parameter kept: The states by the API's index in the catalogue.
  init(kept: [Int: JSON], besides start: Store, at now: Instant) throws(Violation) {
    behaviours = start.behaviours
    for (place, document) in kept {
      do throws(Violation) {
        behaviours[place] = try Behaviours.all[place].init(kept: document, at: now)
      } catch {
        throw Violation(.root / Behaviours.all[place].contract.name / error.pointer, error.detail)
      }
    }
  }

  /// The data of all APIs, as shown by `/_mock/state`.
  var seeds: SeedData { SeedData(documents: behaviours.map(\.data)) }

  /// Returns a record of an API by its name.
  func record(_ id: String, of api: String) -> JSON? {
    behaviours.first { type(of: $0).contract.name == api }?.record(id)
  }

  /// Returns the data of one API by its name.
  func data(of api: String) -> JSON? {
    behaviours.first { type(of: $0).contract.name == api }?.data
  }

  var document: JSON {
    .object(JSON.Object(behaviours.map { JSON.Member(type(of: $0).contract.name, $0.data) }))
  }

  /// Changes the data of some APIs by a merge patch whose members are APIs; it counts as one change.
  mutating func merge(_ patch: JSON, at now: Instant) throws(Problem) {
    let merged = try seeds.merging(patch)
    var changed = behaviours
    for member in patch.object?.members ?? [] {
      guard let place = Behaviours.all.firstIndex(where: { $0.contract.name == member.name }) else { continue }
      do throws(Violation) {
        try changed[place].take(merged.documents[place], at: now)
      } catch {
        throw .invalid([Violation(.root / member.name / error.pointer, error.detail)])
      }
    }
    behaviours = changed
    version += 1
  }

  /// Replaces the state; it counts as a change.
  mutating func replace(with store: Store) {
    behaviours = store.behaviours
    version += 1
  }
}

extension Behaviour {
  /// Returns the state made from valid data.
  fileprivate static func made(of document: JSON, at now: Instant) -> any Behaviour {
    do {
      return try Self(data: document, at: now)
    } catch {
      preconditionFailure("data is checked before a state is made of it, yet \(error.pointer): \(error.detail)")
    }
  }
}
