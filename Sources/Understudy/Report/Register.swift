import Contract
import Faults
import HTTP1
import JSON

/// A part of the state that one write replaces as a whole, or counts down: what can be audited.
struct Register: Sendable, Hashable {
  let record: Record
  let member: String

  /// The record of an API to which a register belongs.
  struct Record: Sendable, Hashable {
    let api: String
    let id: String

    init(_ api: String, _ id: String) {
      self.api = api
      self.id = id
    }
  }

  struct Value: Sendable, Hashable {
    let register: Register
    /// The value as compact JSON.
    let text: String

    init(_ record: Record, _ member: String, _ text: String) {
      register = Register(record: record, member: member)
      self.text = text
    }
  }

  /// The name in the history: `devices/WWM-0001-12/installationDate`.
  var name: String { "\(record.api)/\(record.id)/\(member)" }

  /// Returns the values of a record in its JSON.
  static func values(of record: Record, in json: JSONValue) -> [Value] {
    let members = API.all.first { $0.name == record.api }?.registers ?? []
    return members.compactMap { member in json[member].map { Value(record, member, $0.text) } }
  }
}

extension Register {
  /// Returns the effect of an exchange on registers, or the values that it returned.
  ///
  /// - Parameter body: The request's JSON body, evaluated only if it matters.
  static func effect(
    of operation: Contract.Operation, _ api: Int, _ arguments: [String], _ body: JSONValue?,
    _ exchange: borrowing Exchange,
    _ answer: Backend.Answer?, status: Int?
  ) -> Observation.Effect {
    if operation.effect.kind == .reads {
      return read(operation.effect, api, arguments, exchange, answer, status)
    }
    return effect(ofWriting: operation, api, arguments, body) ?? .none
  }

  /// The effect of a write on registers; nil for other operations.
  ///
  /// - Parameter api: The API's place in the catalogue.
  static func effect(
    ofWriting operation: Contract.Operation, _ api: Int, _ arguments: [String], _ body: JSONValue?
  ) -> Observation.Effect? {
    let effect = operation.effect
    guard operation.changesState, API.all.indices.contains(api) else { return nil }
    guard effect.counter != nil || !operation.settableMembers.isEmpty else { return nil }
    guard let name = effect.recordName(arguments, body) else { return Observation.Effect.none }
    let record = Record(API.all[api].name, name)
    if let counter = effect.counter { return .take(Register(record: record, member: counter)) }
    guard let body else { return Observation.Effect.none }
    return .write(operation.settableMembers.compactMap { name in body[name].map { Value(record, name, $0.text) } })
  }

  /// A response that the plan changed shows nothing about the state.
  private static func read(
    _ effect: Contract.Operation.Effect, _ api: Int, _ arguments: [String], _ exchange: borrowing Exchange,
    _ answer: Backend.Answer?, _ status: Int?
  ) -> Observation.Effect {
    guard status == 200, effect.record != nil, !exchange.isHead, exchange.plan.damage == nil,
      exchange.plan.status == nil, API.all.indices.contains(api), !API.all[api].registers.isEmpty,
      let name = effect.recordName(arguments, nil), let bytes = answer?.response.representation?.bytes
    else { return .none }
    return .read(Record(API.all[api].name, name), body: bytes)
  }
}
