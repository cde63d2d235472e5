import JSON

extension Control {
  static let sandboxes = [
    operation(
      "listSandboxes", .get, "/_mock/sandboxes",
      summary: "All sandboxes",
      responses: [
        .json(
          "The default one first, then in the order in which they were made.", .sandboxes,
          examples: [JSONExample("one", "", ["sandboxes": [.namedSandbox]])])
      ]),
    operation(
      "makeSandbox", .post, "/_mock/sandboxes",
      summary: "Make a sandbox",
      about: """
        An isolated copy of the backend, with data, clock and counters of its own. No body is the same as `{}`: every \
        member has a default.
        """,
      body: RequestBody(
        .sandboxRequest, required: false,
        examples: [
          JSONExample("named", "One for a test run", ["name": "ci-42", "seed": 7]),
          JSONExample("port", "One on a free port, with Booking at its `/`", ["port": 0, "api": "booking"]),
          JSONExample(
            "scenario", "One where each second write fails",
            ["scenario": ["rules": [["match": ["changes": true], "when": ["nth": 2], "effect": ["status": 503]]]]]),
          JSONExample("data", "One with data of its own", ["data": ["activities": [], "house": ["temperature": 31]]]),
        ]),
      responses: [
        .json(
          "It is there.", .sandbox, status: 201, examples: [JSONExample("named", "", .namedSandbox)],
          fields: [
            ResponseField("Location", "Where it is in this API.", schema: .string(minimumLength: 1))
          ]),
        .problem(
          .refusal(of: ["seed": -1], by: .sandboxRequest),
          "The body is no JSON, says something unknown, or asks for a name that an API has, or `default`."),
        .problem(.takenName("ci-42"), "The name is taken, or the port cannot be had."),
        .problem(
          .tooManySandboxes(10_000),
          "There are 10,000 sandboxes already; or, with `--state`, the disk did not take the change."),
      ],
      changesState: true),
    operation(
      "getSandbox", .get, "/_mock/sandboxes/{name}",
      summary: "One sandbox",
      parameters: [name],
      responses: [
        .json("The sandbox.", .sandbox, examples: [JSONExample("named", "", .namedSandbox)]),
        .problem(.unknownSandbox("ci-43"), "There is no such sandbox."),
      ]),
    operation(
      "deleteSandbox", .delete, "/_mock/sandboxes/{name}",
      summary: "Delete a sandbox",
      about: "Its port is closed, its connections end, and its name is free again.",
      parameters: [madeName],
      responses: [
        Response(204, "It is gone."),
        .problem(.unknownSandbox("ci-43"), "There is no such sandbox."),
        .problem(.defaultSandbox, "The default sandbox stays."),
      ],
      changesState: true),
    operation(
      "resetSandbox", .post, "/_mock/reset",
      summary: "Bring the sandbox back to its start",
      about: "Data, counters, clock and journal are as at the start, and the network is online. Snapshots are kept.",
      responses: [Response(204, "Done.")],
      changesState: true),
  ]

  static let snapshots = [
    operation(
      "getSnapshot", .get, "/_mock/snapshots/{name}",
      summary: "When a snapshot was taken",
      parameters: [snapshotName],
      responses: [
        .json("The snapshot.", .snapshot, examples: [JSONExample("synced", "", .syncedSnapshot)]), unknownSnapshot,
      ]),
    operation(
      "takeSnapshot", .put, "/_mock/snapshots/{name}",
      summary: "Keep the sandbox's data under a name",
      about: "Data only, neither clock nor counters nor journal. It takes the same time whatever the size.",
      parameters: [snapshotName],
      responses: [
        .json("It took the place of an older one.", .snapshot, examples: [JSONExample("synced", "", .syncedSnapshot)]),
        .json("It is new.", .snapshot, status: 201, examples: [JSONExample("synced", "", .syncedSnapshot)]),
        .problem(.malformedSnapshotName("No_Label"), "The name is no DNS label."),
        .problem(
          .tooManySnapshots(256),
          "The sandbox has 256 snapshots already; or, with `--state`, the disk did not take the change."),
      ],
      changesState: true),
    operation(
      "restoreSnapshot", .post, "/_mock/snapshots/{name}/restore",
      summary: "Bring back the data that was kept",
      parameters: [snapshotName],
      responses: [Response(204, "Done."), unknownSnapshot],
      changesState: true),
  ]

  private static let name = Parameter(
    "name", in: .path, "The sandbox's name.", schema: .string(format: .label),
    example: JSONExample("default", "", "default"))
  /// The default sandbox cannot be deleted, so the example is the one that the first example of `makeSandbox` makes.
  private static let madeName = Parameter(
    "name", in: .path, "The sandbox's name.", schema: .string(format: .label),
    example: JSONExample("made", "Made by the first example of `makeSandbox`", "ci-42"))
  private static let snapshotName = Parameter(
    "name", in: .path, "The snapshot's name.", schema: .string(format: .label),
    example: JSONExample("synced", "", "synced"))
  private static let unknownSnapshot = Response.problem(
    .unknownSnapshot("synced"), "The sandbox has no such snapshot.")
}

extension Schema {
  private static let scenarioName = Schema.string(minimumLength: 1)

  static let sandbox = Schema.object([
    Property("name", .string(format: .label)),
    Property("url", .string(format: .uri).described("Where its merged origin is, or that of its one API.")),
    Property(
      "urls",
      .object(API.all.map { Property($0.name, .string(format: .uri)) }).described("Where each API's own origin is.")),
    Property("port", .integer(1...65_535).described("The port that is its own."), required: false),
    Property("scenario", scenarioName),
    Property("seed", scenarioSeed),
  ]).named("Sandbox")

  fileprivate static let sandboxes = Schema.object([Property("sandboxes", .array(of: sandbox))]).named("Sandboxes")

  package static let sandboxRequest = Schema.object([
    Property("name", .string(format: .label).described("Without it one is made up."), required: false),
    Property("scenario", scenarioOrName.described("What goes wrong: the server's own, unless said."), required: false),
    Property(
      "seed", scenarioSeed.described("The seed of every decision: the scenario's or the server's own, unless said."),
      required: false),
    Property("port", .integer(0...65_535).described("A port of its own; 0 is any that is free."), required: false),
    Property(
      "api", .string(choices: API.all.map(\.name)).described("The one API at `/` of its port; all, unless said."),
      required: false),
    Property(
      "data",
      Schema.mockStatePatch
        .described("A JSON merge patch (RFC 7396) on the data that the server starts from, API by API."),
      required: false),
    Property(
      "ttl", .string(format: .duration).described("It is deleted when it was not used for so long."), required: false),
  ]).named("SandboxRequest")

  fileprivate static let snapshot = Schema.object([
    Property("name", .string(format: .label)),
    Property("at", .string(format: .dateTime).described("The sandbox's time when it was taken.")),
  ]).named("Snapshot")
}

extension JSON {
  fileprivate static let namedSandbox: JSON = [
    "name": "ci-42",
    "url": "http://ci-42.localhost:8080",
    "urls": .object(
      Object(API.all.map { Member($0.name, .string("http://\($0.name).ci-42.localhost:8080")) })),
    "scenario": "calm",
    "seed": 7,
  ]

  fileprivate static let syncedSnapshot: JSON = ["name": "synced", "at": "2026-03-01T09:30:00.250Z"]
}
