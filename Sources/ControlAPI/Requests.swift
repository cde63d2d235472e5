package import Contract
import JSON
import Primitives

extension Control {
  static let requests = [
    operation(
      "sendRequest", .post, "/_mock/requests",
      "Send a request to the server itself, as a client would",
      about: """
        With `method` and `target` of a journal's entry, and `headers` and `body` of its `request`, a client's request is sent again, also to a sandbox or a port of its own, or \
        to the backend behind `--upstream`: by a page, for example, which browsers do not let set `Cookie` or `User-Agent`. \
        The request goes to the port that its `Host` names, if the server listens there for traffic, and else to the sandbox's own \
        port, or to the port without labels. \
        It names its sandbox itself, and has a connection of its own, so fields about the connection and the length are \
        replaced. The response says only that it was sent; its entry in the journal has the result.
        """,
      body: Body(
        .request,
        examples: [
          JSONExample(
            "cut", "A client's read, whose response is cut",
            [
              "method": "GET", "target": "/devices",
              "headers": ["User-Agent": "android/3.3", "Prefer": "fault=truncate"],
            ])
        ],
        refused: ["method": "GET"]),
      success: .noContent("The request is sent."),
      otherwise: [
        .problem(
          .requestNotSent(to: 8081, "Connection refused"),
          "The port refuses connections, because its sandbox is offline, or the server has no descriptor left.")
      ])
  ]
}

extension Schema {
  package static let request = Schema.object([
    Property("method", .string(minimumLength: 1)),
    Property("target", .string(minimumLength: 1).described("The path with the query, and with its labels.")),
    .optional(
      "headers",
      .map(of: .string()).described("Values by name. `Host` is the server's own unless given.")),
    .optional("body", .string()),
  ]).named("Request")
}
