import Contract
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
  ///
  /// A class, because the exchanges with a record share it.
  package final class Record: Sendable, Hashable {
    package let api: String
    package let id: String
    /// The hash of the id.
    let hash: UInt64

    package init(_ api: String, _ id: String) {
      self.api = api
      self.id = id
      hash = Observation.hash(id)
    }

    package static func == (left: Record, right: Record) -> Bool {
      left === right || left.hash == right.hash && left.id == right.id && left.api == right.api
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
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

  /// The record, and the length of the member's name, tell most registers apart.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(record.hash &+ UInt64(member.utf8.count))
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
  /// The values that a write sets in one record. They are stored as the members of its body.
  package struct Values: Sendable, RandomAccessCollection {
    let record: Record
    let members: [JSONValue.Member]

    package init(_ record: Record, _ members: [JSONValue.Member]) {
      self.record = record
      self.members = members
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { members.count }

    package subscript(index: Int) -> Value { Value(record, members[index].name, members[index].value) }
  }
}
