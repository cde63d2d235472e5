import JSON
import Primitives

extension API {
  /// The call log of a telephone system for companies.
  package static let activities = API(
    name: "activities",
    title: "Activities",
    about: "The calls of a company. Each call can be archived; one request restores all of them.",
    hosts: ["aircall-job.herokuapp.com"],
    errors: .problemWithMessage,
    operations: [
      listActivities, getActivity, updateActivity, patchActivity, resetActivities, resetActivitiesByPatch,
    ],
    data: .activityData)

  private static let listActivities = Operation(
    "listActivities", .get, "/activities",
    caching: .tagged(.strong), effect: .readsAll,
    documentation: .init(
      summary: "All calls",
      about: "Archived calls are included. `id` is a number; `duration` is a string of seconds.",
      responses: [
        .json(
          "All calls, the latest first.", .array(of: .activity),
          examples: [JSONExample("one", "A missed call", [.missedCall])], fields: [.etag]),
        .notModified(),
        .preconditionFailed(.problemWithMessage),
      ]))

  private static let getActivity = Operation(
    "getActivity", .get, "/activities/{id}",
    caching: .tagged(.strong), effect: .reads(.path),
    documentation: .init(
      summary: "One call",
      parameters: [activityID],
      responses: [
        .json("The call.", .activity, examples: [JSONExample("missed", "A missed call", .missedCall)], fields: [.etag]),
        .notModified(),
        unknownActivity,
        .preconditionFailed(.problemWithMessage),
      ]))

  private static let updateActivity = update(
    "updateActivity", .post,
    about: """
      Sets `is_archived` and returns the whole call. Other keys are ignored, because clients send the whole call back. \
      Without `is_archived` nothing changes. The body is read as JSON, whatever `Content-Type` says.
      """)

  private static let patchActivity = update(
    "patchActivity", .patch,
    about: "The same as `updateActivity`, with the method that later deployments of the real service used.")

  private static func update(_ id: String, _ method: Method, about: String) -> Operation {
    Operation(
      id, method, "/activities/{id}",
      semantics: .changesState(), caching: .tagged(.strong), effect: .sets(.path),
      documentation: .init(
        summary: "Archive or restore a call",
        about: about,
        parameters: [activityID],
        body: RequestBody(
          .activityChange,
          examples: [
            JSONExample("archive", "Archive the call", ["is_archived": true]),
            JSONExample("restore", "Restore the call", ["is_archived": false]),
          ]),
        responses: [
          .json(
            "The call after the change.", .activity,
            examples: [JSONExample("archived", JSONValue.missedCall.merging(["is_archived": true]))],
            fields: [.etag]),
          .problem(
            .refusal(of: ["is_archived": 1], by: .activityChange),
            "The body is missing, is not a JSON object, or `is_archived` is not a boolean.", .problemWithMessage),
          unknownActivity,
          .preconditionFailed(.problemWithMessage),
        ]))
  }

  private static let resetActivities = reset(
    "resetActivities", .get, about: "This GET changes state, as in the real service. HEAD changes nothing.")

  private static let resetActivitiesByPatch = reset(
    "resetActivitiesByPatch", .patch,
    about: "The same as `resetActivities`, with the method that later deployments of the real service used.")

  private static func reset(_ id: String, _ method: Method, about: String) -> Operation {
    Operation(
      id, method, "/reset",
      semantics: .changesState(), caching: .untagged(), effect: .restoresAll,
      documentation: .init(
        summary: "Reset all calls to their initial state",
        about: about,
        responses: [
          .json("All calls were reset.", .resetDone, examples: [JSONExample("done", ["message": "done"])]),
          .tagUnknown(.problemWithMessage),
        ]))
  }

  private static let activityID = Parameter(
    "id", in: .path, "The id of the call.", schema: .integer(), example: JSONExample("missed", 7834))

  private static let unknownActivity = DeclaredResponse.problem(
    .unknownActivity("1"), "No call has this id.", .problemWithMessage)
}

extension Schema {
  static let problemWithMessage = problem(
    named: "ProblemWithMessage",
    last: [Property("message", .string(minimumLength: 1).described("The same text as `detail`, under an older name."))])

  static let activity = Schema.object([
    Property("id", .integer()),
    Property("created_at", .string(format: .millisecondDateTime)),
    Property("direction", .string(choices: ["inbound", "outbound"])),
    Property("from", .string()),
    Property("to", .string().orNull),
    Property("via", .string()),
    Property("duration", .string(format: .digits).described("Seconds, as a string.")),
    Property("is_archived", .boolean),
    Property("call_type", .string(choices: ["missed", "answered", "voicemail"])),
  ]).named("Activity")

  package static let activityChange = Schema.object(
    [.optional("is_archived", .boolean)], additional: .allowed
  ).named("ActivityChange")

  fileprivate static let resetDone = Schema.object([Property("message", .constant("done"))]).named("ResetDone")

  static let activityData = Schema.array(of: .activity).named("ActivityData")
}

extension JSONValue {
  fileprivate static let missedCall: JSONValue = [
    "id": 7834, "created_at": "2018-04-19T09:38:41.000Z", "direction": "outbound", "from": "Pierre-Baptiste Béchu",
    "to": "06 46 62 12 33", "via": "NYC Office", "duration": "120", "is_archived": false, "call_type": "missed",
  ]
}
