import JSON
import Primitives

@testable import Contract
@testable import ControlAPI

/// The page about the control API, printed from its declarations.
enum ControlReference {
  static let page = ([head, table] + API.control.operations.map(section)).joined(separator: "\n") + "\n"

  private static let head = """
    # Control API

    Every path of the control API with its method, its body, one curl line and the response, for tests in any language.

    ## Overview

    Every origin of the server has these paths. A request names its sandbox in the host (`http://ci-42.localhost:8080`), in the path
    (`/@ci-42/_mock/state`) or in the field `Understudy-Sandbox`; without a name the sandbox is `default`. No scenario affects these
    requests. If the server listens outside loopback, they need `Authorization: Bearer TOKEN` with the token of `--admin-token`,
    unless an operation says that it needs none. Bodies are JSON; an unknown member is refused, with its position.
    Clients should ignore members of responses that they do not know. The curl lines can be run in the order of the page.

    This page is generated from the declarations in `Sources/ControlAPI`, as `/openapi.yaml` is.

    """

  private static let table = """
    | Method and path | |
    |---|---|
    \(API.control.operations.map { "| `\($0.method.rawValue) \($0.path.text)` | \($0.documentation.summary) |" }.joined(separator: "\n"))

    """

  private static func section(_ operation: Contract.Operation) -> String {
    var lines = ["## \(operation.method.rawValue) \(operation.path.text)", "", operation.documentation.summary + "."]
    if operation.semantics.access != .controllers { lines[2] += " It needs no token." }
    if !operation.documentation.about.isEmpty { lines += ["", operation.documentation.about.trimmingNewlines] }
    lines += rows("Parameter", parameters(of: operation))
    lines += rows("Member of the body", members(of: operation.documentation.body))
    let examples: [JSONExample?] = operation.documentation.body?.examples ?? [nil]
    let response = response(of: operation)
    let answered = examples.firstIndex { $0 != nil && $0?.name == response?.name } ?? examples.count - 1
    for (index, example) in examples.enumerated() {
      let summary = example?.summary ?? ""
      if !summary.isEmpty { lines += ["", summary + ":"] }
      if !summary.isEmpty || index == 0 { lines.append("") }
      lines += ["```sh", curl(operation, example?.value), "```"]
      if index == answered, let response { lines += ["", "```json", response.value.text, "```"] }
    }
    lines += rows("Status", operation.documentation.responses.map { ("\($0.status)", $0.about) })
    return lines.joined(separator: "\n") + "\n"
  }

  private static func rows(_ heading: String, _ rows: [(name: String, about: String)]) -> [String] {
    if rows.isEmpty { return [] }
    return ["", "| \(heading) | |", "|---|---|"] + rows.map { "| \($0.name) | \($0.about.escapingBars) |" }
  }

  /// Returns the parameters by their names: a field and a query parameter of one name are one row.
  private static func parameters(of operation: Contract.Operation) -> [(name: String, about: String)] {
    var names: [String] = []
    for parameter in operation.documentation.parameters where !names.contains(parameter.name) {
      names.append(parameter.name)
    }
    return names.compactMap { name in
      let same = operation.documentation.parameters.filter { $0.name == name }
      guard let first = same.first else { return nil }
      let places = same.count > 1 ? ", in the header or the query" : first.location == .header ? ", in the header" : ""
      return row(name + "`" + places, first.isRequired, first.schema, first.about)
    }
  }

  /// Returns the members of a body that is an object.
  private static func members(of body: RequestBody?) -> [(name: String, about: String)] {
    guard case .object(let object) = body?.schema.shape else { return [] }
    return object.properties.map { row($0.name + "`", $0.isRequired, $0.schema, $0.schema.about) }
  }

  private static func row(
    _ name: String, _ isRequired: Bool, _ schema: Schema, _ about: String
  ) -> (name: String, about: String) {
    let says = schema.expectation != "a string" && schema.expectation != "an object" || about.isEmpty
    let value: String = schema.expectation.prefix(1).uppercased() + schema.expectation.dropFirst() + "."
    let sentences = [about, says ? value : ""]
    return ("`" + name + (isRequired ? "" : ", optional"), sentences.filter { !$0.isEmpty }.joined(separator: " "))
  }

  /// Returns the body of a successful response; nil if it is no JSON of a line's length. It belongs to the request of the same
  /// name, or else to the last one.
  private static func response(of operation: Contract.Operation) -> JSONExample? {
    let content = operation.documentation.responses.first { $0.status < 300 }?.content.first {
      $0.mediaType == "application/json"
    }
    guard let example = content?.examples.first, example.value != .null else { return nil }
    return example.value.text.utf8.count <= 600 ? example : nil
  }

  private static func curl(_ operation: Contract.Operation, _ body: JSONValue?) -> String {
    let pairs = operation.documentation.parameters.filter { $0.location == .query && $0.isRequired }.map { parameter in
      parameter.name + "=" + (parameter.example?.value.string ?? parameter.example?.value.text ?? "")
    }
    let url = "http://localhost:8080" + operation.example + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    var words = ["curl"]
    if operation.semantics.isStream { words.append("-N") }
    let mediaTypes = operation.documentation.responses.first?.content.map(\.mediaType)
    // A terminal shows no picture.
    if mediaTypes == ["image/png"] { words += ["-o", (operation.example.split(separator: "/").last ?? "") + ".png"] }
    if mediaTypes == ["text/html"] { words += ["-H", "'Accept: text/html'"] }
    if let body {
      if operation.method != .post { words += ["-X", operation.method.rawValue] }
      words += ["-H", "'Content-Type: \(operation.documentation.body?.mediaType ?? "")'", "-d", "'\(body.text)'"]
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
