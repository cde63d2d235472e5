import JSON

/// The operations about faults; `API.control` lists those that are served.
extension Control {
  static let scenarios = [
    operation(
      "listScenarios", .get, "/_mock/scenarios",
      summary: "The scenarios that are built in",
      responses: [
        .json(
          "Their names, as `PUT /_mock/scenario` takes them, and what they are about.", .scenarios,
          examples: [
            JSONExample("one", "", ["scenarios": [["name": "calm", "about": "Nothing goes wrong."]]])
          ])
      ])
  ]

  static let scenario = [
    operation(
      "getScenario", .get, "/_mock/scenario",
      summary: "What goes wrong in the sandbox",
      responses: [.json("The scenario and its seed.", .armedScenario, examples: [armed])]),
    operation(
      "putScenario", .put, "/_mock/scenario",
      summary: "Let other things go wrong from now on",
      about: "Exchanges under way keep their plan. Counters, windows and schedules start anew.",
      body: RequestBody(
        .scenarioOrName,
        examples: [
          JSONExample("name", "One that is built in", "basement"),
          JSONExample("rules", "One of your own", .deadSpot),
        ]),
      responses: [
        .json("It is armed.", .armedScenario, examples: [armed]), badBody(["rules": [], "seed": -1], .scenarioOrName),
      ],
      changesState: true),
    operation(
      "patchScenario", .patch, "/_mock/scenario",
      summary: "Take another seed, or change a part of the scenario",
      about: "A JSON merge patch (RFC 7396). Counters, windows and schedules start anew.",
      body: RequestBody(
        .scenarioPatch, mediaType: "application/merge-patch+json",
        examples: [JSONExample("seed", "Other dice", ["seed": 7])]),
      responses: [
        .json("It is armed.", .armedScenario, examples: [armed]), badBody(["seed": -1], .scenarioPatch),
      ],
      changesState: true),
  ]

  static let plan = [
    operation(
      "getPlan", .get, "/_mock/plan",
      summary: "What will happen to requests to come",
      about: "Nothing is decided by asking: the same seed gives the same fates, asked for or not.",
      parameters: [
        Parameter(
          "method", in: .query, "The method of the requests.", required: true,
          schema: .string(choices: Method.allCases.map(\.rawValue)), example: JSONExample("patch", "", "PATCH")),
        Parameter(
          "path", in: .query, "Their path.", required: true, schema: .string(minimumLength: 1),
          example: JSONExample("device", "", "/devices/WWM-0001-12")),
        Parameter(
          "count", in: .query, "How many: 20, unless said.", schema: .integer(1...1_000),
          example: JSONExample("few", "", 20)),
      ],
      responses: [
        .json(
          "The fates in their order.", .plan,
          examples: [
            JSONExample(
              "one", "",
              [
                "plan": [
                  [
                    "n": 1, "delay": "0ms", "fault": "reset", "phase": "after", "rules": ["dead spot"],
                    "words": "reset after commit (rule \"dead spot\")",
                  ]
                ]
              ])
          ]),
        badQuery("count", "expected an integer from 1 to 1000, found 0"),
      ])
  ]

  static func badQuery(_ name: String, _ detail: String) -> Response {
    .problem(.parameter(name, detail), "A parameter is missing, wrong or unknown.")
  }

  private static let armed = JSONExample(
    "deadSpot", "", JSON.deadSpot.merging(["seed": 1]))
}

extension Schema {
  /// The largest integer that JavaScript and many JSON libraries represent exactly.
  package static let scenarioSeed = Schema.integer(0...9_007_199_254_740_991)

  private static let scenarioProperties = [
    Property("name", .string(minimumLength: 1).described("`custom`, unless said."), required: false),
    Property("about", .string(), required: false),
    Property("rules", .array(of: rule)),
  ]

  fileprivate static let scenarios = Schema.object([
    Property(
      "scenarios",
      .array(of: .object([Property("name", .string(minimumLength: 1)), Property("about", .string())])))
  ]).named("Scenarios")

  fileprivate static let armedScenario = Schema.object(
    [Property("name", .string(minimumLength: 1))] + scenarioProperties.dropFirst() + [Property("seed", scenarioSeed)]
  ).named("ArmedScenario")

  /// A scenario as GET returns it, seed included, or the name of one.
  static let scenarioOrName = Schema.oneOf([
    .string(minimumLength: 1).described("The name of one that is built in."),
    .object(
      [Property("$schema", .any.described("Not looked at: editors read it."), required: false)] + scenarioProperties
        + [Property("seed", scenarioSeed, required: false)]
    ).named("Scenario"),
  ])

  package static let scenarioPatch = Schema.object(
    [Property("seed", scenarioSeed, required: false)], additional: .allowed
  ).named("ScenarioPatch")

  private static let rule = Schema.object([
    Property("name", .string(minimumLength: 1), required: false),
    Property("about", .string(), required: false),
    Property("match", match, required: false),
    Property("when", when, required: false),
    Property("phase", phase.described("`before` anything was done, unless said."), required: false),
    Property("effect", .object([], additional: .allowed).described("One effect, such as `{\"fault\": \"reset\"}`.")),
  ]).named("Rule")

  private static let phase = Schema.string(choices: ["before", "after"])

  private static let method = Schema.string(choices: Method.allCases.map(\.rawValue))

  private static let match = Schema.object([
    Property("api", .string(choices: API.all.map(\.name)), required: false),
    Property(
      "method", .oneOf([method, .array(of: method, count: 1...Method.allCases.count)]), required: false),
    Property(
      "path",
      .string(minimumLength: 1).described(
        "`*` is one segment, `**` any number. It has no labels and no query, is percent-decoded, and is one that an "
          + "operation has."),
      required: false),
    Property(
      "changes",
      .boolean.described(
        "Whether the request is a write as its client sees it; users' writes are, though they are not kept."),
      required: false),
    Property("header", .map(of: .string()), required: false),
  ])

  private static let when = Schema.object([
    Property("chance", .string(minimumLength: 3).described("A ratio of integers: `1/10`."), required: false),
    Property("first", Schema(.integer(minimum: 1, maximum: nil)), required: false),
    Property("nth", Schema(.integer(minimum: 1, maximum: nil)), required: false),
    Property("requests", .string(minimumLength: 1).described("`5...9`: those of the stream."), required: false),
    Property("from", .string(format: .duration), required: false),
    Property("until", .string(format: .duration), required: false),
    Property("every", .string(format: .duration), required: false),
  ])

  fileprivate static let plan = Schema.object([Property("plan", .array(of: planItem))]).named("Plan")

  private static let planItem = Schema.object(
    [
      Property("n", Schema(.integer(minimum: 1, maximum: nil))),
      Property("delay", .string(format: .duration)),
      Property("fault", .string(), required: false),
      Property("status", .integer(200...599), required: false),
      Property("phase", phase),
      Property("at", .string(), required: false),
      Property("rules", .array(of: .string())),
      Property("words", .string()),
    ], additional: .allowed
  ).named("PlanItem")
}

extension JSON {
  fileprivate static let deadSpot: JSON = [
    "name": "cellar",
    "rules": [
      [
        "name": "dead spot", "match": ["api": "devices", "changes": true], "when": ["chance": "1/10"],
        "phase": "after", "effect": ["fault": "reset"],
      ]
    ],
  ]
}
