import JSON

extension Control {
  static let network = [
    operation(
      "getNetwork", .get, "/_mock/network",
      summary: "The sandbox's network switch",
      about: "It tells the switch alone: an outage by the scenario's schedule does not show here.",
      responses: [.json("The switch.", .network, examples: [JSONExample("offline", "", .offlineNetwork)])]),
    operation(
      "patchNetwork", .patch, "/_mock/network",
      summary: "Take the sandbox off the network, hold its responses back, or bring it back",
      about: """
        The switch lies over the scenario and re-arms nothing. A request that meets it offline is not counted: it has \
        no `n`, draws nothing, and leaves rate limits and cold starts alone, so the plans before and after an outage \
        are those of a run without it. The control API stays reachable, and a reset switches the network to online.

        `offline` resets the sandbox's connections. Then, by `as`: `reset` (unless said) resets each new connection; \
        `refused` closes the listener of the sandbox's own port, so that connecting fails, and opens it again \
        afterwards; `silence` leaves the connections open and sends nothing, until the client gives up or the network \
        is back, which resets them. A sandbox without a port of its own resets what `refused` would refuse elsewhere.

        `held` lets requests be carried out, as planned, and keeps each response back until the network is online; \
        responses that have begun go on, and a client that leaves is let go.

        `for` counts by the sandbox's clock: `PATCH /_mock/clock` shortens it, and a frozen clock stops it. `as` and \
        `for` without `state` change the state that there is.
        """,
      body: RequestBody(
        .networkPatch,
        examples: [
          JSONExample("online", "Back on the network", ["state": "online"]),
          JSONExample("offline", "In the basement, for half a minute", ["state": "offline", "for": "30s"]),
          JSONExample("silence", "No answer to anything", ["state": "offline", "as": "silence"]),
          JSONExample("held", "A spinner that a test can look at", ["state": "held"]),
        ]),
      responses: [
        .json("The switch as it now is.", .network, examples: [JSONExample("offline", "", .offlineNetwork)]),
        badBody(["state": "down"], .networkPatch),
        .problem(
          .noPortToRefuse("default"),
          "The sandbox has no port of its own to refuse connections at, or its port was taken while it was closed; or `as` "
            + "comes without the state offline, or `for` with the state online."),
      ],
      changesState: true),
  ]
}

extension Schema {
  private static let networkState = Schema.string(choices: ["online", "offline", "held"])
  private static let outage = Schema.string(choices: ["reset", "refused", "silence"])

  fileprivate static let network = Schema.object([
    Property("state", networkState),
    Property("as", outage.described("How a client meets the outage; only where it is offline."), required: false),
    Property(
      "for", .string(format: .duration).described("The time until it is online again, by the sandbox's clock."),
      required: false),
  ]).named("Network")

  package static let networkPatch = Schema.object([
    Property("state", networkState, required: false),
    Property("as", outage.described("Only with `offline`."), required: false),
    Property(
      "for", .string(format: .duration).described("Until said, if it is missing; not with `online`."), required: false),
  ]).named("NetworkPatch")
}

extension JSONValue {
  fileprivate static let offlineNetwork: JSONValue = ["state": "offline", "as": "reset", "for": "29.5s"]
}
