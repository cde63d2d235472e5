import Contract
import JSON
import Seeds

/// The handlers and state of the activities API.
struct CallLog: Service {
  static let contract = API.activities
  static let seed = SeedFiles.activities

  static let handlers = Handlers<CallLog>(
    .on("listActivities") { log, _ in Response(200, log.calls.representation()) },
    .on("getActivity") { log, call in
      guard let activity = log.calls.representation(of: call.arguments[0]) else {
        return .problem(unknown(call.arguments[0]))
      }
      return Response(200, activity)
    },
    .on("updateActivity") { log, call in log.update(call) },
    .on("patchActivity") { log, call in log.update(call) },
    .on("resetActivities") { log, _ in log.reset() },
    .on("resetActivitiesByPatch") { log, _ in log.reset() },
  )

  private var calls: RecordTable
  /// The state to which `/reset` returns.
  private let initially: RecordTable

  init(data: JSONValue, at now: Instant) throws(ValidationError) {
    calls = try RecordTable(data.array ?? [])
    initially = calls
  }

  var data: JSONValue { calls.json }

  func isLong(_ call: Call) -> Bool { call.hasLongBody || calls.isLongToList(call) }

  func record(_ id: String) -> JSONValue? { calls.object(id).map(JSONValue.object) }

  var persisted: JSONValue {
    calls.json == initially.json ? calls.json : ["calls": calls.json, "initially": initially.json]
  }

  init(persisted: JSONValue, at now: Instant) throws(ValidationError) {
    let start = persisted["initially"] ?? persisted
    let current = persisted["calls"] ?? persisted
    for document in [start, current] {
      if let violation = Self.contract.data.violations(in: document).first { throw violation }
    }
    try self.init(data: start, at: now)
    try load(current, at: now)
  }

  mutating func apply(_ delta: Delta) throws(Delta.MismatchError) { try calls.apply(delta) }

  mutating func load(_ data: JSONValue, at now: Instant) throws(ValidationError) {
    calls = try RecordTable(data.array ?? [])
  }

  private mutating func update(_ call: Call) -> Response {
    do throws(Problem) {
      let id = call.arguments[0]
      let body = try Problem.decode(call.body, as: .activityChange)
      guard let index = calls.index(of: id) else { throw Self.unknown(id) }
      let change = body["is_archived"].flatMap {
        calls.update(at: index, with: [JSONValue.Member("is_archived", $0)])
      }
      return Response(200, calls.representation(at: index), change: change, content: body)
    } catch {
      return .problem(error)
    }
  }

  private mutating func reset() -> Response {
    let change = calls.change(to: initially)
    if change != nil { calls = initially }
    return Response(200, Self.done, change: change)
  }

  private static let done = Representation(["message": "done"])

  private static func unknown(_ id: String) -> Problem {
    .unknownActivity(id)
  }
}
