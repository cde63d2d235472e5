import Contract
import JSON
import Primitives

extension Control {
  static let report = [
    operation(
      "getReport", .get, "/_mock/report",
      "The report card: the client's mistakes",
      about: "The format is that of `format`, or else the one that `Accept` prefers.",
      parameters: [
        Parameter(
          "format", in: .query, "The format; it takes precedence over `Accept`.",
          schema: .string(choices: ["json", "text", "html", "junit"]), example: JSONExample("text", "text")),
        Parameter(
          "final", in: .query, "True to judge as if the clients sent no more requests.", schema: .boolean,
          example: JSONExample("end", true)),
      ],
      success: .ok(
        "The report card.",
        Content("application/json", .reportCard, examples: [JSONExample("one", .card)]),
        Content("text/plain", .string(), example: "own", at: "/_mock/report?format=text"),
        Content("text/html", .string(), example: "own", at: "/_mock/report?format=html"),
        Content("application/xml", .string(), example: "own", at: "/_mock/report?format=junit"),
        fields: [.vary, .ownPagePolicy]),
      otherwise: [badQuery("format", "expected one of json, text, html, junit, found pdf")])
  ]
}

extension Schema {
  private static let count = Schema.integer(atLeast: 0)

  /// Declared once, because it is used three times.
  private static let histogram = Schema.object([
    Property("count", count),
    Property("min", .duration),
    Property("mean", .duration),
    Property("max", .duration),
    Property("p50", .duration.described("The median, with a precision of 1/32.")),
    Property("p90", .duration),
    Property("p99", .duration),
    Property("p999", .duration),
    Property(
      "buckets",
      .array(
        of: .object([
          Property("over", .duration), Property("upTo", .duration),
          Property("count", .integer(atLeast: 1)),
        ])
      ).described("The buckets that are not empty: each counts the delays above `over` and up to `upTo`.")),
  ]).named("DelayHistogram")

  private static let verdict = Schema.string(choices: ["pass", "warn", "fail", "not exercised"])

  /// A card, or the file of `run --report` and `report --report`.
  static let report = Schema.oneOf([reportCard, reportFile])

  private static let run = Schema.object([
    .optional("source", .string().described("The file that was merged.")),
    .optional("seed", count),
    .optional("startedAt", .string(format: .internetDateTime)),
    .optional(
      "upstream", .string().orNull.described("The URL of the backend behind the server; null for the five APIs.")),
    .optional(
      "command",
      .object([
        .optional("words", .array(of: .string()).described("The program and its arguments.")),
        .optional("repeat", .string().orNull.described("The shell line that repeats the run.")),
        Property("exitCode", .integer()), Property("failure", .string().orNull),
        Property("duration", .duration.orNull),
      ])),
    .optional(
      "requirements",
      .array(of: .object([Property("id", .string(minimumLength: 1)), Property("failure", .string().orNull)])).described(
        "What the run must meet besides the checks; `failure` is the reason why it does not.")),
    Property("cards", .array(of: reportCard)),
  ]).named("Run")
  private static let reportFile = Schema.object([
    Property("verdict", verdict), Property("exchanges", count), Property("replays", count),
    Property("partial", .boolean), Property("checks", .array(of: check)), Property("runs", .array(of: run)),
  ]).named("ReportFile")

  private static let check = Schema.object([
    Property("id", .string(minimumLength: 1)),
    Property("verdict", verdict),
    Property("sentence", .string(minimumLength: 1)),
    Property("evidence", .array(of: .integer()).described("Ids of journal entries.")),
  ]).named("ReportCheck")

  fileprivate static let reportCard = Schema.object([
    Property("sandbox", .string(minimumLength: 1)),
    Property("scenario", .string()),
    Property("seed", .integer(atLeast: 0)),
    Property("exchanges", .integer().described("The number of exchanges that were checked.")),
    Property("replays", .integer().described("The number of exchanges that a client's transport repeated by itself.")),
    Property("faults", .integer().orNull.described("The number of faults that took effect.")),
    Property("partial", .boolean.described("True if the journal has dropped entries. The verdicts still count them.")),
    Property("verdict", verdict.described("The worst verdict of all checks.")),
    Property("checks", .array(of: check)),
    .optional(
      "entries",
      .array(of: journalEntry).described(
        "Only in files: the journal's entries that the checks cite, and those of requests with a fault.")),
    Property(
      "delays",
      .object([
        Property("early", count.described("The number of delays that ended too early. It should always be 0.")),
        Property("planned", histogram),
        Property(
          "measured",
          histogram.described("From a request's last byte, as the server read it, until its response could be sent.")),
        Property("lateness", histogram.described("Measured minus planned; delays that ended too early count as 0.")),
      ]).described("The delays of responses since the start or the last reset; only completed delays count.")),
    .optional(
      "upstream",
      .object([
        Property("requests", count),
        Property("unanswered", count.described("The number of those that the backend did not answer.")),
      ]).described("Only in front of a backend that was asked: the requests that were sent to it.")),
  ]).named("ReportCard")
}

extension JSONValue {
  fileprivate static let card: JSONValue = [
    "sandbox": "default", "scenario": "calm", "seed": 1, "exchanges": 2, "replays": 0, "faults": 0, "partial": false,
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
