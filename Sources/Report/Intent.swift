import Contract

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
  /// The hashes of the records that contain it, if names are paths.
  let containers: [UInt64]
  /// The registers of the record that it sets, in the order of their names; empty for all of them.
  let members: [String]
  /// The hash of everything in the request that has a meaning.
  let meaning: UInt64
  /// True if it removes the record.
  var isRemoval = false

  init(_ kind: Kind, record: UInt64?, in containers: [UInt64] = [], members: [String] = [], meaning: UInt64 = 0) {
    self.kind = kind
    self.record = record
    self.containers = containers
    self.members = members
    self.meaning = meaning
  }

  /// Creates an intent about a record that the request names.
  init(_ kind: Kind, of record: Subject.Record, members: [String] = [], meaning: UInt64 = 0) {
    self.init(kind, record: record.hash, in: record.containers, members: members, meaning: meaning)
  }

  /// The hash of what is asked for.
  var hash: UInt64 { kind.rawValue.mixed(with: meaning) }

  /// True if it changes nothing.
  var reads: Bool { if case .reads = kind { true } else { false } }

  /// True if it sets values whatever they were before.
  var overwrites: Bool { if case .sets = kind { true } else { false } }

  /// True if its success tells what became of a write, or makes that moot.
  func resolves(_ write: Intent) -> Bool {
    switch kind {
    // A part of the record shows what became of all of it.
    case .reads: includes(write) || write.record.map(containers.contains) ?? false
    // A record that is removed was there: who adds it again has decided anew.
    case .sets where isRemoval && !write.overwrites:
      write.record.map { $0 == record || containers.contains($0) } ?? true
    case .sets:
      write.overwrites && includes(write)
        && (members.isEmpty || !write.members.isEmpty && write.members.allSatisfy(members.contains))
    case .adds, .none: false
    }
  }

  /// True if the records that it is about include those of another request.
  private func includes(_ other: Intent) -> Bool {
    guard let record else { return true }
    return record == other.record || other.containers.contains(record)
  }
}
