package import Contract
import JSON
import Primitives

extension API {
  /// The control API: sandboxes, their data and their clocks.
  package static let control = API(
    name: "control",
    title: "Control",
    about: "Controls Understudy itself: sandboxes, snapshots, clock and data. Every origin serves it.",
    operations: [
      Control.health,
      Control.sandboxes,
      Control.snapshots,
      Control.data,
      Control.scenarios,
      Control.faults,
      Control.network,
      Control.plan,
      Control.journal,
      Control.requests,
      Control.report,
      Control.upstream,
      Control.pages,
      Control.documents,
    ].flatMap(\.self),
    data: .object([]))
}

/// The operations of the control API, in groups.
enum Control {
  static let health = [
    operation(
      "getHealth", .get, "/_mock/health", for: .probes, cacheControl: "no-store",
      "The server's health",
      about: "A probe of a container can rely on it: no scenario affects it, and it needs no token.",
      success: .json(
        "The server is up and accepts requests.", .health,
        examples: [JSONExample("ok", ["status": "ok", "version": .string(Document.version)])],
        fields: [.cacheControl("no-store")]))
  ]

  static let documents = [
    operation(
      "getOpenAPI", .get, "/openapi.yaml", for: .probes,
      "This document",
      success: .ok("The document.", Content("application/yaml", .any, example: "own", at: "/openapi.yaml"))),
    operation(
      "getSchema", .get, "/_mock/schemas/{name}", for: .probes,
      "The JSON Schema of a scenario, a journal, a report or a data file",
      about: "JSON Schema 2020-12, for editors and validators. `understudy schema` prints the same.",
      parameters: [
        Parameter(
          "name", in: .path, "The name of the file.",
          schema: .string(choices: SchemaDocument.all.map { $0.name + ".json" }),
          example: JSONExample("scenario", "scenario.json"))
      ],
      success: .ok(
        "The schema.",
        Content(
          "application/schema+json", .object([], additional: .allowed),
          examples: [
            JSONExample(
              "head", "The first members of a schema",
              [
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "title": "A scenario of Understudy, as in a file for --scenario", "type": "object",
              ]),
            JSONExample("own", at: "/_mock/schemas/scenario.json"),
          ])),
      otherwise: [.problem(.unknownSchema("scenarios.json"), "There is no such schema.")]),
  ]

  /// The clock and the data of a sandbox.
  static let data = [
    operation(
      "getClock", .get, "/_mock/clock",
      "The sandbox's time",
      success: .json("The clock.", .clock, examples: [JSONExample("running", .runningClock)])),
    operation(
      "patchClock", .patch, "/_mock/clock",
      "Stop, resume or advance the sandbox's time",
      about: """
        Data, schedules and cold starts follow this clock. The `Date` field shows real time, and delays in progress are \
        not shortened. With both members the clock is first stopped or resumed, then advanced. A stopped clock resumes \
        at the time at which it stopped.
        """,
      body: Body(
        .clockPatch,
        examples: [
          JSONExample("freeze", "Stop the clock", ["frozen": true]),
          JSONExample("advance", "Advance by half a minute", ["advance": "30s"]),
        ],
        refused: ["advance": 30]),
      success: .json("The clock after the change.", .clock, examples: [JSONExample("freeze", .frozenClock)])),
    operation(
      "getState", .get, "/_mock/state",
      "The sandbox's data",
      success: .json("The data of each API, in the shape of its data file.", .mockState, examples: [ownState])),
    operation(
      "patchState", .patch, "/_mock/state",
      "Change the sandbox's data",
      about: """
        A JSON merge patch (RFC 7396): objects are merged, arrays are replaced, null removes a member. The result \
        must be valid as a whole; otherwise nothing changes. The body is read as JSON, whatever `Content-Type` says.
        """,
      body: Body(
        .mockStatePatch, mediaType: "application/merge-patch+json",
        examples: [JSONExample("heatwave", "A hot day", ["house": ["temperature": 31]])],
        refused: ["house": ["temperature": "hot"]]),
      success: .json("The data after the change.", .mockState, examples: [ownState])),
  ]

  private static let ownState = JSONExample("small", "A small building", .smallState)

  typealias Content = DeclaredResponse.Content

  /// The body of a request, with the response to one that its schema refuses.
  struct Body {
    fileprivate let declared: RequestBody
    fileprivate let refusal: DeclaredResponse

    /// - Parameters:
    ///   - refused: A body that violates the schema, for the example of the response.
    ///   - reasons: The reasons for which a body is refused.
    init(
      _ schema: Schema, required: Bool = true, mediaType: String = "application/json", examples: [JSONExample],
      refused: JSONValue,
      reasons: String = "The body is missing, is not JSON, or has an unknown key or an invalid value."
    ) {
      declared = RequestBody(schema, required: required, mediaType: mediaType, examples: examples)
      refusal = .problem(.refusal(of: refused, by: schema), reasons)
    }
  }

  /// Returns the response to a query with a wrong parameter.
  static func badQuery(_ name: String, _ detail: String) -> DeclaredResponse {
    .problem(.parameter(name, detail), "A parameter is missing, wrong or unknown.")
  }

  /// Returns an operation of the control API. Its path has no tag, and every method but GET changes state.
  ///
  /// - Parameter others: The other responses, besides the one to a body that is refused.
  static func operation(
    _ id: String, _ method: Method, _ path: PathTemplate, for access: Operation.Semantics.Access = .controllers,
    cacheControl: String? = nil, _ summary: String, about: String = "", parameters: [Parameter] = [],
    body: Body? = nil, success: DeclaredResponse, otherwise others: [DeclaredResponse] = []
  ) -> Operation {
    Operation(
      id, method, path, semantics: method == .get ? .changesNothing(for: access) : .changesState(for: access),
      caching: .untagged(cacheControl: cacheControl),
      documentation: .init(
        summary: summary, about: about, parameters: parameters, body: body?.declared,
        responses: [success] + [body?.refusal].compactMap(\.self) + others))
  }
}

extension DeclaredResponse {
  /// Returns a success in one of several media types.
  static func ok(_ about: String, _ content: Content..., fields: [DeclaredField] = []) -> DeclaredResponse {
    DeclaredResponse(200, about, content: content, fields: fields)
  }

  /// Returns a success whose body is an object with a list as its only member.
  ///
  /// - Parameters:
  ///   - name: The name of the body's schema.
  ///   - example: The only element of the list in the example.
  static func list(
    _ about: String, _ member: String, of element: Schema, named name: String, example: JSONValue
  ) -> DeclaredResponse {
    .json(
      about, Schema.object([Schema.Property(member, .array(of: element))]).named(name),
      examples: [JSONExample("one", .object(JSONValue.Object([JSONValue.Member(member, [example])])))])
  }

  static func noContent(_ about: String) -> DeclaredResponse { DeclaredResponse(204, about) }
}

extension DeclaredResponse.Content {
  /// Creates a body whose example is a URL.
  init(_ mediaType: String, _ schema: Schema, example name: String, at address: String) {
    self.init(mediaType, schema, examples: [JSONExample(name, at: address)])
  }
}

extension Schema {
  static let duration = Schema.string(format: .duration)

  fileprivate static let health = Schema.object([
    Property("status", .constant("ok")),
    Property("version", .string(minimumLength: 1).described("The version of the server.")),
  ]).named("Health")

  fileprivate static let clock = Schema.object([
    Property("now", .string(format: .dateTime).described("With as many fraction digits as needed.")),
    Property("frozen", .boolean),
    Property(
      "elapsed",
      .duration.described("The time since the scenario was armed, by this clock. Its windows use it.")),
  ]).named("Clock")

  package static let clockPatch = Schema.object([
    .optional("frozen", .boolean),
    .optional("advance", .duration),
  ]).named("ClockPatch")

  fileprivate static let mockState = Schema.object(
    API.all.map { Property($0.name, $0.data) }
  ).named("State")

  /// The schema of a merge patch on a value of this schema: every member of an object is optional, and any other value
  /// is replaced as a whole.
  ///
  /// The patched value is validated as a whole.
  private var patch: Schema {
    guard case .object(let object) = shape else { return self }
    let properties = object.properties.map { Property.optional($0.name, $0.schema.patch) }
    guard case .matching(let value, let names, _) = object.additional else {
      return .object(properties, additional: object.additional)
    }
    return .object(properties, additional: .matching(value.patch.orNull, named: names, count: nil))
  }

  package static let mockStatePatch = Schema.object(
    API.all.map { .optional($0.name, $0.data.patch) }
  ).named("StatePatch")
}

extension JSONValue {
  fileprivate static let runningClock: JSONValue = [
    "now": "2026-03-01T09:30:00.250Z", "frozen": false, "elapsed": "12.5s",
  ]
  fileprivate static let frozenClock: JSONValue = ["now": "2026-03-01T09:30:00Z", "frozen": true, "elapsed": "42.5s"]

  fileprivate static let smallState: JSONValue = [
    "devices": [
      ["id": "WWM-0001-12", "type": "warm_water", "meterPointDescription": "Kitchen", "installationDate": nil]
    ],
    "activities": [
      [
        "id": 7834, "created_at": "2018-04-19T09:38:41.000Z", "direction": "outbound", "from": "Pierre-Baptiste Béchu",
        "to": "06 46 62 12 33", "via": "NYC Office", "duration": "120", "is_archived": false, "call_type": "missed",
      ]
    ],
    "house": ["temperature": 31, "rooms": ["Living Room": ["TV": true]]],
    "users": [],
    "booking": ["rooms": [["name": "Ljerka", "spots": 43]]],
  ]
}

extension Problem {
  /// Returns the path of the control API that was probably meant by one of no API, as a question; nil for other paths.
  package static func controlAdvice(on path: String) -> String? {
    let parts = path.split(separator: "/").map(String.init)
    let isMeant = parts.count > 1 && Spelling.nearest(to: parts[0], among: ["_mock", "mock"], within: 1) != nil
    guard isMeant else { return nil }
    return "did you mean /_mock/\(parts.dropFirst().joined(separator: "/"))?"
  }

  /// Returns the problem of a path under `/_mock` that no operation has, with the one that was probably meant.
  package static func unknownControlPath(_ path: String) -> Problem {
    let parts = path.split(separator: "/").map(String.init)
    let paths = API.control.operations.map(\.path.text).filter { $0.hasPrefix("/_mock/") }
    let beside = paths.filter {
      $0 == "/_mock/" + (parts.dropFirst().first ?? "") || $0.hasPrefix("/_mock/\(parts.dropFirst().first ?? "")/")
    }
    let names = paths.compactMap { $0.split(separator: "/").dropFirst().first.map(String.init) }.distinct()
    let advice =
      if parts.count > 1, !beside.isEmpty {
        "Expected one of " + Set(beside).sorted().joined(separator: ", ") + "."
      } else if let name = parts.dropFirst().first, let meant = Spelling.nearest(to: name, among: names) {
        "Did you mean /_mock/\(meant)?"
      } else {
        "After /_mock/ comes one of " + names.joined(separator: ", ") + "."
      }
    return Problem(
      404, "unknown-path", "There is nothing at this path",
      "No operation has the path \(path). \(advice) The page Control API of the documentation, and /openapi.yaml, have them all."
    )
  }
}
