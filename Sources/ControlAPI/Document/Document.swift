package import Contract
package import JSON

/// The OpenAPI 3.1 document of a server, generated from the same declarations as its router.
package struct Document: Sendable {
  package let json: JSONValue

  /// The content of `openapi.yaml`.
  package var yaml: String { YAML.text(json) }

  package static let version = "0.1.0"

  package init(apis: [API] = API.all + [.control]) {
    let ids = apis.flatMap(\.operations).map(\.id)
    precondition(Set(ids).count == ids.count, "two operations have one id")
    var draft = Draft()
    let paths = draft.paths(apis)
    json = [
      "openapi": "3.1.0",
      "info": [
        "title": "Understudy",
        "summary": "Five stateful backends on localhost",
        "description": .string(Self.about),
        "license": ["name": "MIT", "identifier": "MIT"],
        "version": .string(Self.version),
      ],
      "servers": [
        ["url": "/", "description": "The merged origin: all APIs, at the paths that their clients use."]
      ],
      "tags": .array(
        apis.map { ["name": .string($0.name), "description": .string("**\($0.title).** \($0.about)")] }),
      "paths": paths,
      "components": .object(draft.components),
    ]
  }

  private static let about = """
    Understudy stands in for five real services. All of them are served at `/`. Each one is also served alone, at \
    `/@name` and at `name.localhost`, with the paths that it shares with another API. A sandbox is selected in the \
    same way, or by `Understudy-Sandbox`. The report card knows a client by `Understudy-Client`, else by its address \
    and `User-Agent`.

    Every path with GET supports HEAD, which never changes anything, and every path supports OPTIONS. Another method \
    on a known path gets 405 with `Allow`, an unknown path 404, an unknown transfer coding 501, and another major \
    version of HTTP 505.

    The faults of a scenario are not part of the contract: 429 and 5XX are declared for them, but a scenario can also \
    send any other status, damage a body or leave a request without a response. The scenario `calm` injects nothing.

    """
}

extension Draft {
  /// All referenced components, each kind by name.
  fileprivate var components: JSONValue.Object {
    let kinds = [
      ("schemas", schemas), ("responses", responses), ("parameters", parameters), ("headers", headers),
      ("examples", examples),
    ]
    var components = JSONValue.Object()
    for (kind, parts) in kinds where !parts.members.isEmpty {
      components[kind] = .object(JSONValue.Object(parts.members.sorted { $0.name < $1.name }))
    }
    components["securitySchemes"] = [
      "adminToken": [
        "type": "http", "scheme": "bearer",
        "description": "The token with which the server was started. A server on loopback needs none.",
      ]
    ]
    return components
  }
}
