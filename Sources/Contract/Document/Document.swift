package import JSON

/// The OpenAPI 3.1 document of a server, generated from the same declarations as its router.
package struct Document: Sendable {
  package let json: JSON

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
        "summary": "Five backends on localhost that keep state",
        "description": .string(Self.about),
        "license": ["name": "MIT", "identifier": "MIT"],
        "version": .string(Self.version),
      ],
      "servers": [
        ["url": "/", "description": "The merged origin, which has all APIs at the paths that their clients use."]
      ],
      "tags": .array(
        apis.map { ["name": .string($0.name), "description": .string("**\($0.title).** \($0.about)")] }),
      "paths": paths,
      "components": .object(draft.components),
    ]
  }

  private static let about = """
    Understudy stands in for five real services. All of them are at `/`; one alone, also what shares its path with \
    another, is at `/@name` and at `name.localhost`. A sandbox is chosen likewise, or by `Understudy-Sandbox`.

    HEAD is answered wherever GET is and never changes anything; OPTIONS is answered everywhere. Another method on a \
    path that exists is answered 405 with `Allow`, a path that does not exist 404, an unknown transfer coding 501, \
    another major version of HTTP 505.

    What a scenario injects is none of the contract's: 429 and 5XX are declared for it, while it can also answer any \
    other status, damage a body or leave a request without an answer. The scenario `calm` injects nothing.

    """
}

extension Draft {
  /// All referenced components, each kind by name.
  fileprivate var components: JSON.Object {
    let kinds = [
      ("schemas", schemas), ("responses", responses), ("parameters", parameters), ("headers", headers),
      ("examples", examples),
    ]
    var components = JSON.Object()
    for (kind, parts) in kinds where !parts.members.isEmpty {
      components[kind] = .object(JSON.Object(parts.members.sorted { $0.name < $1.name }))
    }
    components["securitySchemes"] = [
      "adminToken": [
        "type": "http", "scheme": "bearer",
        "description": "The token that the server was started with. On loopback there is none, and none is needed.",
      ]
    ]
    return components
  }
}
