import Contract
import JSON
import Seeds

/// The handlers and state of the activities API.
struct CallLog: Behaviour {
  static let contract = API.activities
  static let seed = Seeds.activities

  static let handlers = Handlers<CallLog>([
    "listActivities": { log, _ in Reply(200, log.calls.representation()) },
    "getActivity": { log, call in
      guard let activity = log.calls[call.arguments[0]] else { return .problem(unknown(call.arguments[0])) }
      return Reply(200, activity.representation)
    },
    "updateActivity": { log, call in log.update(call) },
    "patchActivity": { log, call in log.update(call) },
    "resetActivities": { log, _ in log.reset() },
    "resetActivitiesByPatch": { log, _ in log.reset() },
  ])

  private var calls: RecordTable
  /// The state to which `/reset` returns.
  private let initially: RecordTable

  init(data: JSON, at now: Instant) throws(Violation) {
    calls = try RecordTable(data.array ?? [], at: .root)
    initially = calls
  }

  var data: JSON { calls.json }

  func isLong(_ call: Call) -> Bool { call.hasLongBody || calls.isLongToList(call) }

  func record(_ id: String) -> JSON? { calls[id].map { .object($0.object) } }

  var kept: JSON { calls.json == initially.json ? calls.json : ["calls": calls.json, "initially": initially.json] }

  init(kept: JSON, at now: Instant) throws(Violation) {
    let start = kept["initially"] ?? kept
    let current = kept["calls"] ?? kept
    for document in [start, current] {
      if let violation = Self.contract.data.violations(in: document).first { throw violation }
    }
    try self.init(data: start, at: now)
    try take(current, at: now)
  }

  mutating func apply(_ delta: Delta) throws(Delta.Misfit) { try calls.apply(delta) }

  mutating func take(_ data: JSON, at now: Instant) throws(Violation) {
    calls = try RecordTable(data.array ?? [], at: .root)
  }

  private mutating func update(_ call: Call) -> Reply {
    do throws(Problem) {
      let id = call.arguments[0]
      let body = try Problem.decode(call.body, as: .activityChange)
      let change = body["is_archived"].map { [JSON.Member("is_archived", $0)] } ?? []
      guard let (activity, change) = calls.update(id, with: change) else { throw Self.unknown(id) }
      return Reply(200, activity.representation, change: change)
    } catch {
      return .problem(error)
    }
  }

  private mutating func reset() -> Reply {
    let change = calls.change(to: initially)
    if change != nil { calls = initially }
    return Reply(200, Self.done, change: change)
  }

  private static let done = Representation(["message": "done"])

  private static func unknown(_ id: String) -> Problem {
    .unknownActivity(id)
  }
}
