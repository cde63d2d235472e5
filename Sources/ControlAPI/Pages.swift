import Contract
import JSON
import Primitives

/// The operations for observers: metrics, the dashboard and its pictures.
extension Control {
  static let pages = [
    operation(
      "getMetrics", .get, "/_mock/metrics",
      "Counters for Prometheus",
      about: """
        Counters of the whole server, and the delays of the requested sandbox. The number of lines does not grow with \
        the number of sandboxes.
        """,
      success: .ok(
        "The counters in Prometheus' text format 0.0.4.",
        Content(
          "text/plain", .string(),
          examples: [
            JSONExample("one", "understudy_requests_total{api=\"devices\",status=\"200\"} 12\n"),
            JSONExample("all", at: "/_mock/metrics"),
          ])),
      otherwise: [badQuery("name", "unknown; expected no parameter")]),
    operation(
      "getFrontPage", .get, "/", for: .visitors, cacheControl: "no-store",
      "A page with links to the APIs, the dashboard and this document",
      about: """
        HTML for requests whose `Accept` prefers `text/html`, as browsers do; the list of operations as text for those \
        that prefer `text/plain` or take anything, as curl does. It contains no data and needs no token. No scenario \
        affects it, and no journal records it. Its links contain the labels of the request.
        """,
      success: .ok(
        "The page.",
        Content("text/html", .string(minimumLength: 1), example: "page", at: "/"),
        Content("text/plain", .string(minimumLength: 1), example: "list", at: "/"),
        fields: [
          DeclaredField(
            "Vary", "`Accept`, and the sandbox in the links.", schema: .constant("Accept, Understudy-Sandbox")),
          .cacheControl("no-store"), .ownPagePolicy,
        ]),
      otherwise: [
        .problem(.unknownPath("/"), "`Accept` prefers another media type, and this path has no other representation.")
      ]),
    operation(
      "getDashboard", .get, "/_mock/", for: .visitors, cacheControl: "no-store",
      "The dashboard",
      about: """
        The page contains no data and needs no token, because a browser could not send one. It asks for the token and \
        sends it with its own requests. It loads nothing from other origins.
        """,
      success: .ok(
        "The page.", Content("text/html", .string(minimumLength: 1), example: "page", at: "/_mock/"),
        fields: [.cacheControl("no-store"), .ownPagePolicy])),
    operation(
      "getPicture", .get, "/_mock/pictures/{room}",
      "The picture of a room, for observers",
      about: "The same picture as `/image/{room}`, but no scenario affects it and no journal records it.",
      parameters: [
        Parameter(
          "room", in: .path, "The name of the room.", schema: .string(minimumLength: 1),
          example: JSONExample("room", "Ljerka"))
      ],
      success: .ok(
        "The picture.",
        Content("image/png", .string(format: .binary), example: "room", at: "/_mock/pictures/Ljerka")),
      otherwise: [.problem(.unknownRoom("Mina"), "No room has this name.")]),
  ]
}
