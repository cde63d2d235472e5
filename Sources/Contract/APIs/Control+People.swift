import JSON

/// What belongs to watching: for people, and for what draws graphs for them.
extension Control {
  static let metrics = [
    operation(
      "getMetrics", .get, "/_mock/metrics",
      summary: "Counters for Prometheus",
      about: """
        The whole server's, and the delays of the sandbox that is asked: so the number of lines does not grow with the \
        number of sandboxes.
        """,
      responses: [
        Response(200, "In Prometheus' text format 0.0.4.", content: [Response.Content("text/plain", .string())]),
        badQuery,
      ])
  ]

  static let dashboard = [
    Operation(
      "getDashboard", .get, "/_mock/",
      summary: "A page that shows what goes on",
      about: """
        It is empty of data and needs no token itself, since a browser could not send one: it asks for the token, and \
        sends it with what it reads. It loads nothing from anywhere else.
        """,
      responses: [
        Response(
          200, "The page.", content: [Response.Content("text/html", .string(minimumLength: 1))],
          fields: [
            .cacheControl("no-store"),
            ResponseField("Content-Security-Policy", "What the page may do.", schema: .string(minimumLength: 1)),
          ])
      ],
      cacheControl: "no-store", heedsPreconditions: false, access: .probes),
    operation(
      "getPicture", .get, "/_mock/pictures/{room}",
      summary: "The picture of a room, without a trace",
      about: "As `/image/{room}` has it, but no scenario harms it and no journal tells of it: for who only watches.",
      parameters: [
        Parameter(
          "room", in: .path, "The name of the room.", schema: .string(minimumLength: 1),
          example: JSONExample("room", "", "Ljerka"))
      ],
      responses: [
        Response(200, "The picture.", content: [Response.Content("image/png", .string(format: .binary))]),
        .problem(404, "No room has this name."),
      ]),
  ]
}
