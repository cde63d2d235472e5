import Contract
import JSON

/// Objects in a fixed order, found by id in constant time, and stored with their bytes.
///
/// A change renders only the changed record; the bytes of the whole list are rendered at its next use.
struct RecordTable: Sendable {
  struct Record: Sendable {
    let object: JSONValue.Object
    let representation: Representation
    /// The end of each member in the bytes, so that a change renders only the members that it sets.
    private let ends: [Int]

    /// Creates a record.
    ///
    /// - Parameter former: The record that it replaces; the bytes of equal members are copied.
    init(_ object: JSONValue.Object, replacing former: Record? = nil) {
      var bytes: [UInt8] = []
      var ends: [Int] = []
      bytes.reserveCapacity(256)
      ends.reserveCapacity(object.members.count)
      bytes.append(UInt8(ascii: "{"))
      for index in object.members.indices {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        if let former, index < former.ends.count, former.object.members[index] == object.members[index] {
          bytes += former.representation.bytes[former.start(ofMemberAt: index)..<former.ends[index]]
        } else {
          object.members[index].write(to: &bytes)
        }
        ends.append(bytes.count)
      }
      bytes.append(UInt8(ascii: "}"))
      self.object = object
      self.ends = ends
      representation = Representation(bytes, .json)
    }

    /// Returns the index of a member's first byte, after the brace or the comma.
    private func start(ofMemberAt index: Int) -> Int { index == 0 ? 1 : ends[index - 1] + 1 }
  }

  private var records: ChunkedArray<Record>
  private let indices: [String: Int]
  private var list: Representation?

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - elements: Objects with an `id` that is a string or an integer.
  ///   - pointer: The position of the elements in their document, for the error about a repeated id.
  init(_ elements: [JSONValue], at pointer: JSONPointer) throws(ValidationError) {
    records = ChunkedArray(elements.compactMap(\.object).map { Record($0) })
    indices = try Self.indices(of: elements, at: pointer)
  }

  /// Returns the index of each id; throws if two are equal.
  static func indices(of elements: [JSONValue], at pointer: JSONPointer) throws(ValidationError) -> [String: Int] {
    var indices: [String: Int] = [:]
    indices.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      guard let id = element["id"]?.idText else { throw ValidationError(pointer / index, "expected an id, found none") }
      guard indices.updateValue(index, forKey: id) == nil else {
        throw ValidationError(pointer / index / "id", "expected a unique id, found \(id) a second time")
      }
    }
    return indices
  }

  subscript(id: String) -> Record? { indices[id].map { records[$0] } }

  /// Returns true if a call requests the list, and the list has to be rendered from very many records.
  func isLongToList(_ call: Call) -> Bool { call.arguments.isEmpty && list == nil && records.count > 4_000 }

  var json: JSONValue { .array(records.map { .object($0.object) }) }

  /// Sets members of a record.
  ///
  /// - Returns: The new record, and its change if it differs from the old one; nil if there is no such record.
  mutating func update(_ id: String, with changes: [JSONValue.Member]) -> (record: Record, change: Delta?)? {
    guard let index = indices[id] else { return nil }
    var object = records[index].object
    object.apply(changes) { _, new in new }
    guard object != records[index].object else { return (records[index], nil) }
    let record = Record(object, replacing: records[index])
    records[index] = record
    list = nil
    return (record, .record(index, object))
  }

  /// Applies a delta to the records; their ids do not change.
  mutating func apply(_ delta: Delta) throws(Delta.MismatchError) {
    switch delta {
    case .record(let index, let object):
      guard records.indices.contains(index), records[index].object["id"] == object["id"] else {
        throw Delta.MismatchError(expectation: "a record with the id of the one at its index")
      }
      records[index] = Record(object)
      list = nil
    case .records(let elements):
      do throws(ValidationError) {
        self = try RecordTable(elements, at: .root)
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

  /// Returns all records as one JSON array; it is rendered only after a change.
  mutating func representation() -> Representation {
    if let list { return list }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(records.reduce(2) { $0 + $1.representation.bytes.count + 1 })
    bytes.append(UInt8(ascii: "["))
    for (index, record) in records.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += record.representation.bytes
    }
    bytes.append(UInt8(ascii: "]"))
    let rendered = Representation(bytes, .json, tag: EntityTag(joining: records.map(\.representation.tag)))
    list = rendered
    return rendered
  }
}
