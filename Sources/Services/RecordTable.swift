import Contract
import JSON

/// Objects in a fixed order, found by id in constant time.
///
/// A changed record, and the list of all, are rendered at their next use.
struct RecordTable: Sendable {
  private struct Record: Sendable {
    var object: JSONValue.Object
    /// Nil from a change to the next use.
    var representation: Representation?

    init(_ object: JSONValue.Object) {
      self.object = object
      representation = Representation(.object(object))
    }

    /// Changes the members, and returns true if one was changed.
    mutating func change(_ body: (inout JSONValue.Object) -> Bool) -> Bool {
      guard body(&object) else { return false }
      representation = nil
      return true
    }
  }

  private var records: ChunkedArray<Record>
  /// At least the number of changed records that are not rendered yet.
  private var changedCount = 0
  private let indices: [String: Int]
  /// The id and the index of the record that was looked up last: clients poll a record, and read what they wrote.
  private var last: (id: String, index: Int)?
  private var list: Representation?

  /// Creates a table.
  ///
  /// - Parameter elements: Objects with an `id` that is a string or an integer.
  init(_ elements: [JSONValue]) throws(ValidationError) {
    records = ChunkedArray(elements.compactMap(\.object).map { Record($0) })
    indices = try Self.indices(of: elements)
  }

  /// Returns the index of each id; throws if two are equal.
  static func indices(of elements: [JSONValue]) throws(ValidationError) -> [String: Int] {
    var indices: [String: Int] = [:]
    indices.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      guard let id = element["id"]?.idText else { throw ValidationError(.root / index, "expected an id, found none") }
      guard indices.updateValue(index, forKey: id) == nil else {
        throw ValidationError(.root / index / "id", "expected a unique id, found \(id) a second time")
      }
    }
    return indices
  }

  mutating func index(of id: String) -> Int? {
    if let last, last.id == id { return last.index }
    last = indices[id].map { (id, $0) }
    return last?.index
  }

  func object(_ id: String) -> JSONValue.Object? { indices[id].map { records[$0].object } }

  /// Returns true if a call requests the list, and the list has to be rendered from very many records.
  func isLongToList(_ call: Call) -> Bool {
    call.arguments.isEmpty && list == nil && records.count + changedCount * 10 > 4_000
  }

  var json: JSONValue { .array(records.map { .object($0.object) }) }

  /// Sets members of the record at an index.
  ///
  /// - Returns: The change; nil if the record had these members before.
  mutating func update(at index: Int, with changes: [JSONValue.Member]) -> Delta? {
    guard change(index, { $0.apply(changes) }) else { return nil }
    return .record(index, records[index].object)
  }

  private mutating func change(_ index: Int, _ body: (inout JSONValue.Object) -> Bool) -> Bool {
    guard records.change(index, { $0.change(body) }) else { return false }
    // Changes of one record count again and again until the list is rendered.
    changedCount = min(changedCount + 1, records.count)
    list = nil
    return true
  }

  /// Applies a delta to the records; their ids do not change.
  mutating func apply(_ delta: Delta) throws(Delta.MismatchError) {
    switch delta {
    case .record(let index, let object):
      guard records.indices.contains(index), records[index].object["id"] == object["id"] else {
        throw Delta.MismatchError(expectation: "a record with the id of the one at its index")
      }
      _ = change(index) { record in
        record = object
        return true
      }
    case .records(let elements):
      do throws(ValidationError) {
        self = try RecordTable(elements)
      } catch {
        throw Delta.MismatchError(expectation: "records, \(error.detail)")
      }
    case .several(let deltas): for delta in deltas { try apply(delta) }
    default: throw Delta.MismatchError(expectation: "a record")
    }
  }

  /// Returns the change that turns this table into `other`; nil if they are equal.
  func change(to other: RecordTable) -> Delta? {
    guard indices == other.indices else { return .records(other.records.map { .object($0.object) }) }
    let indices = records.indices.filter { records[$0].object != other.records[$0].object }
    return indices.isEmpty ? nil : .several(indices.map { .record($0, other.records[$0].object) })
  }

  /// Returns the record with an id as JSON.
  mutating func representation(of id: String) -> Representation? {
    index(of: id).map { representation(at: $0) }
  }

  /// Returns the record at an index as JSON; it is rendered only after a change.
  mutating func representation(at index: Int) -> Representation {
    if let rendered = records[index].representation { return rendered }
    let rendered = Representation(.object(records[index].object))
    records[index].representation = rendered
    return rendered
  }

  /// Returns all records as one JSON array; it is rendered only after a change.
  mutating func representation() -> Representation {
    if let list { return list }
    let representations = records.indices.map { representation(at: $0) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(representations.reduce(2) { $0 + $1.bytes.count + 1 })
    bytes.append(UInt8(ascii: "["))
    for (index, representation) in representations.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += representation.bytes
    }
    bytes.append(UInt8(ascii: "]"))
    let rendered = Representation(bytes, .json, tag: EntityTag(joining: representations.map(\.tag)))
    list = rendered
    changedCount = 0
    return rendered
  }
}
