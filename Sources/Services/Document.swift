import Contract
package import JSON

/// The state of one API: a JSON value of the shape that its contract declares, and the bytes rendered of it.
///
/// It is a value: a copy stores the state, and an assignment restores it. The records of the value are stored apart from
/// the rest, so that an edit of one of ten thousand takes no longer than an edit of one of ten.
package struct Document: Sendable {
  /// A part of the value that operations name: the index of a record, or of a member and of a member in it.
  struct Position: Sendable {
    let first: Int
    var second = 0
  }

  private struct Content: Sendable {
    /// The value without its list of records.
    var rest: JSONValue
    var records: ChunkedArray<Record>
    var positions: [String: Position]
    /// At least the number of changed records that are not rendered yet.
    var changedCount = 0
    /// The renderings of the whole value, by the names that the service gives them.
    var views: [String: Representation] = [:]
    /// All records as one array.
    var list: Representation?
  }

  private struct Record: Sendable {
    var object: JSONValue.Object
    /// Nil from a change to the next use.
    var representation: Representation?
  }

  let service: any Service.Type
  /// The state to which a reset returns.
  private var start: Content
  private var content: Content
  /// The record that was looked up last: clients poll a record, and read what they wrote.
  private var last: (id: String, index: Int)?

  /// The number of renderings of the whole value that are stored.
  static let viewCapacity = 16

  /// Creates the state of valid data. Throws what a schema cannot express, such as repeated ids.
  init(_ data: JSONValue, of service: any Service.Type) throws(ValidationError) {
    self.service = service
    start = try Self.content(data, of: service)
    content = start
  }

  /// Restores a stored state.
  ///
  /// - Parameters:
  ///   - data: The value.
  ///   - start: The state to which a reset returns.
  init(_ data: JSONValue, start: Document) throws(ValidationError) {
    if let violation = start.service.contract.data.violations(in: data).first { throw violation }
    self = start
    try load(data)
  }

  private static func content(_ data: JSONValue, of service: any Service.Type) throws(ValidationError) -> Content {
    let (place, layout) = (service.contract.records, service.layout)
    let records = place.list(in: data).compactMap(\.object).map { object in
      Record(object: object, representation: Representation(.object(object), layout))
    }
    var rest = data
    if let list = place.list, var object = data.object {
      object[list] = .array([])
      rest = .object(object)
    } else if data.array != nil {
      rest = .array([])
    }
    return Content(rest: rest, records: ChunkedArray(records), positions: try service.positions(in: data))
  }

  /// The value, in the shape that the contract declares.
  package var data: JSONValue { Self.data(content, service) }
  /// The value to which a reset returns.
  package var startData: JSONValue { Self.data(start, service) }

  var isAsAtStart: Bool { data == startData }

  private static func data(_ content: Content, _ service: any Service.Type) -> JSONValue {
    guard content.rest.array != nil || service.contract.records.list != nil else { return content.rest }
    let records = JSONValue.array(content.records.map { .object($0.object) })
    guard let list = service.contract.records.list, var object = content.rest.object else { return records }
    object[list] = records
    return .object(object)
  }
}

/// Changes of the whole state.
extension Document {
  /// Replaces the value; the state to which a reset returns stays the same.
  mutating func load(_ data: JSONValue) throws(ValidationError) {
    content = try Self.content(data, of: service)
    last = nil
  }

  /// Replaces the value by that of another state of the same API.
  mutating func restore(_ other: Document) {
    content = other.content
    last = nil
  }

  /// Returns to the start.
  mutating func reset() {
    content = start
    last = nil
  }
}

/// Records, and the rest of the value.
extension Document {
  var recordCount: Int { content.records.count }

  /// The value without its records.
  var rest: JSONValue { content.rest }

  func position(of name: String) -> Position? { content.positions[name] }

  mutating func index(of id: String) -> Int? {
    if let last, last.id == id { return last.index }
    last = content.positions[id].map { (id, $0.first) }
    return last?.index
  }

  func record(at index: Int) -> JSONValue.Object { content.records[index].object }

  /// Returns the record with an id.
  package func record(_ id: String) -> JSONValue? {
    content.positions[id].flatMap { position in
      content.records.indices.contains(position.first) ? .object(record(at: position.first)) : nil
    }
  }

  /// Returns the record with an id, as it is after a reset.
  func recordAtStart(_ id: String) -> JSONValue.Object? {
    start.positions[id].map { start.records[$0.first].object }
  }

  /// Sets members of the record at an index; returns false if it had these members before.
  mutating func update(at index: Int, with changes: [JSONValue.Member]) -> Bool {
    let isChanged = content.records.change(index) { record in
      guard record.object.apply(changes) else { return false }
      record.representation = nil
      return true
    }
    guard isChanged else { return false }
    // Changes of one record count again and again until the list is rendered.
    content.changedCount = min(content.changedCount + 1, recordCount)
    content.list = nil
    if !content.views.isEmpty { content.views = [:] }
    return true
  }

  /// Carries out a rival's action; returns false if it changed nothing.
  mutating func carryOut(_ move: RivalMove) -> Bool { update(at: move.index, with: [move.change]) }

  /// Changes the value apart from its records.
  mutating func edit(_ body: (inout JSONValue) -> Void) {
    body(&content.rest)
    content.views = [:]
  }
}

/// The bytes rendered of the value, once after a change.
extension Document {
  /// Returns the record with an id; nil if there is none.
  mutating func representation(of id: String) -> Representation? { index(of: id).map { representation(at: $0) } }

  mutating func representation(at index: Int) -> Representation {
    if let rendered = content.records[index].representation { return rendered }
    let rendered = Representation(.object(content.records[index].object), service.layout)
    content.records[index].representation = rendered
    return rendered
  }

  /// Returns all records as one JSON array.
  mutating func list() -> Representation {
    if let list = content.list { return list }
    let representations = content.records.indices.map { representation(at: $0) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(representations.reduce(2) { $0 + $1.bytes.count + 1 })
    bytes.append(UInt8(ascii: "["))
    for (index, representation) in representations.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += representation.bytes
    }
    bytes.append(UInt8(ascii: "]"))
    let rendered = Representation(bytes, .json, tag: EntityTag(joining: representations.map(\.tag)))
    content.list = rendered
    content.changedCount = 0
    return rendered
  }

  /// Returns a rendering of the whole value.
  ///
  /// - Parameter name: Its name among the renderings of the API.
  mutating func view(_ name: String, _ render: (Document) -> Representation) -> Representation {
    if let view = content.views[name] { return view }
    let view = render(self)
    if content.views.count >= Self.viewCapacity { content.views = [:] }
    content.views[name] = view
    return view
  }

  /// The number of stored renderings of the whole value.
  var viewCount: Int { content.views.count }

  /// The size of a document, on which it depends how long an operation takes.
  struct Size {
    let recordCount: Int
    /// True if the list has to be rendered from very many records.
    let isLongToList: Bool
  }

  var size: Size {
    Size(
      recordCount: recordCount,
      isLongToList: content.list == nil && content.records.count + content.changedCount * 10 > 4_000)
  }
}
