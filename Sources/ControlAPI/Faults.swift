package import Contract
import Faults
import JSON
import Primitives

/// The operations that read, set and preview the faults of a sandbox.
extension Control {
  static let scenarios = [
    operation(
      "listScenarios", .get, "/_mock/scenarios",
      "The built-in scenarios",
      success: .list(
        "Their names, for `PUT /_mock/scenario`, and their descriptions.", "scenarios",
        of: .scenarioListing, named: "Scenarios", example: ["name": "calm", "about": "Nothing goes wrong."])),
    operation(
      "getScenario", .get, "/_mock/scenario",
      "The sandbox's scenario",
      success: armed("The scenario and its seed.")),
    operation(
      "putScenario", .put, "/_mock/scenario",
      "Arm a scenario",
      about: "Exchanges in progress keep their plan. Counters, windows and schedules restart.",
      body: Body(
        .scenarioOrName,
        examples: [
          JSONExample("name", "A built-in scenario", "basement"),
          JSONExample("rules", "A scenario of your own", .deadSpot),
        ],
        refused: ["rules": [], "seed": -1]),
      success: armed("The scenario is armed.")),
    operation(
      "patchScenario", .patch, "/_mock/scenario",
      "Change the seed or a part of the scenario",
      about: "The body is a JSON merge patch (RFC 7396). Counters, windows and schedules restart.",
      body: Body(
        .scenarioPatch, mediaType: "application/merge-patch+json",
        examples: [JSONExample("seed", "Another seed", ["seed": 7])], refused: ["seed": -1]),
      success: armed("The scenario is armed.", "seed", seed: 7)),
  ]

  static let plan = [
    operation(
      "getPlan", .get, "/_mock/plan",
      "The plans of future requests",
      about: """
        A preview changes nothing: the plans are the same with and without it. They contain the faults by hand, as if no other \
        request came before.
        """,
      parameters: [
        Parameter(
          "method", in: .query, "The method of the requests.", required: true,
          schema: .string(choices: Method.ofOperations.map(\.rawValue)), example: JSONExample("patch", "PATCH")),
        Parameter(
          "path", in: .query, "The path of the requests.", required: true, schema: .string(minimumLength: 1),
          example: JSONExample("device", "/devices/WWM-0001-12")),
        Parameter(
          "operation", in: .query,
          "The name that `--semantics` gives the operation of a backend; empty for requests without a name.",
          schema: .string(), example: JSONExample("unnamed", "")),
        Parameter(
          "count", in: .query, "The number of requests; the default is 20.", schema: .integer(1...1_000),
          example: JSONExample("few", 20)),
      ],
      success: .list(
        "The plans, in the order of the requests.", "plan", of: .planItem, named: "Plan",
        example: [
          "n": 1, "delay": "0ms", "fault": "reset", "phase": "after", "rules": ["dead spot"],
          "words": "reset after commit (rule \"dead spot\")",
        ]),
      otherwise: [
        badQuery("count", "expected an integer from 1 to 1000, found 0"),
        .problem(
          .unknownOperation("charge", "only --semantics names operations, those of a backend"),
          "No rule of `--semantics` gives the requests this name."),
      ])
  ]

  /// Returns a response with the scenario of `putScenario`'s last example.
  private static func armed(_ about: String, _ name: String = "rules", seed: JSONValue = 1) -> DeclaredResponse {
    .json(about, .armedScenario, examples: [JSONExample(name, JSONValue.deadSpot.merging(["seed": seed]))])
  }
}

extension Schema {
  /// The largest integer that JavaScript and many JSON libraries represent exactly.
  package static let scenarioSeed = Schema.integer(0...9_007_199_254_740_991)

  private static let scenarioProperties = Faults.Scenario.members.map(Property.init)

  fileprivate static let scenarioListing = Schema.object([
    Property("name", .string(minimumLength: 1)), Property("about", .string()),
  ])

  fileprivate static let armedScenario = Schema.object(
    [Property("name", .string(minimumLength: 1))] + scenarioProperties.dropFirst()
      + [Property("seed", scenarioSeed), inapplicable]
  ).named("ArmedScenario")

  static let inapplicable = Property.optional(
    "inapplicable",
    .array(of: .string()).described(
      "In front of a backend: the rules of the built-in scenario that do not apply to it."))

  /// A scenario as GET returns it, seed included, or the name of one.
  static let scenarioOrName = Schema.oneOf([
    .string(minimumLength: 1).described("The name of a built-in scenario."),
    scenario,
  ])

  static let scenario = Schema.object(
    [Property.optional("$schema", .any.described("Ignored by the server; editors use it."))]
      + scenarioProperties
      + [Property.optional("seed", scenarioSeed), inapplicable]
  ).named("Scenario")

  package static let scenarioPatch = Schema.object(
    [.optional("seed", scenarioSeed)], additional: .allowed
  ).named("ScenarioPatch")

  private static let phase = Schema.string(choices: Phase.allCases.map(\.rawValue))

  fileprivate static let planItem = Schema.object(
    [Property("n", .integer(atLeast: 1))] + planProperties, additional: .allowed
  ).named("PlanItem")

  /// The members of a plan besides its request number, `n`.
  static let planProperties = [
    Property("delay", .duration),
    .optional("fault", .string()),
    .optional("status", .integer(200...599)),
    Property("phase", phase),
    .optional("at", .string()),
    Property("rules", .array(of: .string())),
    Property("words", .string()),
  ]
}

extension JSONValue {
  fileprivate static let deadSpot: JSONValue = [
    "name": "cellar",
    "rules": [
      [
        "name": "dead spot", "match": ["api": "devices", "changes": true], "when": ["chance": "1/10"],
        "phase": "after", "effect": ["fault": "reset"],
      ]
    ],
  ]
}
