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

  package struct Value: Sendable {
    let register: Register
    let value: JSONValue

    init(_ record: Record, _ member: String, _ value: JSONValue) {
      register = Register(record: record, member: member)
      self.value = value
    }

    /// The value as compact JSON.
    var text: String { value.text }
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
    return members.compactMap { member in json[member].map { Value(record, member, $0) } }
  }
}

extension Register {
  /// The effect of a write on registers; nil for other operations.
  ///
  /// - Parameters:
  ///   - api: The API's index in the catalogue.
  ///   - named: The record, if it is known already.
  package static func effect(
    ofWriting operation: Contract.Operation, _ api: Int, _ arguments: [String], _ body: JSONValue?,
    in named: RecordName? = nil
  ) -> Observation.Effect? {
    let effect = operation.effect
    guard operation.changesState, API.all.indices.contains(api) else { return nil }
    guard effect.counter != nil || !operation.settableMembers.isEmpty else { return nil }
    guard let name = named?.text ?? effect.recordName(arguments, body) else { return Observation.Effect.none }
    let record = Record(API.all[api].name, name)
    if let counter = effect.counter { return .decrement(Register(record: record, member: counter)) }
    guard let body else { return Observation.Effect.none }
    let content = body.object ?? JSONValue.Object()
    var values: [Value] = []
    values.reserveCapacity(min(content.members.count, operation.settableMembers.count))
    for member in operation.settableMembers {
      if let value = content[member.name] { values.append(Value(record, member.name, value)) }
    }
    return .write(values)
  }
}
