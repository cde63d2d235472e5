import Contract
import JSON

/// A check of one API as data: the requests in their order, and the expectations of their responses.
struct Row: Sendable {
  /// The check's id without the name of the API.
  let id: String
  let source: Check.Source
  let sentence: String
  let needs: Check.Requirement
  let steps: [Step]

  init(
    _ id: String, _ source: Check.Source, _ sentence: String, needs: Check.Requirement = .nothing, _ steps: Step...
  ) {
    self.id = id
    self.source = source
    self.sentence = sentence
    self.needs = needs
    self.steps = steps
  }
}

/// A part of a check.
///
/// In a path, a field or a body, `{fresh}` is a text that no other run uses, and `{tag}` the tag that `tag(of:)` has read. A
/// path of the API's own origin begins with its name: `@booking/rooms`.
indirect enum Step: Sendable {
  case request(Request)
  /// Reads a resource, and remembers its entity tag for `{tag}`.
  case tag(of: String)
  /// Expects that the JSON at these paths is the same after the steps as before, except for one change.
  case compared([String], Change?, [Step])
  /// Writes a member's value back after the steps, also after a failure.
  case restored(Place, [Step])
  /// Steps in which this contract goes beyond the real service. They are left out if only the service is judged.
  case beyond([Step])
  case several([Step])
  /// A step that no table can express.
  case code(@Sendable (Session) throws(EarlyEnd) -> Void)

  struct Request: Sendable {
    let method: String
    let path: String
    let fields: [String]
    let body: String?
    let status: Int
    let expectations: [Expectation]
  }

  /// A change of a list by the steps of a check.
  enum Change: Sendable {
    /// The record with this id has a new value of a member.
    case value(JSONValue, String, JSONValue)
    /// The rooms with these names have fewer free spots.
    case booked([String: Int])
  }

  /// A member of a record in a list, and the request that writes it.
  struct Place: Sendable {
    let list: String
    let id: JSONValue
    let member: String
    let method: String
    let path: String
  }
}

extension Step {
  static func get(
    _ path: String, with fields: [String] = [], gets status: Int = 200, _ expectations: Expectation...
  ) -> Step {
    .request(
      Request(method: "GET", path: path, fields: fields, body: nil, status: status, expectations: expectations))
  }

  static func send(
    _ method: String, _ path: String, _ body: String? = nil, with fields: [String] = [], gets status: Int = 200,
    _ expectations: Expectation...
  ) -> Step {
    .request(
      Request(method: method, path: path, fields: fields, body: body, status: status, expectations: expectations))
  }

  /// Returns the same step for each value.
  static func each<Value>(_ values: [Value], _ step: (Value) -> Step) -> Step { .several(values.map(step)) }

  static func unchanged(_ paths: String..., by steps: Step...) -> Step { .compared(paths, nil, steps) }

  static func changed(_ path: String, _ change: Change, by steps: Step...) -> Step { .compared([path], change, steps) }

  static func restoring(_ place: Place, _ steps: Step...) -> Step { .restored(place, steps) }

  static func ours(_ steps: Step...) -> Step { .beyond(steps) }

  /// Expects server-sent events, which have no end.
  static func stream(_ path: String) -> Step {
    .code { session throws(EarlyEnd) in
      let connection = try session.connect()
      try connection.send(session.request("GET", path))
      let head = try connection.answer(to: "HEAD of \(path)").expect(200)
      try require(
        head.mediaType == "text/event-stream", "Content-Type: text/event-stream", found: head.describe("Content-Type"))
    }
  }
}

extension [Step] {
  func run(by session: Session) throws(EarlyEnd) {
    var tag = ""
    try run(by: session, &tag)
  }

  fileprivate func run(by session: Session, _ tag: inout String) throws(EarlyEnd) {
    for step in self { try step.run(by: session, &tag) }
  }
}

extension Step {
  fileprivate func run(by session: Session, _ tag: inout String) throws(EarlyEnd) {
    switch self {
    case .request(let request): try request.run(by: session, tag)
    case .tag(let path): tag = try session.get(path).expect(200).field("ETag")
    case .compared(let paths, let change, let steps):
      var before: [JSONValue] = []
      for path in paths {
        before.append(try session.get(path).expect(200).expect(ownOf: path, by: session).json())
      }
      try steps.run(by: session, &tag)
      for (path, before) in zip(paths, before) {
        let answer = try session.get(path).expect(200)
        let wanted = change?.applied(to: before) ?? before
        let difference = try answer.json().difference(from: wanted)
        try require(
          difference == nil, change.map { "\($0) in GET \(path)" } ?? "GET \(path) as before",
          found: difference ?? "")
      }
    case .restored(let place, let steps):
      let before = try place.value(by: session)
      defer { place.write(before, by: session) }
      try steps.run(by: session, &tag)
    case .beyond(let steps): if !session.target.judgesServiceOnly { try steps.run(by: session, &tag) }
    case .several(let steps): try steps.run(by: session, &tag)
    case .code(let run): try run(session)
    }
  }
}

extension Step.Request {
  fileprivate func run(by session: Session, _ tag: String) throws(EarlyEnd) {
    func filled(_ text: String) -> String { session.filled(text).replacing("{tag}", with: tag) }
    let (fields, body) = (fields.map(filled), body.map(filled))
    let answer = try session.exchange(method, try session.address(path), fields, body: body)
    let detail = body.map { " to " + $0.abbreviated(to: 100) } ?? fields.first.map { " to a request with " + $0 }
    try require(answer.status == status, "\(status)" + (detail ?? ""), found: answer.evidence)
    for expectation in expectations { try expectation.verify(answer, by: session, tag) }
  }
}

extension Step.Place {
  fileprivate func value(by session: Session) throws(EarlyEnd) -> JSONValue {
    try session.get(list).expect(200).record(id)[member] ?? .null
  }

  fileprivate func write(_ value: JSONValue, by session: Session) {
    _ = try? session.ask(method, path, body: JSONValue.object(.init([.init(member, value)])).text)
  }
}

extension Step.Change: CustomStringConvertible {
  var description: String {
    switch self {
    case .value(let id, let member, let value): "\(member): \(value.text) of \(id.text), and no other change,"
    case .booked(let rooms):
      rooms.map { "\($1) spots fewer in \($0)" }.sorted().joined(separator: ", ") + ", and no other change,"
    }
  }

  fileprivate func applied(to list: JSONValue) -> JSONValue {
    func map(_ records: [JSONValue], _ change: (inout JSONValue.Object) -> Void) -> JSONValue {
      .array(
        records.map { record in
          guard var object = record.object else { return record }
          change(&object)
          return .object(object)
        })
    }
    return switch self {
    case .value(let id, let member, let value):
      map(list.array ?? []) { if $0["id"] == id { $0[member] = value } }
    case .booked(let rooms):
      [
        "rooms": map(list["rooms"]?.array ?? []) { room in
          if let taken = rooms[room["name"]?.string ?? ""], let spots = room["spots"]?.int {
            room["spots"] = .int(spots - taken)
          }
        }
      ]
    }
  }
}

extension Session {
  /// Returns the text with this session's own text for `{fresh}`.
  func filled(_ text: String) -> String { text.replacing("{fresh}", with: fresh) }

  /// Returns the address of a path in a table: `@booking/rooms` is `/rooms` of the API's own origin.
  fileprivate func address(_ path: String) throws(EarlyEnd) -> String {
    guard path.hasPrefix("@") else { return filled(path) }
    let api = path.dropFirst().prefix { $0 != "/" }
    return try own(String(api), String(path.dropFirst(1 + api.count)))
  }
}
