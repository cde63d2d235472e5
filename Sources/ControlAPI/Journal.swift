import Contract
import JSON
import Primitives

extension Control {
  static let journal = [
    operation(
      "getJournal", .get, "/_mock/journal",
      "The sandbox's journal: requests, plans, responses and measurements",
      parameters: [
        after,
        Parameter(
          "before", in: .query,
          "Returns the newest entries with a smaller `seq`, instead of the oldest entries; with `after`, only "
            + "entries between the two. With a very large number, the page starts at the newest entry.",
          schema: .integer(atLeast: 1),
          example: JSONExample("newest", 9_007_199_254_740_991)),
        Parameter(
          "format", in: .query, "The format; it takes precedence over `Accept`.",
          schema: .string(choices: ["json", "jsonl", "har"]),
          example: JSONExample("json", "json")),
        Parameter(
          "limit", in: .query, "The maximum number of entries.", schema: .integer(1...10_000),
          example: JSONExample("hundred", 100)),
      ],
      success: .ok(
        "The entries, sorted by `seq`.",
        Content("application/json", .journal, examples: [JSONExample("one", ["entries": [.journalEntry]])]),
        Content(
          "application/jsonl", .string(),
          examples: [JSONExample("one", .string(JSONValue.journalEntry.text + "\n"))]),
        Content("application/har+json", .archive, examples: [JSONExample("one", .oneEntryArchive)]),
        fields: [.vary]),
      otherwise: [badQuery("limit", "expected an integer from 1 to 10000, found 0")]),
    operation(
      "streamJournal", .get, "/_mock/journal/stream",
      "The journal as a live stream",
      about: """
        Server-sent events. The `id` of an event is the entry's `seq`, its `data` is the entry. A reader resumes with the \
        last `id` in `Last-Event-ID`, `lastEventId` or `after`.
        """,
      parameters: [after] + Parameter.lastEvent,
      success: .ok(
        "The stream. It continues until either side ends it.",
        Content(
          "text/event-stream", .journalEvent,
          examples: [JSONExample("one", ["id": "1", "data": .string(JSONValue.journalEntry.text)])]),
        fields: [.unbuffered]),
      otherwise: [badQuery("after", "expected an integer from 0 to \(Int.max), found -1")]),
  ]

  private static let after = Parameter(
    "after", in: .query, "Returns only entries with a greater `seq`.",
    schema: .integer(atLeast: 0),
    example: JSONExample("start", 0))
}

extension Schema {
  private static let headers = Schema.map(of: .string())
    .described("Values by name. Values of the same name are joined by commas; secrets are masked.")

  fileprivate static let journalEvent = Schema.object(
    [Property("id", .string(format: .digits)), Property("data", .string().described("The entry as JSON."))],
    additional: .allowed)

  /// An HTTP Archive as far as its readers rely on it; see the specification of HAR 1.2 for the rest.
  fileprivate static let archive = Schema.object([
    Property(
      "log",
      .object(
        [
          Property("version", .constant("1.2")),
          Property("creator", .object([Property("name", .string()), Property("version", .string())])),
          Property("entries", .array(of: .object([], additional: .allowed))),
        ], additional: .allowed))
  ]).named("HTTPArchive")

  static let journal = Schema.object([Property("entries", .array(of: journalEntry))]).named("Journal")

  static let journalEntry = Schema.object(
    [
      Property("id", .integer(atLeast: 1).described("Unique; never reused.")),
      Property("seq", .integer(atLeast: 1).described("Increases with each change of an entry.")),
      Property("at", .string(format: .dateTime)),
      .optional("api", .string().orNull),
      .optional("connection", .integer().orNull),
      .optional("method", .string()),
      .optional("target", .string()),
      .optional("path", .string()),
      .optional(
        "operation", .string().orNull.described("The name that `--semantics` gives the operation of a backend.")),
      .optional("n", .integer().orNull),
      .optional("request", message([])),
      .optional(
        "plan",
        .object(
          [
            Property.optional(
              "n", .integer().described("The ordinal that decided the plan; 0 if the network switch decided it.")),
            Property.optional("key", .string().described("The `Fault-Key` that decided the plan.")),
          ] + planProperties + [
            Property.optional(
              "effects",
              .array(of: .object([], additional: .allowed)).described(
                "The parts of rules that repeat the plan: `effect`, and `phase` if it is `after`."))
          ], additional: .allowed
        ).orNull),
      .optional(
        "network",
        .string(choices: ["offline", "held"]).described(
          "The effect of the network switch on the exchange, if any: `offline` if the request arrived offline or was "
            + "cut off, `held` if the response was held back.")),
      .optional(
        "response",
        message([
          Property("status", .integer(100...599)),
          Property(
            "bytes",
            .integer().described(
              "The number of bytes of the body that were sent. Those of a stream are counted at its end; until then it is 0."
            )),
          Property("of", .integer().orNull),
        ]).orNull.described("Null if no response was begun, or if a fault sent bytes that are no HTTP.")),
      .optional("outcome", .string().orNull),
      .optional(
        "applied",
        .boolean.orNull.described("Null if the client left before a backend behind the server had answered.")),
      .optional(
        "timing",
        .object([
          Property("planned", .duration.described("The planned delay.")),
          Property(
            "actual",
            .duration.described(
              "The measured delay: from the request's arrival to the response's begin.")),
          Property(
            "total", .duration.described("From the request's arrival to the end of its exchange.")),
        ])),
      .optional("replayOf", .integer().orNull),
      .optional(
        "traceparent", .string().described("The request's `traceparent`, if it is valid (W3C Trace Context).")),
      .optional(
        "upstream",
        .object(
          [
            .optional("status", .integer(100...999).described("The status of its answer.")),
            .optional(
              "failure",
              .string(choices: ["unreachable", "timeout", "malformed"]).described(
                "The reason for which it gave no complete answer.")),
            Property("milliseconds", .integer().described("The time until its answer was complete.")),
            .optional("late", .boolean.described("True if the client had left before the answer came.")),
          ], additional: .allowed
        ).described("The result of asking the backend, if it was asked.")),
      .optional(
        "undeclared",
        .string().described("The reason for which it is not known whether a rule of `--semantics` applies.")),
      .optional("remark", .string().described("A remark of the server about the request.")),
      .optional(
        "event",
        .string().described(
          "A change of the state without a request; such an entry has no members of a request.")),
      .optional(
        "versions",
        .object([
          Property("from", .integer(atLeast: 0)),
          Property("to", .integer(atLeast: 0)),
        ]).described("The versions of the state before and after the change.")),
    ], additional: .allowed
  ).named("JournalEntry")

  private static func message(_ more: [Property]) -> Schema {
    .object(
      more + [
        Property.optional(
          "headers",
          headers.described("Values by name, as sent. Values of the same name are joined; secrets are masked.")),
        Property.optional(
          "body",
          .string().described(
            "At most the first 4 KiB. That of a response is what was sent; it is stored if a fault changed or cut it, or with "
              + "`--journal-bodies`.")),
      ], additional: .allowed)
  }
}

extension JSONValue {
  fileprivate static let journalEntry: JSONValue = [
    "id": 1, "seq": 1, "at": "2026-03-01T09:30:00.250000Z", "api": "devices", "connection": 1, "method": "GET",
    "target": "/devices/WWM-0001-12", "path": "/devices/WWM-0001-12", "operation": .null, "n": 1,
    "request": ["headers": ["Host": "localhost:8080"], "body": ""], "plan": nil,
    "response": ["status": 200, "headers": ["Content-Type": "application/json"], "bytes": 105, "of": 105],
    "outcome": "sent", "applied": false, "timing": ["planned": "0ms", "actual": "0.21ms", "total": "0.24ms"],
    "replayOf": nil,
  ]

  /// The same entry as an HTTP Archive.
  fileprivate static let oneEntryArchive: JSONValue = [
    "log": [
      "version": "1.2", "creator": ["name": "Understudy", "version": .string(Document.version)],
      "entries": [
        [
          "startedDateTime": "2026-03-01T09:30:00.250Z", "time": 0.24,
          "request": [
            "method": "GET", "url": "http://localhost:8080/devices/WWM-0001-12", "httpVersion": "HTTP/1.1",
            "cookies": [], "headers": [["name": "Host", "value": "localhost:8080"]], "queryString": [],
            "headersSize": -1, "bodySize": 0,
          ],
          "response": [
            "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": [["name": "Content-Type", "value": "application/json"]],
            "content": ["size": 105, "mimeType": "application/json"], "redirectURL": "", "headersSize": -1,
            "bodySize": 105,
          ],
          "cache": [:], "timings": ["send": 0, "wait": 0.21, "receive": 0.03],
        ]
      ],
    ]
  ]
}
