package import Contract
package import JSON

/// The meaning of a request, however it is spelled: another order of keys, a space, an ignored field or a fresh
/// `Idempotency-Key` make no other request of it.
///
/// The one notion of repetition: attempts are told by it, double effects, and what follows a lost reply. It is worked out
/// from what the contract declares of the operation.
package struct Intent: Sendable, Equatable {
  typealias Kind = Contract.Operation.Effect.Kind

  let kind: Kind
  /// The hash of the record's name; nil for all records of the API.
  let record: UInt64?
  /// The registers of the record that it sets, in the order of their names; empty for all of them.
  let members: [String]
  /// The hash of everything in the request that has a meaning.
  let meaning: UInt64

  init(_ kind: Kind, record: UInt64?, members: [String] = [], meaning: UInt64 = 0) {
    self.kind = kind
    self.record = record
    self.members = members
    self.meaning = meaning
  }

  /// True if its success tells what became of a write, or makes that moot.
  func resolves(_ write: Intent) -> Bool {
    switch kind {
    case .reads: record == nil || record == write.record
    case .sets:
      write.kind == .sets && (record == nil || record == write.record)
        && (members.isEmpty || !write.members.isEmpty && write.members.allSatisfy(members.contains))
    case .adds, .none: false
    }
  }
}

extension Intent {
  /// Reads what an operation is asked for; nil where the bytes themselves are all that is known.
  ///
  /// - Parameters:
  ///   - body: The request's body, where it is JSON; asked for only where it says something.
  ///   - named: The record, if it is known already.
  package init?(
    _ operation: Contract.Operation, _ arguments: [String], _ body: JSONValue?, in named: RecordName? = nil
  ) {
    let effect = operation.effect
    let named = named ?? effect.recordName(arguments, body).map { RecordName($0) }
    switch effect.kind {
    case .none: return nil
    case .reads:
      self.init(.reads, record: named?.hash)
    case .adds:
      if effect.record == nil {
        guard let body else { return nil }
        let path = Observation.hash(([operation.path.text] + arguments).joined(separator: "/"))
        self.init(.adds, record: nil, meaning: path.mixed(with: body.meaning))
      } else {
        guard let named else { return nil }
        self.init(.adds, record: named.hash, meaning: named.hash)
      }
    case .sets:
      guard let named else {
        guard effect.restoresAll else { return nil }
        self.init(.sets, record: nil)
        return
      }
      if let value = effect.value {
        self.init(.sets, record: named.hash, meaning: named.hash.mixed(with: Observation.hash(value)))
      } else {
        guard let body = body?.object else { return nil }
        self.init(setting: body.members, of: named, operation)
      }
    }
  }

  private init(setting members: [JSONValue.Member], of record: RecordName, _ operation: Contract.Operation) {
    let settable = operation.settableMembers
    let isStrict = !operation.ignoresOtherMembers
    var contentHash: UInt64 = 0
    var registers: [String] = []
    for member in members {
      if let index = settable.indices.first(where: { member.isNamed(settable[$0].name) }) {
        contentHash &+= settable[index].hash.mixed(with: member.value.meaning)
        // Only names of registers are stored: a body may have any number of other members, for which it is refused.
        if !registers.contains(settable[index].name) { registers.append(settable[index].name) }
      } else if isStrict {
        // A member that only repeats the record's id in the path sets nothing.
        if operation.path.segments.contains(.variable(member.name)), member.value.idText == record.text { continue }
        contentHash &+= member.meaning
      }
    }
    if registers.count > 1 { registers.sort() }
    // A body that sets no register changes nothing, so it makes nothing irrelevant.
    self.init(
      registers.isEmpty && !settable.isEmpty ? .none : .sets, record: record.hash, members: registers,
      meaning: record.hash.mixed(with: contentHash))
  }
}

/// The name of a record, and its hash.
package struct RecordName: Sendable {
  let text: String
  let hash: UInt64

  init(_ text: String) {
    self.text = text
    hash = Observation.hash(text)
  }
}

extension Contract.Operation.Effect {
  /// The name of the record that a request is about; nil where it names none.
  func recordName(_ arguments: [String], _ body: JSONValue?) -> String? {
    switch record {
    case nil: nil
    case .path: arguments.count == 1 ? arguments[0] : arguments.joined(separator: "/")
    case .loosePath: arguments.map(Name.normalized).joined(separator: "/")
    case .member(let name): body?[name]?.idText
    }
  }
}

extension JSONValue {
  /// The hash of a document, whatever the order of its members.
  fileprivate var meaning: UInt64 {
    switch self {
    case .null: 1
    case .bool(let value): value ? 2 : 3
    case .number(let number): Observation.hash(number.text).mixed(with: 4)
    case .string(let text): Observation.hash(text).mixed(with: 5)
    case .array(let elements): elements.reduce(6) { $0.mixed(with: $1.meaning) }
    case .object(let object): object.members.reduce(7) { $0 &+ $1.meaning }.mixed(with: 8)
    }
  }
}

extension JSONValue.Member {
  fileprivate var meaning: UInt64 { Observation.hash(name).mixed(with: value.meaning) }
}
