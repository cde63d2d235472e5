package import Contract
import JSON
import Primitives

extension Control {
  static let network = [
    operation(
      "getNetwork", .get, "/_mock/network",
      "The sandbox's network switch",
      about: "Only the state of the switch: an outage of the scenario's schedule is not shown here.",
      success: .json("The switch.", .network, examples: [JSONExample("offline", .offlineNetwork)])),
    operation(
      "patchNetwork", .patch, "/_mock/network",
      "Take the sandbox off the network, hold its responses back, or bring it back",
      about: """
        The switch takes precedence over the scenario, and does not arm it again. While it is offline, requests are \
        not counted: they have no `n`, and do not affect random decisions, rate limits or cold starts. So the plans \
        before and after the outage are the same as without it. The control API stays reachable. A reset switches \
        the network to online.

        `offline` resets the sandbox's connections. `as` selects what follows: `reset` (the default) resets each new \
        connection; `refused` closes the listener of the sandbox's own port during the outage, so that connecting \
        fails; `silence` leaves the connections open and sends nothing, until the client gives up or the network is \
        back, which resets them. At an address that the sandbox shares with others, `refused` resets new connections \
        instead.

        `held` applies requests as planned, and holds each response back until the network is online. Responses that \
        have begun continue, and a client may disconnect.

        `for` uses the sandbox's clock: `PATCH /_mock/clock` shortens it, and a frozen clock stops it. `as` and \
        `for` without `state` change the current state.
        """,
      body: Body(
        .networkPatch,
        examples: [
          JSONExample("offline", "In the basement, for half a minute", ["state": "offline", "for": "30s"]),
          JSONExample("silence", "No response to any request", ["state": "offline", "as": "silence"]),
          JSONExample("held", "Responses held back, to test a loading screen", ["state": "held"]),
          JSONExample("online", "The network is back", ["state": "online"]),
        ],
        refused: ["state": "down"]),
      success: .json("The switch after the change.", .network, examples: [JSONExample("offline", .offlineNetwork)]),
      otherwise: [
        .problem(
          .noPortToRefuse("default"),
          "`refused` requires a port of the sandbox's own. Also: another program took this port while it was closed; "
            + "`as` requires the state offline; `for` cannot be used with the state online.")
      ]),
  ]
}

extension Schema {
  private static let networkState = Schema.string(choices: ["online", "offline", "held"])
  private static let outage = Schema.string(choices: ["reset", "refused", "silence"])

  fileprivate static let network = Schema.object([
    Property("state", networkState),
    .optional("as", outage.described("The effect of the outage on clients; only with `offline`.")),
    .optional("for", .duration.described("The time until it is online again, by the sandbox's clock.")),
  ]).named("Network")

  package static let networkPatch = Schema.object([
    .optional("state", networkState),
    .optional("as", outage.described("Only with `offline`.")),
    .optional(
      "for",
      .duration.described(
        "The duration of the state. Without it, the state lasts until the "
          + "next change. Not with `online`.")),
  ]).named("NetworkPatch")
}

extension JSONValue {
  fileprivate static let offlineNetwork: JSONValue = ["state": "offline", "as": "reset", "for": "29.5s"]
}
