import JSON
import Primitives

@testable import Contract
@testable import ControlAPI

/// The page about the control API, printed from its declarations.
enum ControlReference {
  static let page = ([head, table] + API.control.operations.map(section)).joined(separator: "\n") + "\n"

  private static let head = """
    # Control API

    Every path of the control API with its method, its body and one curl line, for tests in any language.

    ## Overview

    Every origin of the server has these paths. Those that concern a sandbox concern the one that the request names, in the host
    (`http://ci-42.localhost:8080`), in the path (`/@ci-42/_mock/state`) or in the field `Understudy-Sandbox`; without a name it is
    `default`. No scenario affects them. On another host than loopback they need `Authorization: Bearer TOKEN`, with the token of
    `--admin-token`, except where it says otherwise. Bodies are JSON; an unknown member is refused, with its position.
    Clients should ignore members of responses that they do not know.

    This page is generated from the declarations in `Sources/ControlAPI`, as `/openapi.yaml` is.

    """

  private static let table = """
    | Method and path | |
    |---|---|
    \(API.control.operations.map { "| `\($0.method.rawValue) \($0.path.text)` | \($0.summary) |" }.joined(separator: "\n"))

    """

  private static func section(_ operation: Contract.Operation) -> String {
    var lines = ["## \(operation.method.rawValue) \(operation.path.text)", "", operation.summary + "."]
    if operation.access != .controllers { lines[2] += " It needs no token." }
    if !operation.about.isEmpty { lines += ["", operation.about.trimmingNewlines] }
    if !operation.parameters.isEmpty {
      lines += ["", "| Parameter | |", "|---|---|"]
      lines += operation.parameters.map { parameter in
        "| `\(parameter.name)`\(parameter.isRequired ? "" : ", optional") | \(parameter.about.escapingBars) |"
      }
    }
    let examples: [JSONExample?] = operation.body?.examples ?? [nil]
    for (index, example) in examples.enumerated() {
      let summary = example?.summary ?? ""
      if !summary.isEmpty { lines += ["", summary + ":"] }
      if !summary.isEmpty || index == 0 { lines.append("") }
      lines += ["```sh", curl(operation, example?.value), "```"]
    }
    lines += ["", "| Status | |", "|---|---|"]
    lines += operation.responses.map { "| \($0.status) | \($0.about.escapingBars) |" }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func curl(_ operation: Contract.Operation, _ body: JSONValue?) -> String {
    let pairs = operation.parameters.filter { $0.location == .query && $0.isRequired }.map { parameter in
      parameter.name + "=" + (parameter.example?.value.string ?? parameter.example?.value.text ?? "")
    }
    let url = "http://localhost:8080" + operation.example + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    var words = ["curl"]
    if operation.isStream { words.append("-N") }
    if operation.responses.first?.content.map(\.mediaType) == ["text/html"] { words += ["-H", "'Accept: text/html'"] }
    if let body {
      if operation.method != .post { words += ["-X", operation.method.rawValue] }
      words += ["-H", "'Content-Type: \(operation.body?.mediaType ?? "")'", "-d", "'\(body.text)'"]
    } else if operation.method != .get {
      words += ["-X", operation.method.rawValue]
    }
    return (words + [pairs.isEmpty ? url : "'\(url)'"]).joined(separator: " ")
  }
}

extension String {
  fileprivate var trimmingNewlines: String { String(drop { $0 == "\n" }.reversed().drop { $0 == "\n" }.reversed()) }
  fileprivate var escapingBars: String {
    split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
