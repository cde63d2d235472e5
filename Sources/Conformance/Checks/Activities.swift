import Contract
import JSON

extension Row {
  static let activities = activitiesRead + activitiesWritten + activitiesReset

  private static let call = "/activities/7834"
  private static let flag = Step.Place(
    list: "/activities", id: 7834, member: "is_archived", method: "POST", path: call)
  private static let ids: [JSONValue] = [7834, 7833, 7832, 7831, 7830, 7829]

  private static func archive(_ flag: Bool, by method: String = "POST", _ path: String = call) -> Step {
    .send(method, path, "{\"is_archived\":\(flag)}", .value("/is_archived", .bool(flag)))
  }

  /// The call is archived or not, in the list and on its own.
  private static func archived(_ flag: Bool) -> Step {
    .several([
      .get(call, .value("/is_archived", .bool(flag))),
      .get("/activities", .record(7834, "is_archived", .bool(flag))),
    ])
  }

  private static func archives(by method: String) -> Step {
    .restoring(flag, .each([true, false, true]) { .several([archive($0, by: method), archived($0)]) })
  }

  private static func resets(by method: String) -> Step {
    .several([
      .ours(.send("POST", "/reset", gets: 405)), .send(method, "/reset"),
      .unchanged("/activities", by: archive(true), archive(true, "/activities/7829"), .send(method, "/reset")),
    ])
  }

  private static let activitiesRead = [
    Row(
      "seed-data", .service, "The list has the six initial calls in their order, none of them archived.",
      .get(
        "/activities",
        .column("id", ids), .column("duration", ["120", "60", "180", "180", "120", "300"]),
        .initially(.column("is_archived", [false, false, false, false, false, false])))),
    Row(
      "key-order", .service, "The keys are in the order of the real service.",
      .get(
        "/activities",
        .keys(["id", "created_at", "direction", "from", "to", "via", "duration", "is_archived", "call_type"]))),
    Row(
      "date-form", .service, "created_at has exactly three fraction digits and Z.",
      .get("/activities", .each("created_at", .string(format: .millisecondDateTime)))),
    Row(
      "types", .service, "id is a number, duration is a string, and to is null for a call without a callee.",
      .get(
        "/activities",
        .each("id", .integer()), .each("duration", .string()), .each("to", .string().orNull))),
    Row(
      "errors-have-message", .ours("openapi.yaml, info"), "Errors are JSON objects with a message.",
      .get("/activities/1", gets: 404, .has("/message", .string(minimumLength: 1))),
      .get("/activities/none", gets: 404, .has("/message", .string(minimumLength: 1))),
      .send("POST", call, "[]", gets: 400, .has("/message", .string(minimumLength: 1))),
      .send("DELETE", "/activities", gets: 405, .has("/message", .string(minimumLength: 1)))),
  ]

  private static let activitiesWritten = [
    Row(
      "archive-is-kept", .service, "POST archives and restores a call; its response, GET and the list show this.",
      archives(by: "POST")),
    Row("patch-is-kept", .service, "PATCH does the same as POST.", archives(by: "PATCH")),
    Row(
      "answer-is-whole", .service, "The response to a write is the whole call, equal to the next GET.",
      .restoring(flag, .send("POST", call, #"{"is_archived":true}"#, .value("/id", 7834), .sameAs(call)))),
    Row(
      "other-keys-ignored", .service, "Keys other than is_archived are ignored and not stored.",
      .unchanged(call, by: .send("POST", call, #"{"duration":"60.0","from":"+1 555 0100","extra":[1]}"#))),
    Row(
      "empty-object", .service, "The response to an object without is_archived is 200, and nothing changes.",
      .unchanged(call, by: .send("POST", call, "{}", .sameAs(call)))),
    Row(
      "refuses", .ours("openapi.yaml, updateActivity"),
      "A body that is missing, is not a JSON object, or has an is_archived that is not a boolean gets 400.",
      needs: .sandbox,
      .unchanged(
        call,
        by: .each([
          #"{"is_archived":"true"}"#, #"{"is_archived":1}"#, #"{"is_archived":null}"#, "[]", "true", "{", nil,
        ]) { .send("POST", call, $0, gets: 400) })),
    Row(
      "no-content-type", .everyService, "A body is read as JSON without a Content-Type, and with any Content-Type.",
      .restoring(
        flag,
        archive(true), archived(true),
        .send("POST", call, #"{"is_archived":false}"#, with: ["Content-Type: text/plain"]), archived(false))),
    Row(
      "archived-are-listed", .service, "Archived calls stay in the list, at the same position.",
      .restoring(flag, archive(true), .get("/activities", .column("id", ids)))),
    Row(
      "etag-follows", .ours("RFC 9110 section 13.1.1"),
      "The tag changes with a write, and If-Match stops the second writer.", needs: .sandbox,
      archive(false), .tag(of: call),
      .send("POST", call, #"{"is_archived":true}"#, with: ["If-Match: {tag}"]),
      .get(call, with: ["If-None-Match: {tag}"]),
      .send("POST", call, #"{"is_archived":false}"#, with: ["If-Match: {tag}"], gets: 412),
      archived(true)),
  ]

  private static let activitiesReset = [
    Row(
      "reset-bytes", .service, #"The response to GET /reset is 200 {"message":"done"}."#, needs: .sandbox,
      .get("/reset", .json(["message": "done"]))),
    Row(
      "reset-resets", .service, "GET /reset resets every call to its initial state.", needs: .sandbox,
      resets(by: "GET")),
    Row("reset-by-patch", .service, "PATCH /reset does the same.", needs: .sandbox, resets(by: "PATCH")),
    Row(
      "head-resets-nothing", .ours("openapi.yaml, resetActivities"), "HEAD /reset changes nothing.", needs: .sandbox,
      archive(true), .send("HEAD", "/reset"), archived(true)),
  ]
}
