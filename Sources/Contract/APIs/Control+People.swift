import JSON

/// The operations for observing: the dashboard for people, and metrics for graphs.
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
        Response(
          200, "In Prometheus' text format 0.0.4.",
          content: [
            Response.Content(
              "text/plain", .string(),
              examples: [
                JSONExample("one", "", "understudy_requests_total{api=\"devices\",status=\"200\"} 12\n"),
                JSONExample("all", at: "/_mock/metrics"),
              ])
          ]),
        badQuery("name", "unknown; expected no parameter"),
      ])
  ]

  static let dashboard = [
    Operation(
      "getFrontPage", .get, "/",
      summary: "A page that leads to the APIs, the dashboard and this document",
      about: """
        For a browser, that is where `Accept` prefers `text/html`. It has no data and needs no token. No scenario faults \
        it and no journal holds it. The labels of the request stand in its links.
        """,
      responses: [
        Response(
          200, "The page.",
          content: [Response.Content("text/html", .string(minimumLength: 1), examples: [JSONExample("page", at: "/")])],
          fields: [
            ResponseField(
              "Vary", "`Accept`, and the sandbox that stands in the links.",
              schema: .constant("Accept, Understudy-Sandbox")),
            .cacheControl("no-store"), .ownPagePolicy,
          ]),
        .problem(.unknownPath("/"), "`Accept` prefers another media type; nothing else is at this path."),
      ],
      cacheControl: "no-store", heedsPreconditions: false, access: .visitors),
    Operation(
      "getDashboard", .get, "/_mock/",
      summary: "A page that shows what goes on",
      about: """
        It is empty of data and needs no token itself, since a browser could not send one: it asks for the token, and \
        sends it with what it reads. It loads nothing from anywhere else.
        """,
      responses: [
        Response(
          200, "The page.",
          content: [
            Response.Content("text/html", .string(minimumLength: 1), examples: [JSONExample("page", at: "/_mock/")])
          ],
          fields: [
            .cacheControl("no-store"),
            .ownPagePolicy,
          ])
      ],
      cacheControl: "no-store", heedsPreconditions: false, access: .visitors),
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
        Response(
          200, "The picture.",
          content: [
            Response.Content(
              "image/png", .string(format: .binary), examples: [JSONExample("room", at: "/_mock/pictures/Ljerka")])
          ]),
        .problem(.unknownRoom("Mina"), "No room has this name."),
      ]),
  ]
}
