import Contract
import JSON
import Seeds

/// The behaviour of the activities API.
enum CallLog: Service {
  static let contract = API.activities
  static let seed = SeedFiles.activities

  static let handlers = Handlers(
    of: contract,
    .on("listActivities") { calls, _ in Response(200, calls.list()) },
    .on("getActivity") { calls, call in
      guard let activity = calls.representation(of: call.arguments[0]) else {
        return .problem(.unknownActivity(call.arguments[0]))
      }
      return Response(200, activity)
    },
    .on("updateActivity") { calls, call in update(call, &calls) },
    .on("patchActivity") { calls, call in update(call, &calls) },
    .on("resetActivities") { calls, _ in reset(&calls) },
    .on("resetActivitiesByPatch") { calls, _ in reset(&calls) },
  )

  private static func update(_ call: Call, _ calls: inout Document) -> Response {
    do throws(Problem) {
      let id = call.arguments[0]
      let body = try Problem.decode(call.body, as: .activityChange)
      guard let index = calls.index(of: id) else { throw .unknownActivity(id) }
      let change = body["is_archived"].map { [JSONValue.Member("is_archived", $0)] } ?? []
      let isChanged = calls.update(at: index, with: change)
      return Response(200, calls.representation(at: index), changed: isChanged, content: body)
    } catch {
      return .problem(error)
    }
  }

  private static func reset(_ calls: inout Document) -> Response {
    let isChanged = !calls.isAsAtStart
    if isChanged { calls.reset() }
    return Response(200, done, changed: isChanged)
  }

  private static let done = Representation(["message": "done"])
}
