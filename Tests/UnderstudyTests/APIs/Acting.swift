import Contract
import JSON
import Primitives
import Testing

@testable import Services
@testable import Understudy

/// An API's state made from its seed, with requests by the ids of its operations.
struct Acting<State: Service> {
  var state: Document
  var now: Instant

  /// 2023-06-22T15:13:34Z
  static var start: Instant { Instant(seconds: 1_687_446_814) }

  init(_: State.Type, at now: Instant = Self.start) throws {
    try self.init(data: JSONValue(parsing: State.seed), at: now)
  }

  init(data: JSONValue, at now: Instant = Self.start) throws {
    state = try Document(State.data(data, at: now), of: State.self)
    self.now = now
  }

  mutating func ask(
    _ id: String, _ arguments: [String] = [], query: String = "", body: String = "", contentType: String? = nil,
    base: String = "http://localhost:8080"
  ) throws -> Response {
    let operation = try #require(State.contract.operations.firstIndex { $0.id == id })
    return State.handlers.respond(
      to: Call(
        operation: operation, arguments: arguments, query: Query(parsing: Array(query.utf8)[...]),
        body: Array(body.utf8)[...],
        contentType: contentType.map { Array($0.utf8)[...] }, base: base, now: now),
      &state)
  }
}

extension Response {
  var text: String { String(decoding: representation?.bytes ?? [], as: UTF8.self) }

  func json() throws -> JSONValue { try JSONValue(parsing: representation?.bytes ?? []) }

  /// The positions that a validation problem names.
  var indices: [String] { problem?.errors.map(\.pointer.description) ?? [] }
}
