import JSON

extension API {
  /// What drives the mock itself: its sandboxes, their data and their clocks.
  package static let control = API(
    name: "control",
    title: "Control",
    about: "Drives Understudy itself: sandboxes, snapshots, clock and data. It stands on every origin.",
    operations: [
      Control.health,
      Control.sandboxes,
      Control.snapshots,
      Control.clock,
      Control.state,
      Control.scenarios,
      Control.scenario,
      Control.network,
      Control.plan,
      Control.journal,
      Control.journalStream,
      Control.report,
      Control.history,
      Control.metrics,
      Control.dashboard,
      Control.document,
    ].flatMap(\.self),
    data: .object([]))
}

/// The operations of the control API in groups. A group enters the contract by a line above, once it is served.
enum Control {
  static let health = [
    Operation(
      "getHealth", .get, "/_mock/health",
      summary: "Whether the server serves",
      about: "No scenario ever faults it, and no token is asked for, so that a container's probe can rely on it.",
      responses: [
        .json(
          "It does.", .health,
          examples: [JSONExample("ok", "", ["status": "ok", "version": .string(Document.version)])],
          fields: [.cacheControl("no-store")])
      ],
      cacheControl: "no-store", heedsPreconditions: false, access: .probes)
  ]

  static let document = [
    Operation(
      "getOpenAPI", .get, "/openapi.yaml",
      summary: "This document",
      responses: [
        Response(
          200, "The document.",
          content: [Response.Content("application/yaml", .any, examples: [JSONExample("own", at: "/openapi.yaml")])])
      ],
      heedsPreconditions: false, access: .probes)
  ]

  static let clock = [
    operation(
      "getClock", .get, "/_mock/clock",
      summary: "The sandbox's time",
      responses: [.json("The clock.", .clock, examples: [JSONExample("running", "", .runningClock)])]),
    operation(
      "patchClock", .patch, "/_mock/clock",
      summary: "Stop the sandbox's time, let it go on, or move it forward",
      about: """
        Data, schedules and cold starts follow it. The `Date` field stays real, and delays under way are not shortened. \
        With both members it is stopped or let go first, then moved. Time that was stopped goes on from where it stood.
        """,
      body: RequestBody(
        .clockPatch,
        examples: [
          JSONExample("freeze", "Stop it", ["frozen": true]),
          JSONExample("advance", "Half a minute later", ["advance": "30s"]),
        ]),
      responses: [
        .json("The clock as it now is.", .clock, examples: [JSONExample("frozen", "", .frozenClock)]),
        badBody(["advance": 30], .clockPatch),
      ],
      changesState: true),
  ]

  static let state = [
    operation(
      "getState", .get, "/_mock/state",
      summary: "All data of the sandbox",
      responses: [
        .json("The data of each API, in the shape of its data file.", .mockState, examples: [ownState])
      ]),
    operation(
      "patchState", .patch, "/_mock/state",
      summary: "Change data of the sandbox",
      about: """
        A JSON merge patch (RFC 7396): objects merge, arrays are replaced, null removes. The result must be valid as a \
        whole, else nothing changes. The body is read as JSON whatever `Content-Type` says.
        """,
      body: RequestBody(
        .mockStatePatch, mediaType: "application/merge-patch+json",
        examples: [JSONExample("heatwave", "A hot day", ["house": ["temperature": 31]])]),
      responses: [
        .json("The data as it now is.", .mockState, examples: [ownState]),
        badBody(["house": ["temperature": "hot"]], .mockStatePatch),
      ],
      changesState: true),
  ]

  private static let ownState = JSONExample("own", at: "/_mock/state")

  /// - Parameters:
  ///   - value: A body that the schema refuses, for the example.
  ///   - schema: The schema of the body.
  static func badBody(_ value: JSON, _ schema: Schema) -> Response {
    .problem(
      .refusal(of: value, by: schema), "The body is missing, no JSON, or says something unknown or impossible.")
  }

  /// An operation as all of the control API are: without validators, and not for the pages of other sites.
  static func operation(
    _ id: String, _ method: Method, _ path: PathTemplate, summary: String, about: String = "",
    parameters: [Parameter] = [], body: RequestBody? = nil, responses: [Response], changesState: Bool = false
  ) -> Operation {
    Operation(
      id, method, path, summary: summary, about: about, parameters: parameters, body: body, responses: responses,
      changesState: changesState, heedsPreconditions: false, access: .controllers)
  }
}

extension Schema {
  fileprivate static let health = Schema.object([
    Property("status", .constant("ok")),
    Property("version", .string(minimumLength: 1).described("The server's.")),
  ]).named("Health")

  fileprivate static let clock = Schema.object([
    Property("now", .string(format: .dateTime).described("With as many fraction digits as it takes.")),
    Property("frozen", .boolean),
    Property(
      "elapsed",
      .string(format: .duration).described("Since the scenario was armed, by this clock: its windows go by it.")),
  ]).named("Clock")

  package static let clockPatch = Schema.object([
    Property("frozen", .boolean, required: false),
    Property("advance", .string(format: .duration), required: false),
  ]).named("ClockPatch")

  fileprivate static let mockState = Schema.object(
    API.all.map { Property($0.name, $0.data) }
  ).named("State")

  /// What a merge patch on such a value may say: any part of an object, and the whole of what does not merge.
  ///
  /// What the patch makes is validated once more as a whole.
  private var patch: Schema {
    guard case .object(let object) = shape else { return self }
    let properties = object.properties.map { Property($0.name, $0.schema.patch, required: false) }
    guard case .matching(let value) = object.additional else {
      return .object(properties, additional: object.additional)
    }
    return .object(properties, additional: .matching(value.patch.orNull))
  }

  package static let mockStatePatch = Schema.object(
    API.all.map { Property($0.name, $0.data.patch, required: false) }
  ).named("StatePatch")
}

extension JSON {
  fileprivate static let runningClock: JSON = [
    "now": "2026-03-01T09:30:00.250Z", "frozen": false, "elapsed": "12.5s",
  ]
  fileprivate static let frozenClock: JSON = ["now": "2026-03-01T09:30:00Z", "frozen": true, "elapsed": "42.5s"]
}
