import JSON

/// The reference page of scenarios, printed from the declarations that the reader and the schemas use.
package enum ScenarioReference {
  /// The page, in Markdown.
  package static var page: String {
    ([introduction, section("The scenario", Scenario.members), section("Rules", Rule.members)]
      + [section("match: which requests", Match.members), streams, section("when: which of these", Trigger.members)]
      + [phases, effects] + Effect.Kind.allCases.map(entry) + [prefer])
      .joined(separator: "\n\n") + "\n"
  }

  private static let introduction = """
    # Scenario reference

    Every key of a scenario with its values, units and bounds, and every effect with what a client sees of it.

    ## Overview

    A scenario is a JSON object; `understudy --scenario FILE` and `PUT /_mock/scenario` take it. A key that is not listed
    here is refused, with its place and what was expected. `$schema` may stand beside the first three, for editors.

    ```json
    {
      "name": "cellar",
      "rules": [
        {
          "name": "dead spot",
          "match": {"api": "devices", "method": "PATCH", "path": "/devices/*"},
          "when": {"chance": "1/10"},
          "phase": "after",
          "effect": {"fault": "reset"}
        }
      ]
    }
    ```

    A **duration** is a text of a number and its unit, `us`, `ms`, `s`, `m` or `h`: `"250ms"`, `"1.5s"`. A **ratio** is a
    text of two integers: `"1/10"`. This page is printed from the declarations in `Sources/Faults`.
    """

  private static let streams = """
    ## Streams: what is counted

    Requests are counted by stream: those of one method on one path of one API in one sandbox. The path is without labels
    and query, percent-decoded, and its slashes are collapsed. The n-th request of a stream has the same plan in every run
    with the same seed, whatever else happens and in whatever order. A rule's draws follow from the seed, its name (or its
    content, if it has none), the stream and n, so that a rule that is added or taken away changes no other's.

    These do not count: bytes that are no request, CORS preflights, and what a transport replays by itself. A preflight
    meets only rules that name `OPTIONS`. With the header field `Fault-Key: TEXT` the text takes the place of n: such a
    request is in no window of `first`, `nth` or `requests`, and does not advance n.
    """

  private static let phases = """
    ## phase: before or after the change

    In phase `before` the fault happens before the state is touched: the request did nothing. Phase `after` is for a
    request that was applied and whose response the client does not get as it should. It is refused for rules that match no
    operation that can change state, and with the effects that say so below.
    """

  private static let effects = """
    ## Effects

    A rule has one effect. Of several rules that apply to a request all delays add up, the slowest pace counts, and the
    first that decides how the exchange comes out wins; the others of these do nothing. What finds nothing to harm is
    journalled as *not deliverable*, and the response goes out whole.
    """

  private static func entry(_ kind: Effect.Kind) -> String {
    var facts = ["- **A client sees**: \(kind.page.wire)", "- **Limits**: \(kind.page.limit)"]
    if let reason = kind.whyOnlyBefore { facts.append("- **Phase**: `before` only, since \(reason).") }
    switch kind.dependence {
    case .time?: facts.append("- **Repeatable**: by the sandbox's clock, not by n.")
    case .arrival?: facts.append("- **Repeatable**: for the same requests at the same times of the sandbox's clock.")
    case nil: break
    }
    if let preference = kind.preference { facts.append("- **By request**: `Prefer: \(preference)=…`") }
    if kind.isFault { facts.append("- **By request**: `Prefer: fault=\(kind.name)`") }
    let members =
      kind.isFault ? kind.parameters : [Member(kind.name, kind.value, "", isRequired: true)] + kind.parameters
    let table = members.isEmpty ? "" : "\n\n" + table(members)
    return "### \(kind.name)\n\n\(kind.page.about)\n\n```json\n\(kind.page.example)\n```\(table)\n\n"
      + facts.joined(separator: "\n")
  }

  private static var prefer: String {
    let faults = Effect.Kind.faults.filter { !$0.parameters.isEmpty }.map { kind in
      "`\(kind.name)` takes " + kind.parameters.map { "`\($0.name)`" }.joined(separator: ", ")
    }
    return """
      ## Prefer: one request

      A request asks for an effect of its own by the field `Prefer` (RFC 7240), which takes the place of the scenario's plan
      for it; n advances all the same. Several preferences are separated by commas, parameters follow a semicolon, and a
      value with other characters than a token's is quoted: `Prefer: fault=stall; at="1/3"; for=2s, delay=200ms`.

      | Preference | Parameters | Meaning |
      |---|---|---|
      | `code=503` | `retry-after` (a duration), `phase` | the effect `status` |
      | `delay=200ms` | `phase` | the effect `latency`, fixed |
      | `fault=NAME` | those of the fault, `phase` | a fault; \(faults.joined(separator: "; ")) |

      `phase` is `before` or `after`, and `after` is refused for requests that change nothing. `Preference-Applied` names the
      preferences that were honoured. A preference of another specification is ignored; one of these that cannot be honoured
      is named in `Understudy-Fault`, with the reason. Of a field longer than \(Preferred.maximumLength) bytes nothing is
      read.
      """
  }
}

extension ScenarioReference {
  private static func section(_ title: String, _ members: [Member]) -> String { "## \(title)\n\n\(table(members))" }

  private static func table(_ members: [Member]) -> String {
    let lines = members.flatMap { rows($0, within: "") }
    return (["| Key | Value | Meaning |", "|---|---|---|"] + lines).joined(separator: "\n")
  }

  /// The rows of a member and, behind it, of the members that it has itself.
  private static func rows(_ member: Member, within prefix: String) -> [String] {
    let name = prefix + member.name
    let need = member.isRequired ? "" : member.fallback.map { " The default is `\($0)`." } ?? ""
    let meaning = (member.about + need + (member.isRequired && prefix.isEmpty ? " Required." : ""))
    let row = "| `\(name)` | \(cell(value(of: member.shape))) | \(cell(meaning).trimmed) |"
    return [row] + inner(of: member.shape).flatMap { rows($0, within: name + ".") }
  }

  /// The members of an object that are told of beside it; those of rules, matches and windows have tables of their own.
  private static func inner(of shape: Shape) -> [Member] {
    switch shape {
    case .object(let members) where !isOwnSection(members): members
    case .oneOf(let shapes): shapes.flatMap(inner)
    default: []
    }
  }

  private static func isOwnSection(_ members: [Member]) -> Bool {
    let names = members.map(\.name)
    return names == Match.members.map(\.name) || names == Trigger.members.map(\.name)
  }

  private static func cell(_ text: String) -> String { text.split(separator: "|").joined(separator: "\\|") }

  /// The values that a grammar allows, in words.
  private static func value(of shape: Shape) -> String {
    switch shape {
    case .any: "any JSON value"
    case .flag: "`true` or `false`"
    case .constant(let value): "`\(value.text)`"
    case .integer(let range): "integer from \(range.lowerBound) to \(range.upperBound)"
    case .duration(let range):
      "duration from \(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
    case .text(let count): "text of \(count.lowerBound) to \(count.upperBound) characters, no control characters"
    case .form(_, let expectation): withoutArticle(expectation)
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    case .array(let element, let count):
      count.lowerBound == count.upperBound
        ? "array of \(count.lowerBound): \(value(of: element))"
        : "array of \(count.lowerBound) to \(count.upperBound): \(value(of: element))"
    case .map(let element, let count):
      "object of \(count.lowerBound) to \(count.upperBound) members: \(value(of: element))"
    case .object(let members) where isOwnSection(members): "object, see below"
    case .object(let members): "object of " + members.map { "`\($0.name)`" }.joined(separator: ", ")
    case .oneOf(let shapes): shapes.map(value).joined(separator: "; or ")
    case .rule: "rule"
    case .effect: "object, see Effects"
    }
  }

  private static func withoutArticle(_ text: String) -> String {
    for article in ["a ", "an "] where text.hasPrefix(article) { return String(text.dropFirst(article.count)) }
    return text
  }
}

extension String {
  fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
