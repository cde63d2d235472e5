import Contract
import JSON

/// Objects in a fixed order, found by id in constant time, and stored with their bytes.
///
/// A change renders only the changed record; the bytes of the whole list are rendered at its next use.
struct RecordTable: Sendable {
  struct Record: Sendable {
    let object: JSON.Object
    let representation: Representation

    init(_ object: JSON.Object) {
      self.object = object
      representation = Representation(.object(object))
    }
  }

  private(set) var records: [Record]
  private let places: [String: Int]
  private var list: Representation?

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - elements: Objects with an `id` that is a string or an integer.
  ///   - pointer: The position of the elements in their document, for the error about a repeated id.
  init(_ elements: [JSON], at pointer: JSONPointer) throws(Violation) {
    records = elements.compactMap(\.object).map(Record.init)
    places = try Self.places(of: elements, at: pointer)
  }

  /// Returns the index of each id; throws if two are equal.
  static func places(of elements: [JSON], at pointer: JSONPointer) throws(Violation) -> [String: Int] {
    var places: [String: Int] = [:]
    places.reserveCapacity(elements.count)
    for (place, element) in elements.enumerated() {
      guard let id = element["id"]?.idText else { throw Violation(pointer / place, "expected an id, found none") }
      guard places.updateValue(place, forKey: id) == nil else {
        throw Violation(pointer / place / "id", "expected a unique id, found \(id) a second time")
      }
    }
    return places
  }

  subscript(id: String) -> Record? { places[id].map { records[$0] } }

  /// Returns true if a call requests the list, and the list has to be rendered from very many records.
  func isLongToList(_ call: Call) -> Bool { call.arguments.isEmpty && list == nil && records.count > 4_000 }

  var json: JSON { .array(records.map { .object($0.object) }) }

  /// Sets members of a record.
  ///
  /// - Returns: The new record, and its change if it differs from the old one; nil if there is no such record.
  mutating func update(_ id: String, with changes: [JSON.Member]) -> (record: Record, change: Delta.Change?)? {
    guard let place = places[id] else { return nil }
    let old = records[place].object
    var object = old
    object.apply(changes) { _, new in new }
    guard object != old else { return (records[place], nil) }
    records[place] = Record(object)
    list = nil
    return (records[place], Delta.Change(new: .record(place, object), old: .record(place, old)))
  }

  /// Applies a delta to the records; their ids do not change.
  mutating func apply(_ delta: Delta) throws(Delta.Misfit) {
    switch delta {
    case .record(let place, let object):
      guard records.indices.contains(place), records[place].object["id"] == object["id"] else {
        throw Delta.Misfit(expectation: "a record with the id of the one at its index")
      }
      records[place] = Record(object)
      list = nil
    case .records(let elements):
      do throws(Violation) {
        self = try RecordTable(elements, at: .root)
      } catch {
        throw Delta.Misfit(expectation: "records, \(error.detail)")
      }
    case .several(let deltas): for delta in deltas { try apply(delta) }
    default: throw Delta.Misfit(expectation: "a record")
    }
  }

  /// Returns the change that turns this table into `other`; nil if they are equal.
  func change(to other: RecordTable) -> Delta.Change? {
    guard places == other.places else {
      return Delta.Change(
        new: .records(other.records.map { .object($0.object) }), old: .records(records.map { .object($0.object) }))
    }
    let places = records.indices.filter { records[$0].object != other.records[$0].object }
    guard !places.isEmpty else { return nil }
    return Delta.Change(
      new: .several(places.map { .record($0, other.records[$0].object) }),
      old: .several(places.map { .record($0, records[$0].object) }))
  }

  /// Returns all records as one JSON array; it is rendered only after a change.
  mutating func representation() -> Representation {
    if let list { return list }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(records.reduce(2) { $0 + $1.representation.bytes.count + 1 })
    bytes.append(UInt8(ascii: "["))
    for (place, record) in records.enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += record.representation.bytes
    }
    bytes.append(UInt8(ascii: "]"))
    let rendered = Representation(bytes, .json, tag: EntityTag(joining: records.map(\.representation.tag)))
    list = rendered
    return rendered
  }
}

extension JSON {
  /// An id as written in a path: a string unchanged, an integer in decimal digits.
  var idText: String? { string ?? int.map { String($0) } }
}
