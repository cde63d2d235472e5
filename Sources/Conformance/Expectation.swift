import Contract
import JSON

/// An expectation of a response, as data.
///
/// The records of a body are its elements, or those under `rooms` or `consolidated_weather`.
indirect enum Expectation: Sendable {
  /// The body is this JSON; members may be in any order.
  case json(JSONValue)
  /// The body is this JSON, with its members in this order.
  case ordered(JSONValue)
  /// The body is these bytes.
  case bytes(String)
  /// The body is the JSON of a GET, except for the members of an object that have these values.
  case sameAs(String, except: JSONValue = [:])
  /// The body has this value at a pointer, as in `/0/address/geo`.
  case value(String, JSONValue)
  /// The body has a value at a pointer, and the value conforms to the schema.
  case has(String, Schema)
  /// The records have these values of one member, in this order.
  case column(String, [JSONValue])
  /// The record with this id has this value of a member.
  case record(JSONValue, String, JSONValue)
  /// Each record, or an object in it, has these members in this order.
  case keys([String], of: String? = nil)
  /// Each record has this member, with a value that conforms to the schema.
  case each(String, Schema)
  /// Each record has these numbers, all with a fraction in their text or all without one.
  case numbers([String], haveFraction: Bool)
  /// The first member of the body has this name.
  case firstKey(String)
  case field(String, String)
  /// The field has this text in it.
  case fieldPart(String, String)
  /// The entity tag differs from the remembered one.
  case newTag
  /// An expectation of the initial data. Without a sandbox, other clients may have changed the data.
  case initially(Expectation)
  case all([Expectation])
  /// An expectation that no other case expresses.
  case code(@Sendable (Answer) throws(EarlyEnd) -> Void)
}

extension Expectation {
  func verify(_ answer: Answer, by session: Session, _ tag: String) throws(EarlyEnd) {
    switch self {
    case .json(let value): try answer.expect(json: value)
    case .ordered(let value):
      try answer.expect(json: value)
      try require(
        try answer.json().hasOrder(of: value), "members in the order of \(value.text)", found: answer.evidence)
    case .bytes(let text): try answer.expect(body: Array(text.utf8))
    case .sameAs(let path, let change):
      let wanted = try session.get(path).expect(200).json()
      let exception = change == [:] ? "" : " with \(change.text)"
      try answer.expect(json: change == [:] ? wanted : wanted.merging(change), "the JSON of GET \(path)\(exception)")
    case .value(let pointer, let value):
      let found = try answer.json().value(at: pointer)
      try require(found, equals: value, "\(pointer):", in: answer)
    case .has(let pointer, let schema):
      let value = try require(try answer.json().value(at: pointer), "a value at \(pointer)", found: answer.evidence)
      try require(
        schema.violations(in: value).isEmpty, "\(pointer) as \(schema.expectation)",
        found: "\(value.text) \(answer.place)")
    case .column(let name, let values):
      try require(
        .array(try answer.records().values(name)), equals: .array(values), "the values of \(name):", in: answer)
    case .record(let id, let name, let value):
      let wanted = value.string.map { JSONValue.string(session.filled($0)) } ?? value
      try require(try answer.record(id)[name], equals: wanted, "\(name) of \(id.text):", in: answer)
    case .keys(let names, let path):
      for record in try answer.records() {
        let object = path.flatMap { record[$0] } ?? record
        let found = object.object?.members.map { JSONValue.string($0.name) } ?? []
        let wanted = JSONValue.array(names.map(JSONValue.string))
        try require(.array(found), equals: wanted, "the keys of \(path ?? "a record"):", in: answer)
      }
    case .each(let name, let schema):
      for record in try answer.records() {
        let path = "/" + name.replacing(".", with: "/")
        let value = try require(
          record.value(at: path), "\(name) in each record", found: "\(record.text) \(answer.place)")
        try require(
          schema.violations(in: value).isEmpty, "\(name) as \(schema.expectation)",
          found: "\(value.text) \(answer.place)")
      }
    case .numbers(let names, let haveFraction):
      for record in try answer.records() {
        for name in names {
          let text = record[name]?.text ?? "nothing"
          let isFit = record[name]?.double != nil && text.contains(".") == haveFraction
          try require(
            isFit, "\(name) as a number with\(haveFraction ? "" : "out") a fraction",
            found: "\(text) \(answer.place)")
        }
      }
    case .firstKey(let name):
      try require(try answer.json().object?.members.first?.name == name, "\(name) first", found: answer.evidence)
    case .field(let name, let value): try answer.expect(name, value)
    case .fieldPart(let name, let part):
      try require(answer[name]?.contains(part) == true, "\(name) with \(part)", found: answer.describe(name))
    case .newTag:
      try require(try answer.field("ETag") != tag, "another ETag than \(tag)", found: answer.describe("ETag"))
    case .initially(let expectation):
      if session.sandbox != nil { try expectation.verify(answer, by: session, tag) }
    case .all(let expectations): for expectation in expectations { try expectation.verify(answer, by: session, tag) }
    case .code(let verify): try verify(answer)
    }
  }
}

extension Answer {
  /// Returns the records of the body: its elements, or those under the name of an API's list.
  func records() throws(EarlyEnd) -> [JSONValue] {
    let json = try json()
    let records = json.array ?? json["rooms"]?.array ?? json["consolidated_weather"]?.array
    return try require(records, "a list", found: evidence)
  }

  /// Returns the record with this id.
  func record(_ id: JSONValue) throws(EarlyEnd) -> JSONValue {
    try require(try records().first { $0["id"] == id }, "a record whose id is \(id.text)", found: evidence)
  }
}

extension JSONValue {
  /// Describes the first difference in meaning, or returns nil if there is none: the order of members does not count, and
  /// `1` equals `1.0`.
  func difference(from expected: JSONValue, at pointer: JSONPointer = .root) -> String? {
    switch (self, expected) {
    case (.object(let found), .object(let wanted)):
      // A hostile server may send very many members.
      let (foundValues, wantedValues) = (found.valuesByName, wanted.valuesByName)
      for name in Set(foundValues.keys).union(wantedValues.keys).sorted() {
        if let inner = Self.difference(foundValues[name], wantedValues[name], at: pointer / name) { return inner }
      }
      return nil
    case (.array(let found), .array(let wanted)):
      for index in 0..<max(found.count, wanted.count) {
        if let inner = Self.difference(found.element(index), wanted.element(index), at: pointer / index) {
          return inner
        }
      }
      return nil
    default:
      guard meaning != expected.meaning else { return nil }
      let place = pointer == .root ? "" : "\(pointer): "
      return "\(place)\(text.abbreviated(to: 100)) instead of \(expected.text.abbreviated(to: 100))"
    }
  }

  private static func difference(_ found: JSONValue?, _ expected: JSONValue?, at pointer: JSONPointer) -> String? {
    switch (found, expected) {
    case (.none, .none): nil
    case (.some(let found), .some(let expected)): found.difference(from: expected, at: pointer)
    case (.some(let found), .none): "\(pointer): \(found.text.abbreviated(to: 100)) instead of nothing"
    case (.none, .some(let expected)): "\(pointer): nothing instead of \(expected.text.abbreviated(to: 100))"
    }
  }

  /// True if the members of all objects are in the same order as in an equal value.
  fileprivate func hasOrder(of other: JSONValue) -> Bool {
    switch (self, other) {
    case (.object(let first), .object(let second)):
      first.members.elementsEqual(second.members) { $0.name == $1.name && $0.value.hasOrder(of: $1.value) }
    case (.array(let first), .array(let second)): first.elementsEqual(second) { $0.hasOrder(of: $1) }
    default: true
    }
  }

  /// Returns the value at a pointer whose names contain neither `~` nor `/`.
  fileprivate func value(at pointer: String) -> JSONValue? {
    var value = self
    for name in pointer.split(separator: "/") {
      guard let inner = value.array?.element(Int(name) ?? -1) ?? value[String(name)] else { return nil }
      value = inner
    }
    return value
  }
}

extension [JSONValue] {
  /// The element at this position, or nil if there is none.
  fileprivate func element(_ index: Int) -> JSONValue? { indices.contains(index) ? .some(self[index]) : .none }
}

extension JSONValue.Object {
  fileprivate var valuesByName: [String: JSONValue] {
    Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
  }
}
