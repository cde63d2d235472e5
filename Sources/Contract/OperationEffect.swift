package import JSON
import Primitives

extension Operation {
  /// The effect of a successful request on the records of its API, which is the basis of the report card.
  ///
  /// The report's checks rely on it to distinguish a retry from a new request, and a write that took effect twice from
  /// a harmless repetition.
  package struct Effect: Sendable {
    package enum Kind: UInt64, Sendable {
      /// The response contains the records.
      case reads
      /// The request overwrites the records, whatever they held before: it is idempotent, and the last write wins.
      case sets
      /// Not idempotent: each request creates a record or decrements a counter.
      case adds
      /// The request neither shows nor changes what the records hold.
      case none
    }

    /// The part of a request that identifies its record.
    package enum Name: Sendable, Hashable {
      /// The path's variables, compared exactly.
      case path
      /// The path's variables, compared without case; a space, `+` and `-` are equal.
      case loosePath
      /// A member of the body; for a GET that writes, a parameter of the query.
      case member(String)
    }

    /// A member of a record that requests can set individually.
    package struct SettableMember: Sendable {
      package let name: String
      /// The hash of the name.
      package let hash: UInt64
      /// The name alone in a list, as the report stores the names of the members that a request sets.
      package let nameAlone: [String]

      fileprivate init(_ name: String) {
        self.name = name
        hash = FNV1a.hash(name)
        nameAlone = [name]
      }
    }

    package let kind: Kind
    /// The part of the request that identifies the record; nil if the request concerns all records of the API.
    package let record: Name?
    /// The value that the request sets, if it is in the path; nil if it is in the body.
    package let value: String?
    /// The member of the record that each request decrements.
    package let counter: String?
    /// True if it replaces all records of the API at once.
    package let restoresAll: Bool
    /// True if the effect is not declared, but what RFC 9110 says of a method that is not safe.
    package private(set) var isAssumed = false
    /// The part of a request that identifies a logical write: a field, or as a file of semantics names it. Nil if none is
    /// declared.
    package private(set) var key: String? = standardKey
    /// The members of a record that its requests can set individually.
    package private(set) var settableMembers: [SettableMember] = []
    /// Their names, to find them.
    package private(set) var settableNames = NameTable.empty

    private static let standardKey = "Idempotency-Key"

    private init(_ kind: Kind, of record: Name? = nil, value: String? = nil, counter: String? = nil) {
      self.kind = kind
      self.record = record
      self.value = value
      self.counter = counter
      restoresAll = kind == .sets && record == nil
    }

    /// The same effect, which is not declared.
    package var assumed: Effect {
      var effect = self
      effect.isAssumed = true
      return effect
    }

    /// The same effect with another part that identifies a logical write, or with none.
    package func keyed(by part: String?) -> Effect {
      var effect = self
      effect.key = part
      return effect
    }

    /// Returns the effect with the members of a record that requests can set individually: those of the body, except the
    /// ones that identify the record.
    func setting(membersOf body: RequestBody?, on path: PathTemplate) -> Effect {
      guard kind == .sets, record != nil, value == nil, case .object(let object) = body?.schema.shape else {
        return self
      }
      var effect = self
      effect.settableMembers = object.properties.map(\.name).filter { !path.segments.contains(.variable($0)) }
        .map { SettableMember($0) }
      effect.settableNames = NameTable(effect.settableMembers.map(\.name))
      return effect
    }

    package static let none = Effect(.none)

    /// Reads all records of the API.
    package static let readsAll = Effect(.reads)

    /// Reads one record.
    package static func reads(_ record: Name) -> Effect { Effect(.reads, of: record) }

    /// Sets the members of one record to those of the body.
    package static func sets(_ record: Name) -> Effect { Effect(.sets, of: record) }

    /// Sets one record to a value that the operation implies, such as `on`.
    package static func sets(_ record: Name, to value: String) -> Effect { Effect(.sets, of: record, value: value) }

    /// Restores the initial state of all records of the API.
    package static let restoresAll = Effect(.sets)

    /// Creates a record from the body.
    package static let adds = Effect(.adds)

    /// Creates a record below one that the request names.
    package static func adds(to record: Name) -> Effect { Effect(.adds, of: record) }

    /// Decrements a counter of one record. Two requests for the same record are equal, whatever else they contain.
    package static func takes(_ counter: String, of record: Name) -> Effect {
      Effect(.adds, of: record, counter: counter)
    }
  }
}

extension Operation.Effect.Name {
  /// Returns a name in the form in which names are compared: `living-room`, `Living Room` and `living+room` are equal.
  package static func normalized(_ name: String) -> String {
    String(name.lowercased().map { $0 == " " || $0 == "+" ? "-" : $0 })
  }
}

extension Operation {
  /// True if nothing is known of its API but what RFC 9110 says of methods.
  package var isOfUnknownAPI: Bool { path == API.Generic.path }

  /// True if the operation ignores members that the body's schema does not declare.
  package var ignoresOtherMembers: Bool {
    guard case .object(let object) = documentation.body?.schema.shape, case .allowed = object.additional else {
      return false
    }
    return !object.properties.isEmpty
  }
}

extension JSONValue {
  /// An id as written in a path: a string unchanged, an integer in decimal digits.
  package var idText: String? { string ?? int.map { String($0) } }
}
