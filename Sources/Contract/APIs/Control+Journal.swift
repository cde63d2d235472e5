import JSON

extension Control {
  static let journal = [
    operation(
      "getJournal", .get, "/_mock/journal",
      summary: "What the sandbox received, planned, sent and measured",
      parameters: [
        after,
        Parameter(
          "limit", in: .query, "How many entries at most.", schema: .integer(1...10_000),
          example: JSONExample("hundred", "", 100)),
      ],
      responses: [
        Response(
          200, "The entries by `seq`.",
          content: [
            Response.Content(
              "application/json", .journal, examples: [JSONExample("one", "", ["entries": [.journalEntry]])]),
            Response.Content(
              "application/jsonl", .string(),
              examples: [JSONExample("one", "", .string(JSON.journalEntry.text + "\n"))]),
          ], fields: [.vary]),
        badQuery("limit", "expected an integer from 1 to 10000, found 0"),
      ])
  ]

  static let journalStream = [
    operation(
      "streamJournal", .get, "/_mock/journal/stream",
      summary: "The journal as it is written",
      about: "Server-sent events: each one's `id` is the entry's `seq`, its `data` the entry.",
      parameters: [after],
      responses: [
        Response(
          200, "It goes on until either side ends it.",
          content: [
            Response.Content(
              "text/event-stream", .journalEvent,
              examples: [JSONExample("one", "", ["id": "2", "data": .string(JSON.journalEntry.text)])])
          ]),
        badQuery("after", "expected an integer from 0 to \(Int.max), found -1"),
      ])
  ]

  static let report = [
    operation(
      "getReport", .get, "/_mock/report",
      summary: "What a client did wrong",
      about: "In the form that `Accept` prefers, unless `format` says another.",
      parameters: [
        Parameter(
          "format", in: .query, "The form, if not by `Accept`.",
          schema: .string(choices: ["json", "text", "html", "junit"]), example: JSONExample("text", "", "text")),
        Parameter(
          "final", in: .query, "Whether to judge as if no more requests were to come.", schema: .boolean,
          example: JSONExample("end", "", true)),
      ],
      responses: [
        Response(
          200, "The report card.",
          content: [
            Response.Content("application/json", .reportCard, examples: [JSONExample("one", "", .card)]),
            Response.Content("text/plain", .string(), examples: [JSONExample("own", at: "/_mock/report?format=text")]),
            Response.Content("text/html", .string(), examples: [JSONExample("own", at: "/_mock/report?format=html")]),
            Response.Content(
              "application/xml", .string(), examples: [JSONExample("own", at: "/_mock/report?format=junit")]),
          ], fields: [.vary, .ownPagePolicy]),
        badQuery("format", "expected one of json, text, html, junit, found pdf"),
      ])
  ]

  static let history = [
    operation(
      "getHistory", .get, "/_mock/history",
      summary: "The audited writes and reads, for a checker",
      about: """
        One event a line, in the form that Knossos and Porcupine read: `{"process", "type": "invoke|ok|fail|info", \
        "f": "write|read|book", "key", "value", "time", "id"}`; `time` counts nanoseconds, `id` is the journal's.
        """,
      responses: [
        Response(
          200, "The newest 10,000 operations.",
          content: [
            Response.Content(
              "application/jsonl", .string(), examples: [JSONExample("own", at: "/_mock/history")])
          ])
      ])
  ]

  private static let after = Parameter(
    "after", in: .query, "Only entries whose `seq` is greater.", schema: Schema(.integer(minimum: 0, maximum: nil)),
    example: JSONExample("start", "", 0))
}

extension Schema {
  private static let headers = Schema.map(of: .string())
    .described("Values by name; those of one name are joined by commas, and secrets are masked.")

  fileprivate static let journalEvent = Schema.object(
    [Property("id", .string(format: .digits)), Property("data", .string().described("The entry as JSON."))],
    additional: .allowed)

  fileprivate static let journal = Schema.object([Property("entries", .array(of: journalEntry))]).named("Journal")

  private static let journalEntry = Schema.object(
    [
      Property("id", Schema(.integer(minimum: 1, maximum: nil)).described("Never used twice.")),
      Property("seq", Schema(.integer(minimum: 1, maximum: nil)).described("Rises with each change of an entry.")),
      Property("at", .string(format: .dateTime)),
      Property("api", .string().orNull, required: false),
      Property("connection", .integer().orNull, required: false),
      Property("method", .string(), required: false),
      Property("target", .string(), required: false),
      Property("path", .string(), required: false),
      Property("n", .integer().orNull, required: false),
      Property("request", message([]), required: false),
      Property("plan", .object([], additional: .allowed).orNull, required: false),
      Property(
        "response",
        message([
          Property("status", .integer(100...599)), Property("bytes", .integer()), Property("of", .integer().orNull),
        ]).orNull,
        required: false),
      Property("outcome", .string().orNull, required: false),
      Property("applied", .boolean, required: false),
      Property("timing", .map(of: .any), required: false),
      Property("replayOf", .integer().orNull, required: false),
    ], additional: .allowed
  ).named("JournalEntry")

  private static func message(_ more: [Property]) -> Schema {
    .object(
      more + [
        Property(
          "headers", headers.described("By their names as sent; values of one name are joined, secrets masked."),
          required: false),
        Property("body", .string().described("At most 4 KiB of it."), required: false),
      ], additional: .allowed)
  }

  private static let count = Schema(.integer(minimum: 0, maximum: nil))

  /// Written once and referred to: it stands there three times.
  private static let histogram = Schema.object([
    Property("count", count),
    Property("min", .string(format: .duration)),
    Property("mean", .string(format: .duration)),
    Property("max", .string(format: .duration)),
    Property("p50", .string(format: .duration).described("As this part of all were at most, to 1/32 of it.")),
    Property("p90", .string(format: .duration)),
    Property("p99", .string(format: .duration)),
    Property("p999", .string(format: .duration)),
    Property(
      "buckets",
      .array(
        of: .object([
          Property("over", .string(format: .duration)), Property("upTo", .string(format: .duration)),
          Property("count", Schema(.integer(minimum: 1, maximum: nil))),
        ])
      ).described("Those that are not empty, each with exactly what was over the one and up to the other length.")),
  ]).named("DelayHistogram")

  private static let verdict = Schema.string(choices: ["pass", "warn", "fail", "not exercised"])

  fileprivate static let reportCard = Schema.object([
    Property("sandbox", .string(minimumLength: 1)),
    Property("scenario", .string()),
    Property("seed", Schema(.integer(minimum: 0, maximum: nil))),
    Property("exchanges", .integer().described("How many it judged.")),
    Property("replays", .integer().described("Those of them that a transport repeated by itself.")),
    Property("partial", .boolean.described("Whether the journal has lost entries. The verdicts have lost nothing.")),
    Property("verdict", verdict.described("The worst of all.")),
    Property(
      "checks",
      .array(
        of: .object([
          Property("id", .string(minimumLength: 1)),
          Property("verdict", verdict),
          Property("sentence", .string(minimumLength: 1)),
          Property("evidence", .array(of: .integer()).described("Ids of journal entries.")),
        ]))),
    Property(
      "delays",
      .object([
        Property("early", count.described("How many ended before their time, which none ever should.")),
        Property("planned", histogram),
        Property("measured", histogram),
        Property("lateness", histogram.described("Measured less planned; what was early counts as nothing.")),
      ]).described("Delays since the start or the last reset, of replies that waited them out.")),
  ]).named("ReportCard")
}

extension JSON {
  fileprivate static let journalEntry: JSON = [
    "id": 1, "seq": 2, "at": "2026-03-01T09:30:00.250000Z", "api": "devices", "connection": 1, "method": "GET",
    "target": "/devices/WWM-0001-12", "path": "/devices/WWM-0001-12", "n": 1,
    "request": ["headers": ["Host": "localhost:8080"], "body": ""], "plan": nil,
    "response": ["status": 200, "headers": ["Content-Type": "application/json"], "bytes": 105, "of": 105],
    "outcome": "sent", "applied": false, "timing": ["planned": "0ms", "actual": "0.21ms", "total": "0.24ms"],
    "replayOf": nil,
  ]

  fileprivate static let card: JSON = [
    "sandbox": "default", "scenario": "calm", "seed": 1, "exchanges": 2, "replays": 0, "partial": false,
    "verdict": "fail",
    "checks": [
      [
        "id": "no-retry-of-4xx", "verdict": "fail", "sentence": "A request that was answered 404 was sent again.",
        "evidence": [3, 4],
      ]
    ],
    "delays": [
      "early": 0,
      "planned": histogram(at: "100ms", over: "98.304ms", upTo: "100.352ms"),
      "measured": histogram(at: "100.07ms", over: "98.304ms", upTo: "100.352ms"),
      "lateness": histogram(at: "70us", over: "68us", upTo: "70us"),
    ],
  ]

  /// Of a single delay.
  private static func histogram(at delay: JSON, over: JSON, upTo: JSON) -> JSON {
    [
      "count": 1, "min": delay, "mean": delay, "max": delay, "p50": delay, "p90": delay, "p99": delay, "p999": delay,
      "buckets": [["over": over, "upTo": upTo, "count": 1]],
    ]
  }
}
