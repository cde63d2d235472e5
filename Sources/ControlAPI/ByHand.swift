import Contract
import Faults
import JSON
import Primitives

extension Control {
  /// The operations on faults by hand: rules beside the scenario.
  static let faults = [
    operation(
      "listFaults", .get, "/_mock/faults",
      "The faults by hand that are still armed",
      success: .list(
        "The faults, the oldest first.", "faults", of: .armedFault, named: "FaultsByHand", example: .lostBooking)),
    operation(
      "armFault", .post, "/_mock/faults",
      "Fail the next request by hand",
      about: """
        Arms a rule beside the scenario, whose counters, windows and schedules go on. `count` is the number of requests \
        that it affects, such as 1 for the next one; without it, the rule affects each request until it is removed. \
        A request whose response cannot have the fault, such as `drift` for a HEAD, is not counted. \
        Of several such faults, the oldest that matches a request affects it. Its effect precedes those of the scenario's rules. \
        `Prefer` in the request takes precedence. A reset removes all of them; a new scenario does not.
        """,
      body: Body(
        .manualFault,
        examples: [
          JSONExample(
            "next", "The next booking is made, and its response is lost",
            [
              "match": ["method": "POST", "path": "/book"], "phase": "after", "effect": ["fault": "reset"], "count": 1,
            ]),
          JSONExample("each", "Each request takes three seconds", ["effect": ["latency": "3s"]]),
        ],
        refused: ["effect": [:], "count": 0]),
      success: .json("The fault is armed.", .armedFault, status: 201, examples: [JSONExample("next", .lostBooking)]),
      otherwise: [.problem(.tooManyFaults(100), "No more faults by hand can be armed.")]),
    operation(
      "removeFault", .delete, "/_mock/faults/{id}",
      "Remove a fault by hand",
      parameters: [
        Parameter(
          "id", in: .path, "The id of the fault.", schema: .string(minimumLength: 1),
          example: JSONExample("first", "1"))
      ],
      success: .noContent("The fault is removed."),
      otherwise: [
        .problem(.unknownFault("7"), "There is no such fault, or it has affected as many requests as it should.")
      ]),
    operation(
      "removeFaults", .delete, "/_mock/faults",
      "Remove all faults by hand",
      success: .noContent("There are none any more.")),
  ]
}

extension Schema {
  private static let ruleProperties = Rule.members.filter { $0.name != "name" }.map(Property.init)

  fileprivate static let manualFault = Schema.object(
    ruleProperties + [
      Property.optional(
        "count", .integer(1...1_000).described("The number of requests that it affects; by default each one."))
    ]
  ).named("FaultByHand")

  fileprivate static let armedFault = Schema.object(
    [
      Property("id", .integer(atLeast: 1)),
      Property.optional(
        "remaining",
        .integer(1...1_000).described("The number of requests that it still affects; missing for each one.")),
    ] + ruleProperties
  ).named("ArmedFault")
}

extension JSONValue {
  fileprivate static let lostBooking: JSONValue = [
    "id": 1, "remaining": 1, "match": ["method": ["POST"], "path": "/book"], "phase": "after",
    "effect": ["fault": "reset"],
  ]
}
