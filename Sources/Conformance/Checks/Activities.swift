import Contract
import JSON

extension Check {
  static let activities = activitiesData + activitiesArchive + activitiesReset

  private static func activity(
    _ id: String, _ sentence: String, from source: String = article("Activities"), needs: Requirement = .nothing,
    run: @escaping @Sendable (Session) throws(EarlyEnd) -> Void
  ) -> Check {
    Check("activities-" + id, in: "activities", sentence, from: source, needs: needs, run: run)
  }

  private static let call = "/activities/7834"

  private static let activitiesData = [
    activity("seed-data", "The list has the six initial calls in their order, none of them archived.") {
      session throws(EarlyEnd) in
      let list = try session.get("/activities").expect(200).elements()
      try require(.array(list.values("id")), equals: [7834, 7833, 7832, 7831, 7830, 7829], "the ids")
      let archived = list.values("is_archived")
      try require(
        session.sandbox == nil || archived.allSatisfy { $0 == false }, "is_archived: false in all",
        found: JSONValue.array(archived).text)
      let durations: JSONValue = ["120", "60", "180", "180", "120", "300"]
      try require(.array(list.values("duration")), equals: durations, "the durations, as strings,")
    },
    activity("key-order", "The keys are in the order of the real service.") { session throws(EarlyEnd) in
      let order: JSONValue = [
        "id", "created_at", "direction", "from", "to", "via", "duration", "is_archived", "call_type",
      ]
      for call in try session.get("/activities").expect(200).elements() {
        let names = call.object?.members.map { JSONValue.string($0.name) } ?? []
        try require(.array(names), equals: order, "the keys")
      }
    },
    activity("date-form", "created_at has exactly three fraction digits and Z.") {
      session throws(EarlyEnd) in
      for date in try session.get("/activities").expect(200).elements().values("created_at") {
        let isFit = date.string.map(Schema.Format.millisecondDateTime.allows) ?? false
        try require(isFit, Schema.Format.millisecondDateTime.expectation, found: date.text)
      }
    },
    activity("types", "id is a number, duration is a string, and to is null for a call without a callee.") {
      session throws(EarlyEnd) in
      for call in try session.get("/activities").expect(200).elements() {
        try require(call["id"]?.int != nil, "id as a number", found: call.text)
        try require(call["duration"]?.string != nil, "duration as a string", found: call.text)
        try require(call["to"] != nil, "the key to", found: call.text)
      }
    },
    activity("errors-have-message", "Errors are JSON objects with a message.") { session throws(EarlyEnd) in
      let answers = [
        try session.get("/activities/1").expect(404), try session.get("/activities/none").expect(404),
        try session.ask("POST", call, body: "[]").expect(400), try session.ask("DELETE", "/activities").expect(405),
      ]
      for answer in answers {
        try require(try answer.json()["message"]?.string?.isEmpty == false, "a message", found: answer.evidence)
      }
    },
  ]

  private static func write(
    _ session: Session, _ body: String, method: String = "POST", status: Int = 200
  ) throws(EarlyEnd) -> Answer {
    try session.ask(method, call, body: body).expect(status)
  }

  private static func isArchived(_ session: Session) throws(EarlyEnd) -> JSONValue? {
    try session.get(call).expect(200).json()["is_archived"]
  }

  /// Runs `body`, which writes to the call, and then restores the call.
  private static func restoring(_ session: Session, _ body: () throws(EarlyEnd) -> Void) throws(EarlyEnd) {
    let before = try isArchived(session) == true
    defer { _ = try? session.ask("POST", call, body: "{\"is_archived\":\(before)}") }
    try body()
  }

  private static func archives(by method: String, _ session: Session) throws(EarlyEnd) {
    try restoring(session) { () throws(EarlyEnd) in
      for flag in [true, false, true] {
        let answer = try write(session, "{\"is_archived\":\(flag)}", method: method)
        try require(try answer.json()["is_archived"], equals: .bool(flag), "is_archived in the answer")
        try require(try isArchived(session), equals: .bool(flag), "is_archived in the next GET")
        let listed = try session.get("/activities").expect(200).elements().first("id", 7834)
        try require(listed["is_archived"], equals: .bool(flag), "is_archived in the list")
      }
    }
  }

  private static let activitiesArchive = [
    activity("archive-is-kept", "POST archives and restores a call; its response, GET and the list show this.") {
      session throws(EarlyEnd) in try archives(by: "POST", session)
    },
    activity("patch-is-kept", "PATCH does the same as POST.") { session throws(EarlyEnd) in
      try archives(by: "PATCH", session)
    },
    activity("answer-is-whole", "The response to a write is the whole call, equal to the next GET.") {
      session throws(EarlyEnd) in
      try restoring(session) { () throws(EarlyEnd) in
        let answer = try write(session, "{\"is_archived\":true}").expect(member: "id", 7834)
        try session.get(call).expect(200).expect(body: answer.text)
      }
    },
    activity(
      "other-keys-ignored", "Keys other than is_archived are ignored and not stored.",
      from: "openapi.yaml, updateActivity"
    ) { session throws(EarlyEnd) in
      let before = try session.get(call).expect(200).expect(member: "id", 7834)
      _ = try write(session, "{\"duration\":\"60.0\",\"from\":\"+1 555 0100\",\"extra\":[1]}")
      try session.get(call).expect(200).expect(body: before.text)
    },
    activity(
      "empty-object", "The response to an object without is_archived is 200, and nothing changes.",
      from: "openapi.yaml, updateActivity"
    ) {
      session throws(EarlyEnd) in
      let before = try session.get(call).expect(200).expect(member: "id", 7834)
      try write(session, "{}").expect(body: before.text)
      try session.get(call).expect(200).expect(body: before.text)
    },
    activity(
      "refuses",
      "A body that is missing, is not a JSON object, or has an is_archived that is not a boolean gets 400.",
      from: "openapi.yaml, updateActivity",
      needs: .sandbox
    ) { session throws(EarlyEnd) in
      let before = try session.get(call).expect(200)
      for body in ["{\"is_archived\":\"true\"}", "{\"is_archived\":1}", "{\"is_archived\":null}", "[]", "true", "{"] {
        let answer = try session.ask("POST", call, body: body)
        try require(answer.status == 400, "400 to \(body)", found: answer.evidence)
      }
      try session.ask("POST", call).expect(400)
      try session.get(call).expect(200).expect(body: before.text)
    },
    activity(
      "no-content-type", "A body is read as JSON without a Content-Type, and with any Content-Type.",
      from: "openapi.yaml, updateActivity"
    ) { session throws(EarlyEnd) in
      try restoring(session) { () throws(EarlyEnd) in
        _ = try write(session, "{\"is_archived\":true}")
        try session.ask("POST", call, "Content-Type: text/plain", body: "{\"is_archived\":false}").expect(200)
        try require(try isArchived(session), equals: false, "is_archived")
      }
    },
    activity("archived-are-listed", "Archived calls stay in the list, at the same position.") {
      session throws(EarlyEnd) in
      let before = try session.get("/activities").expect(200).elements().values("id")
      try restoring(session) { () throws(EarlyEnd) in
        _ = try write(session, "{\"is_archived\":true}")
        let after = try session.get("/activities").expect(200).elements().values("id")
        try require(.array(after), equals: .array(before), "the ids")
      }
    },
    activity(
      "etag-follows", "The tag changes with a write, and If-Match stops the second writer.",
      from: "RFC 9110 section 13.1.1", needs: .sandbox
    ) { session throws(EarlyEnd) in
      _ = try write(session, "{\"is_archived\":false}")
      let tag = try session.get(call).expect(200).field("ETag")
      try session.ask("POST", call, "If-Match: \(tag)", body: "{\"is_archived\":true}").expect(200)
      try session.get(call, "If-None-Match: \(tag)").expect(200)
      try session.ask("POST", call, "If-Match: \(tag)", body: "{\"is_archived\":false}").expect(412)
      try require(try isArchived(session), equals: true, "is_archived")
    },
  ]

  private static let activitiesReset = [
    activity("reset-bytes", "The response to GET /reset is 200 {\"message\":\"done\"}.", needs: .sandbox) {
      session throws(EarlyEnd) in
      try session.get("/reset").expect(200).expect(json: ["message": "done"])
    },
    activity("reset-resets", "GET /reset resets every call to its initial state.", needs: .sandbox) {
      session throws(EarlyEnd) in try resets(by: "GET", session)
    },
    activity("reset-by-patch", "PATCH /reset does the same.", needs: .sandbox) { session throws(EarlyEnd) in
      try resets(by: "PATCH", session)
    },
    activity(
      "head-resets-nothing", "HEAD /reset changes nothing.", from: "openapi.yaml, resetActivities", needs: .sandbox
    ) {
      session throws(EarlyEnd) in
      _ = try write(session, "{\"is_archived\":true}")
      try session.ask("HEAD", "/reset").expect(200)
      try require(try isArchived(session), equals: true, "is_archived")
    },
  ]

  private static func resets(by method: String, _ session: Session) throws(EarlyEnd) {
    _ = try session.ask("POST", "/reset").expect(405)
    try session.ask(method, "/reset").expect(200)
    let before = try session.get("/activities").expect(200)
    _ = try write(session, "{\"is_archived\":true}")
    try session.ask("POST", "/activities/7829", body: "{\"is_archived\":true}").expect(200)
    try session.ask(method, "/reset").expect(200)
    try session.get("/activities").expect(200).expect(body: before.text)
  }
}
