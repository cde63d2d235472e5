package import Contract
package import JSON
import Primitives

/// The meaning of a request that is no read: its intent, and its purpose for people. It is worked out in one pass over the
/// body, from what the contract declares of the operation.
///
/// A class, so that the observation of an exchange holds one reference.
package final class Meaning: Sendable {
  /// The request's intent; nil where the bytes themselves are all that is known.
  let intent: Intent?
  let purpose: Purpose
  /// The hash of what equal writes share though their times and random ids differ; nil if it is not known.
  let likeness: UInt64?
  /// True if it has an id that its response repeats, as a call of JSON-RPC has.
  let isCall: Bool

  package init(_ intent: Intent?, _ purpose: Purpose = .none, likeness: UInt64? = nil, isCall: Bool = false) {
    self.intent = intent
    self.purpose = purpose
    self.likeness = likeness
    self.isCall = isCall
  }

  /// True if the request is compared by its intent, and not by its bytes.
  package var hasIntent: Bool { intent != nil }

  /// Reads what an operation is asked for.
  ///
  /// - Parameters:
  ///   - api: The index of the operation's API in the catalogue.
  ///   - body: The request's body, if it is JSON.
  ///   - named: The record, if it is known already.
  package convenience init(
    _ operation: Contract.Operation, of api: Int, _ arguments: [String], _ body: JSONValue?,
    in named: Subject.Record? = nil
  ) {
    let record = named ?? operation.recordName(arguments, body).map { Subject.Record(API.all[api].name, $0) }
    switch operation.effect.kind {
    case .none: self.init(nil)
    case .reads: self.init(Intent(.reads, record: record?.hash))
    case .adds where operation.effect.record == nil:
      let path = Observation.hash(([operation.path.text] + arguments).joined(separator: "/"))
      let meaning = body?.meaning
      self.init(
        meaning.map { Intent(.adds, record: nil, meaning: path.mixed(with: Observation.hash($0[...]))) },
        likeness: meaning.map { path.mixed(with: Likeness.hash(of: $0)) })
    case .adds:
      let intent = record.map { Intent(.adds, record: $0.hash, meaning: $0.hash) }
      self.init(intent, operation.effect.counter == nil ? .none : record.map { .takes(from: $0) } ?? .none)
    case .sets where operation.effect.restoresAll: self.init(Intent(.sets, record: nil))
    case .sets:
      let (intent, purpose) = record.map { Self.setting($0, to: body, operation) } ?? (nil, .none)
      self.init(intent, purpose)
    }
  }

  /// Reads a write to an API of which only RFC 9110 is known: its method, path, query and content all have a meaning.
  ///
  /// - Parameters:
  ///   - record: The record that the path names.
  ///   - query: The meaning of the target's query.
  ///   - content: The meaning of the content.
  ///   - json: The content, if it is JSON.
  ///   - isCall: True if it has an id that its response repeats.
  package convenience init(
    _ operation: Contract.Operation, on record: Subject.Record, _ method: String, query: [UInt8], content: [UInt8],
    _ json: JSONValue?, isCall: Bool
  ) {
    let target = record.hash.mixed(with: Observation.hash(method))
    let meaning = target.mixed(with: Observation.hash(query[...])).mixed(with: Observation.hash(content[...]))
    var intent = Intent(operation.effect.kind, of: record, meaning: meaning)
    intent.isRemoval = method == "DELETE"
    self.init(
      intent, operation.effect.kind == .sets ? json?.object.map { .sets($0.members) } ?? .none : .none,
      likeness: target.mixed(with: Likeness.hash(of: query)).mixed(with: Likeness.hash(of: content)), isCall: isCall)
  }

  private static func setting(
    _ record: Subject.Record, to body: JSONValue?, _ operation: Contract.Operation
  ) -> (Intent?, Purpose) {
    if let value = operation.effect.value {
      return (Intent(.sets, record: record.hash, meaning: record.hash.mixed(with: Observation.hash(value))), .none)
    }
    if operation.method == .delete {
      var intent = Intent(.sets, record: record.hash, meaning: record.hash)
      intent.isRemoval = true
      return (intent, .none)
    }
    guard case .object(let object) = body else { return (nil, .none) }
    let (intent, values) = read(object.members, of: record, operation)
    return (intent, .sets(values))
  }

  /// Returns the intent of a body, and the members that it sets, in the order in which the operation declares them.
  private static func read(
    _ members: [JSONValue.Member], of record: Subject.Record, _ operation: Contract.Operation
  ) -> (Intent, [JSONValue.Member]) {
    let settable = operation.effect.settableMembers
    var contentHash: UInt64 = 0
    var registers: [String] = []
    // Mostly a body has nothing but such members in their order: then it is stored as it is.
    var (isInOrder, last) = (true, -1)
    for index in members.indices {
      let name = members[index].name
      guard let found = operation.effect.settableNames.index(of: name) else {
        isInOrder = false
        if !operation.ignoresOtherMembers { contentHash &+= members[index].meaning(besides: record, operation) }
        continue
      }
      contentHash &+= settable[found].hash.mixed(with: members[index].value.meaningHash)
      // Only names of registers are stored: a body may have any number of other members, for which it is refused.
      if registers.isEmpty {
        registers = settable[found].nameAlone
      } else if !registers.contains(name) {
        registers.append(settable[found].name)
      }
      isInOrder = isInOrder && found > last
      last = found
    }
    if registers.count > 1 { registers.sort() }
    // A body that sets no register changes nothing, so it makes nothing irrelevant.
    let intent = Intent(
      registers.isEmpty && !settable.isEmpty ? .none : .sets, record: record.hash, members: registers,
      meaning: record.hash.mixed(with: contentHash))
    if isInOrder { return (intent, members) }
    return (intent, settable.compactMap { setting in members.first { $0.name.hasBytes(of: setting.name) } })
  }
}

extension Contract.Operation {
  /// The name of the record that a request is about; nil where it names none.
  func recordName(_ arguments: [String], _ body: JSONValue?) -> String? {
    switch effect.record {
    case nil: nil
    case .path: arguments.count == 1 ? arguments[0] : arguments.joined(separator: "/")
    case .loosePath: arguments.map(Effect.Name.normalized).joined(separator: "/")
    case .member(let name): body?[name]?.idText
    }
  }
}

/// The purpose of a write, for people.
package enum Purpose: Sendable {
  case none
  /// It sets members of a record. They are stored as in its body.
  case sets([JSONValue.Member])
  /// It takes from a counter of a record.
  case takes(from: Subject.Record)

  var isNone: Bool { if case .none = self { true } else { false } }

  /// The text for a line: `name: Ljerka`.
  var text: String {
    switch self {
    case .none: ""
    case .takes(let record):
      Self.cut((API.all.first { $0.name == record.api }?.records.name ?? "") + ": " + record.id)
    case .sets(let members):
      Self.cut(members.map { "\($0.name): \(Self.value(of: $0))" }.joined(separator: ", "))
    }
  }

  private static func value(of member: JSONValue.Member) -> String {
    SecretNames.members.contains(member.name) ? "(masked)" : cut(member.value.text)
  }

  /// Truncates by scalars, because one character may have any number of marks.
  private static func cut(_ text: String) -> String { String(text.unicodeScalars.prefix(120)) }
}

extension JSONValue {
  /// The hash of what it means, as requests with the same `Idempotency-Key` are compared.
  fileprivate var meaningHash: UInt64 { Observation.hash(meaning[...]) }
}

extension JSONValue.Member {
  /// The hash of a member that no register has; 0 if it only repeats the record's id in the path, which sets nothing.
  fileprivate func meaning(besides record: Subject.Record, _ operation: Contract.Operation) -> UInt64 {
    operation.path.segments.contains(.variable(name)) && value.idText == record.id
      ? 0 : Observation.hash(name).mixed(with: value.meaningHash)
  }
}
