package import Contract
import JSON
import Primitives

extension Control {
  static let sandboxes = [
    operation(
      "listSandboxes", .get, "/_mock/sandboxes",
      "All sandboxes",
      success: .list(
        "The default sandbox first, then the others by name.", "sandboxes", of: .sandbox, named: "Sandboxes",
        example: .defaultSandbox)),
    operation(
      "makeSandbox", .post, "/_mock/sandboxes",
      "Make a sandbox",
      about: """
        A sandbox is an isolated copy of the backend with its own data, clock and counters. Every member of the body \
        has a default; no body is the same as `{}`.
        """,
      body: Body(
        .sandboxRequest, required: false,
        examples: [
          JSONExample("named", "A sandbox for a test run", ["name": "ci-42", "seed": 7]),
          JSONExample("port", "A sandbox on a free port, with Booking at `/`", ["port": 0, "api": "booking"]),
          JSONExample(
            "scenario", "A sandbox in which every second write fails",
            ["scenario": ["rules": [["match": ["changes": true], "when": ["nth": 2], "effect": ["status": 503]]]]]),
          JSONExample(
            "data", "A sandbox with its own data", ["data": ["activities": [], "house": ["temperature": 31]]]),
        ],
        refused: ["seed": -1],
        reasons: "The body is not JSON or has an unknown key, or the name is `default` or that of an API."),
      success: .json(
        "The sandbox was made.", .sandbox, status: 201, examples: [JSONExample("named", .namedSandbox)],
        fields: [DeclaredField("Location", "The sandbox's path in this API.", schema: .string(minimumLength: 1))]),
      otherwise: [
        .problem(.takenName("ci-42"), "The name is taken, or the port is not available."),
        .problem(
          .tooManySandboxes(1_000),
          "There are already 1,000 sandboxes; or, with `--state`, the disk could not store the change."),
      ]),
    operation(
      "getSandbox", .get, "/_mock/sandboxes/{name}",
      "One sandbox",
      parameters: [sandboxName(JSONExample("default", "default"))],
      success: .json("The sandbox.", .sandbox, examples: [JSONExample("default", .defaultSandbox)]),
      otherwise: [unknownSandbox]),
    operation(
      "deleteSandbox", .delete, "/_mock/sandboxes/{name}",
      "Delete a sandbox",
      about: """
        Its port is closed, and its name becomes available. Pending requests are answered, and connections close when \
        they are idle.
        """,
      // The default sandbox cannot be deleted, so the example is another one.
      parameters: [sandboxName(JSONExample("made", "The sandbox of `makeSandbox`'s first example", "ci-42"))],
      success: .noContent("The sandbox was deleted."),
      otherwise: [unknownSandbox, .problem(.defaultSandbox, "The default sandbox cannot be deleted.")]),
    operation(
      "resetSandbox", .post, "/_mock/reset",
      "Reset the sandbox to its initial state",
      about: "Resets data, counters, clock and journal, and switches the network to online. Snapshots are kept.",
      success: .noContent("The sandbox was reset.")),
  ]

  static let snapshots = [
    operation(
      "listSnapshots", .get, "/_mock/snapshots",
      "The sandbox's snapshots",
      success: .list(
        "The snapshots, by name.", "snapshots", of: .snapshot, named: "Snapshots", example: .syncedSnapshot)),
    operation(
      "takeSnapshot", .put, "/_mock/snapshots/{name}",
      "Take a snapshot of the sandbox's data",
      about: "It contains the data only: no clock, counters or journal. It takes constant time, whatever the size.",
      parameters: [snapshotName],
      success: .json("The snapshot replaced an older one of this name.", .snapshot, examples: [synced]),
      otherwise: [
        .json("The snapshot was taken.", .snapshot, status: 201, examples: [synced]),
        .problem(.malformedSnapshotName("No_Label"), "The name is not a DNS label."),
        .problem(
          .tooManySnapshots(256),
          "The sandbox already has 256 snapshots; or, with `--state`, the disk could not store the change."),
      ]),
    operation(
      "getSnapshot", .get, "/_mock/snapshots/{name}",
      "One snapshot",
      parameters: [snapshotName],
      success: .json("The snapshot.", .snapshot, examples: [synced]),
      otherwise: [unknownSnapshot]),
    operation(
      "restoreSnapshot", .post, "/_mock/snapshots/{name}/restore",
      "Restore the data of a snapshot",
      parameters: [snapshotName],
      success: .noContent("The data was restored."),
      otherwise: [unknownSnapshot]),
  ]

  private static func sandboxName(_ example: JSONExample) -> Parameter {
    Parameter("name", in: .path, "The sandbox's name.", schema: .string(format: .label), example: example)
  }
  private static let unknownSandbox = DeclaredResponse.problem(
    .unknownSandbox("ci-43"), "There is no such sandbox.")
  private static let snapshotName = Parameter(
    "name", in: .path, "The snapshot's name.", schema: .string(format: .label),
    example: JSONExample("synced", "synced"))
  private static let synced = JSONExample("synced", .syncedSnapshot)
  private static let unknownSnapshot = DeclaredResponse.problem(
    .unknownSnapshot("synced"), "The sandbox has no such snapshot.")
}

extension Schema {
  private static let scenarioName = Schema.string(minimumLength: 1)

  static let sandbox = Schema.object([
    Property("name", .string(format: .label)),
    Property("url", .string(format: .uri).described("The URL of its merged origin, or of its only API.")),
    Property(
      "urls",
      .object(API.all.map { .optional($0.name, .string(format: .uri)) }).described(
        "The URL of each API's own origin; empty in front of a backend.")),
    .optional("port", .integer(1...65_535).described("Its own port, if it has one.")),
    Property("scenario", scenarioName),
    Property("seed", scenarioSeed), inapplicable,
  ]).named("Sandbox")

  package static let sandboxRequest = Schema.object([
    .optional("name", .string(format: .label).described("The default is a generated name.")),
    .optional("scenario", scenarioOrName.described("The sandbox's faults; the default is the server's scenario.")),
    .optional(
      "seed",
      scenarioSeed.described("The seed of every decision; the default is the scenario's seed or else the server's.")),
    .optional("port", .integer(0...65_535).described("Its own port; 0 selects a free one.")),
    .optional(
      "api",
      .string(choices: API.all.map(\.name)).described("The only API at `/` of its port; the default is all APIs.")),
    .optional(
      "data",
      Schema.mockStatePatch
        .described("A JSON merge patch (RFC 7396) on the server's initial data, API by API.")),
    .optional("ttl", .duration.described("The sandbox is deleted when it has not been used for this time.")),
  ]).named("SandboxRequest")

  fileprivate static let snapshot = Schema.object([
    Property("name", .string(format: .label)),
    Property("at", .string(format: .dateTime).described("The sandbox's time at which it was taken.")),
  ]).named("Snapshot")
}

extension JSONValue {
  fileprivate static let defaultSandbox = sandbox("default", at: "http://localhost:8080", seed: 1)
  fileprivate static let namedSandbox = sandbox("ci-42", at: "http://localhost:8080/@ci-42", seed: 7)

  private static func sandbox(_ name: JSONValue, at url: String, seed: JSONValue) -> JSONValue {
    [
      "name": name, "url": .string(url),
      "urls": .object(Object(API.all.map { Member($0.name, .string("\(url)/@\($0.name)")) })),
      "scenario": "calm", "seed": seed,
    ]
  }

  fileprivate static let syncedSnapshot: JSONValue = ["name": "synced", "at": "2026-03-01T09:30:00.250Z"]
}
