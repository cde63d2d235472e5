import JSON

extension Control {
  static let journal = [
    operation(
      "getJournal", .get, "/_mock/journal",
      summary: "The sandbox's journal: requests, plans, responses and measurements",
      parameters: [
        after,
        Parameter(
          "before", in: .query,
          "The newest entries whose `seq` is less, instead of the oldest; with `after`, only those behind it. A great number begins with "
            + "the newest of all.",
          schema: Schema(.integer(minimum: 1, maximum: nil)),
          example: JSONExample("newest", "", 9_007_199_254_740_991)),
        Parameter(
          "format", in: .query, "The form, if not by `Accept`.", schema: .string(choices: ["json", "jsonl", "har"]),
          example: JSONExample("json", "", "json")),
        Parameter(
          "limit", in: .query, "The maximum number of entries.", schema: .integer(1...10_000),
          example: JSONExample("hundred", "", 100)),
      ],
      responses: [
        DeclaredResponse(
          200, "The entries, sorted by `seq`.",
          content: [
            DeclaredResponse.Content(
              "application/json", .journal, examples: [JSONExample("one", "", ["entries": [.journalEntry]])]),
            DeclaredResponse.Content(
              "application/jsonl", .string(),
              examples: [JSONExample("one", "", .string(JSONValue.journalEntry.text + "\n"))]),
            DeclaredResponse.Content(
              "application/har+json", .archive, examples: [JSONExample("own", at: "/_mock/journal?format=har")]),
          ], fields: [.vary]),
        badQuery("limit", "expected an integer from 1 to 10000, found 0"),
      ])
  ]

  static let journalStream = [
    operation(
      "streamJournal", .get, "/_mock/journal/stream",
      summary: "The journal as a live stream",
      about: "Server-sent events. The `id` of an event is the entry's `seq`, its `data` is the entry.",
      parameters: [after],
      responses: [
        DeclaredResponse(
          200, "The stream. It continues until either side ends it.",
          content: [
            DeclaredResponse.Content(
              "text/event-stream", .journalEvent,
              examples: [JSONExample("one", "", ["id": "2", "data": .string(JSONValue.journalEntry.text)])])
          ]),
        badQuery("after", "expected an integer from 0 to \(Int.max), found -1"),
      ])
  ]

  static let report = [
    operation(
      "getReport", .get, "/_mock/report",
      summary: "The report card: the client's mistakes",
      about: "The format is that of `format`, or else the one that `Accept` prefers.",
      parameters: [
        Parameter(
          "format", in: .query, "The format; it takes precedence over `Accept`.",
          schema: .string(choices: ["json", "text", "html", "junit"]), example: JSONExample("text", "", "text")),
        Parameter(
          "final", in: .query, "True to judge as if the clients sent nothing more.", schema: .boolean,
          example: JSONExample("end", "", true)),
      ],
      responses: [
        DeclaredResponse(
          200, "The report card.",
          content: [
            DeclaredResponse.Content("application/json", .reportCard, examples: [JSONExample("one", "", .card)]),
            DeclaredResponse.Content(
              "text/plain", .string(), examples: [JSONExample("own", at: "/_mock/report?format=text")]),
            DeclaredResponse.Content(
              "text/html", .string(), examples: [JSONExample("own", at: "/_mock/report?format=html")]),
            DeclaredResponse.Content(
              "application/xml", .string(), examples: [JSONExample("own", at: "/_mock/report?format=junit")]),
          ], fields: [.vary, .ownPagePolicy]),
        badQuery("format", "expected one of json, text, html, junit, found pdf"),
      ])
  ]

  static let history = [
    operation(
      "getHistory", .get, "/_mock/history",
      summary: "The audited writes and reads, for a consistency checker",
      about: """
        One event per line, in the format of Knossos and Porcupine: `{"process", "type": "invoke|ok|fail|info", \
        "f": "write|read|book", "key", "value", "time", "id"}`. `time` is in nanoseconds, `id` is the id of the \
        journal's entry.
        """,
      responses: [
        DeclaredResponse(
          200, "The newest 10,000 operations.",
          content: [
            DeclaredResponse.Content(
              "application/jsonl", .string(), examples: [JSONExample("own", at: "/_mock/history")])
          ])
      ])
  ]

  private static let after = Parameter(
    "after", in: .query, "Returns only entries with a greater `seq`.",
    schema: Schema(.integer(minimum: 0, maximum: nil)),
    example: JSONExample("start", "", 0))
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

  fileprivate static let journal = Schema.object([Property("entries", .array(of: journalEntry))]).named("Journal")

  private static let journalEntry = Schema.object(
    [
      Property("id", Schema(.integer(minimum: 1, maximum: nil)).described("Unique; never reused.")),
      Property("seq", Schema(.integer(minimum: 1, maximum: nil)).described("Increases with each change of an entry.")),
      Property("at", .string(format: .dateTime)),
      Property("api", .string().orNull, required: false),
      Property("connection", .integer().orNull, required: false),
      Property("method", .string(), required: false),
      Property("target", .string(), required: false),
      Property("path", .string(), required: false),
      Property("n", .integer().orNull, required: false),
      Property("request", message([]), required: false),
      Property(
        "plan",
        .object(
          [
            Property(
              "effects",
              .array(of: .object([], additional: .allowed)).described(
                "The parts of rules that would decide the same again: `effect`, and `phase` where it is `after`."),
              required: false)
          ], additional: .allowed
        ).orNull, required: false),
      Property(
        "network",
        .string(choices: ["offline", "held"]).described(
          "The network switch, where it struck the exchange: a request that met it offline, or was cut off by it; a "
            + "response that it held back."), required: false),
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
      Property(
        "traceparent", .string().described("The request's, where it is valid (W3C Trace Context)."), required: false),
    ], additional: .allowed
  ).named("JournalEntry")

  private static func message(_ more: [Property]) -> Schema {
    .object(
      more + [
        Property(
          "headers",
          headers.described("Values by name, as sent. Values of the same name are joined; secrets are masked."),
          required: false),
        Property("body", .string().described("The first 4 KiB at most."), required: false),
      ], additional: .allowed)
  }

  private static let count = Schema(.integer(minimum: 0, maximum: nil))

  /// Declared once, because it is used three times.
  private static let histogram = Schema.object([
    Property("count", count),
    Property("min", .string(format: .duration)),
    Property("mean", .string(format: .duration)),
    Property("max", .string(format: .duration)),
    Property("p50", .string(format: .duration).described("The median, with a precision of 1/32.")),
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
      ).described("The buckets that are not empty: each counts the delays above `over` and up to `upTo`.")),
  ]).named("DelayHistogram")

  private static let verdict = Schema.string(choices: ["pass", "warn", "fail", "not exercised"])

  fileprivate static let reportCard = Schema.object([
    Property("sandbox", .string(minimumLength: 1)),
    Property("scenario", .string()),
    Property("seed", Schema(.integer(minimum: 0, maximum: nil))),
    Property("exchanges", .integer().described("The number of exchanges that were checked.")),
    Property("replays", .integer().described("The number of exchanges that a client's transport repeated by itself.")),
    Property("partial", .boolean.described("True if the journal has dropped entries. The verdicts still count them.")),
    Property("verdict", verdict.described("The worst verdict of all checks.")),
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
        Property("early", count.described("The number of delays that ended too early. It should always be 0.")),
        Property("planned", histogram),
        Property("measured", histogram),
        Property("lateness", histogram.described("Measured minus planned; delays that ended too early count as 0.")),
      ]).described("The delays of responses since the start or the last reset; only completed delays count.")),
  ]).named("ReportCard")
}

extension JSONValue {
  fileprivate static let journalEntry: JSONValue = [
    "id": 1, "seq": 2, "at": "2026-03-01T09:30:00.250000Z", "api": "devices", "connection": 1, "method": "GET",
    "target": "/devices/WWM-0001-12", "path": "/devices/WWM-0001-12", "n": 1,
    "request": ["headers": ["Host": "localhost:8080"], "body": ""], "plan": nil,
    "response": ["status": 200, "headers": ["Content-Type": "application/json"], "bytes": 105, "of": 105],
    "outcome": "sent", "applied": false, "timing": ["planned": "0ms", "actual": "0.21ms", "total": "0.24ms"],
    "replayOf": nil,
  ]

  fileprivate static let card: JSONValue = [
    "sandbox": "default", "scenario": "calm", "seed": 1, "exchanges": 2, "replays": 0, "partial": false,
    "verdict": "fail",
    "checks": [
      [
        "id": "no-retry-of-4xx", "verdict": "fail", "sentence": "A client repeated a request that got 404.",
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

  /// Returns the histogram of a single delay.
  private static func histogram(at delay: JSONValue, over: JSONValue, upTo: JSONValue) -> JSONValue {
    [
      "count": 1, "min": delay, "mean": delay, "max": delay, "p50": delay, "p90": delay, "p99": delay, "p999": delay,
      "buckets": [["over": over, "upTo": upTo, "count": 1]],
    ]
  }
}
