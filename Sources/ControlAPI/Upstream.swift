import Contract
import Faults
import JSON
import Primitives

extension Control {
  static let upstream = [
    operation(
      "getUpstream", .get, "/_mock/upstream",
      "The backend in front of which the server stands",
      about:
        "It says what became of the requests to it since the server began, and to how many each rule of `--semantics` applied.",
      success: .json(
        "The backend.", .upstream,
        examples: [
          JSONExample(
            "shop",
            [
              "url": "http://localhost:3000", "reachable": true, "answered": 12, "failed": 0, "late": 1,
              "undeclared": 0,
              "semantics": [
                [
                  "match": "POST /rpc", "where": ["/method": "charge"], "name": "charge", "effect": "add",
                  "requests": 3,
                ]
              ],
            ])
        ]))
  ]
}

extension Schema {
  /// The backend in front of which the server stands.
  static let upstream = Schema.object([
    Property("url", .string().orNull.described("Null if the server serves the five APIs itself.")),
    Property("reachable", .boolean.orNull.described("True if it accepted the last connection; null before the first.")),
    Property("answered", .integer(atLeast: 0).described("The number of requests with a complete answer.")),
    Property("failed", .integer(atLeast: 0).described("The number of requests without one.")),
    Property("late", .integer(atLeast: 0).described("The number of answers that came after the client had left.")),
    Property(
      "undeclared",
      .integer(atLeast: 0).described("The number of requests whose content the rules of `--semantics` could not read.")),
    Property(
      "semantics",
      .array(
        of: .object([
          Property("match", .string()), .optional("where", .map(of: .string())), .optional("name", .string()),
          Property("effect", .string(choices: SemanticsRule.Effect.allCases.map(\.rawValue))),
          Property("requests", .integer(atLeast: 0).described("The number of requests to which the rule applied.")),
        ]))),
  ]).named("Upstream")
}
