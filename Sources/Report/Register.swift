package import Contract
import Faults
package import JSON

/// A part of the state that one write replaces as a whole, or counts down: what can be audited.
package struct Register: Sendable, Hashable {
  package let record: Record
  package let member: String

  package init(record: Record, member: String) {
    self.record = record
    self.member = member
  }

  /// The record of an API to which a register belongs.
  package struct Record: Sendable, Hashable {
    package let api: String
    package let id: String

    package init(_ api: String, _ id: String) {
      self.api = api
      self.id = id
    }
  }

  package struct Value: Sendable, Hashable {
    let register: Register
    /// The value as compact JSON.
    let text: String

    init(_ record: Record, _ member: String, _ text: String) {
      register = Register(record: record, member: member)
      self.text = text
    }
  }

  /// The record's name tells most registers apart.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(record.id)
    hasher.combine(member.utf8.count)
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
  /// The effect of a write on registers; nil for other operations.
  ///
  /// - Parameter api: The API's index in the catalogue.
  package static func effect(
    ofWriting operation: Contract.Operation, _ api: Int, _ arguments: [String], _ body: JSONValue?
  ) -> Observation.Effect? {
    let effect = operation.effect
    guard operation.changesState, API.all.indices.contains(api) else { return nil }
    guard effect.counter != nil || !operation.settableMembers.isEmpty else { return nil }
    guard let name = effect.recordName(arguments, body) else { return Observation.Effect.none }
    let record = Record(API.all[api].name, name)
    if let counter = effect.counter { return .decrement(Register(record: record, member: counter)) }
    guard let body else { return Observation.Effect.none }
    return .write(operation.settableMembers.compactMap { name in body[name].map { Value(record, name, $0.text) } })
  }
}
