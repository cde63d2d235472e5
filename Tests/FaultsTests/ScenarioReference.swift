import JSON

@testable import Faults

/// The reference page of scenarios, generated from the same declarations as the parser and the schemas.
enum ScenarioReference {
  /// The page, in Markdown.
  static var page: String {
    ([introduction, section("The scenario", Scenario.members), section("Rules", Rule.members)]
      + [section("match: which requests", Match.members), streams, section("when: which of these", Trigger.members)]
      + [phases, effects] + Effect.Kind.allCases.map(entry) + [prefer])
      .joined(separator: "\n\n") + "\n"
  }

  private static let introduction = """
    # Scenario reference

    Every key of a scenario with its values, units and bounds, and every effect as a client sees it.

    ## Overview

    A scenario is a JSON object for `understudy --scenario FILE` or `PUT /_mock/scenario`. A key that is not listed here
    is refused, with its position and the expected keys. Only `$schema` is ignored: editors use it.

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

    A **duration** is a string with a number and a unit, `us`, `ms`, `s`, `m` or `h`: `"250ms"`, `"1.5s"`. A **ratio** is
    a string with two integers: `"1/10"`. This page is generated from the declarations in `Sources/Faults`.
    """

  private static let streams = """
    ## Streams: what is counted

    Requests are counted by stream. A stream is the requests with one method and one path of one API in one sandbox. The
    path is percent-decoded, without labels and query, and repeated slashes count as one. The nth request of a stream has
    the same plan in every run with the same seed, whatever else happens and in whatever order. The random decisions of a
    rule depend on the seed, the rule's name (or its content, if it has none), the stream and n. So adding or removing a
    rule does not change the decisions of other rules.

    Not counted are bytes that are not a request, CORS preflights, and requests that a transport repeats by itself. A
    preflight meets only rules that name `OPTIONS`. With the header field `Fault-Key: TEXT`, the text replaces n: such a
    request is not part of any window of `first`, `nth` or `requests`, and does not advance n.
    """

  private static let phases = """
    ## phase: before or after the change

    In phase `before` the fault happens before the state changes: the request had no effect. In phase `after` the request
    was applied, and its response is damaged, late or lost. `after` is refused for rules that match no operation that can
    change state, and for the effects that say so below.
    """

  private static let effects = """
    ## Effects

    A rule has one effect. If several rules apply to a request, their delays add up, and the slowest pace is used. Of the
    rules that decide the outcome of the exchange only the first has an effect. If a fault cannot be applied to the
    response, the journal calls it *not deliverable*, with the reason, and the whole response is sent.

    A stream of events, such as `GET /rooms/stream`, has no end, but a pace and most faults need a whole response. With
    them the response is the first event, and the stream ends: the client has to connect again. Under `edge` and `3g`,
    which have a pace, this is so for each stream. Latencies delay the beginning of a stream, and faults with `events`
    happen within it.
    """

  private static func entry(_ kind: Effect.Kind) -> String {
    var points = ["- **A client sees**: \(kind.page.wire)", "- **Limits**: \(kind.page.limit)"]
    if let reason = kind.onlyBeforeReason { points.append("- **Phase**: `before` only, because \(reason).") }
    switch kind.dependence {
    case .time?: points.append("- **Repeatable**: by the sandbox's clock, not by n.")
    case .arrival?: points.append("- **Repeatable**: for the same requests at the same times of the sandbox's clock.")
    case nil: break
    }
    if kind.alias != nil { points.append("- **By request**: `Prefer: \(kind.name)=…`") }
    if kind.isFault { points.append("- **By request**: `Prefer: fault=\(kind.name)`") }
    let members =
      kind.isFault ? kind.parameters : [Member(kind.name, kind.value, "", isRequired: true)] + kind.parameters
    let table = members.isEmpty ? "" : "\n\n" + table(members)
    return "### \(kind.name)\n\n\(kind.page.about)\n\n```json\n\(kind.page.example)\n```\(table)\n\n"
      + points.joined(separator: "\n")
  }

  private static var prefer: String {
    let faults = Effect.Kind.faults.filter { !$0.parameters.isEmpty }.map { kind in
      "`\(kind.name)` takes " + kind.parameters.map { "`\($0.name)`" }.joined(separator: ", ")
    }
    return """
      ## Prefer: one request

      A request selects its own effect with the field `Prefer` (RFC 7240). It replaces the scenario's plan for this request;
      n advances as usual. Several preferences are separated by commas, parameters follow a semicolon, and a value with
      characters that are not allowed in a token is quoted: `Prefer: fault=stall; at="1/3"; for=2s, latency=200ms`.

      | Preference | Parameters | Meaning |
      |---|---|---|
      | `status=503` | `retryAfter` (a duration), `phase` | the effect `status` |
      | `latency=200ms` | `phase` | the effect `latency`, fixed |
      | `fault=NAME` | those of the fault, `phase` | a fault; \(faults.joined(separator: "; ")) |

      `code`, `delay` and `retry-after`, the words of other tools, mean `status`, `latency` and `retryAfter`, here and in
      rules. `phase` is `before` or `after`; `after` is refused for requests that change nothing. `Preference-Applied` names the
      preferences that were applied. Preferences of other specifications are ignored. If one of these preferences cannot be
      applied, or its fault cannot be applied to the response, `Understudy-Fault` names it, with the reason. A field longer than \(PreferenceField.maximumLength) bytes is ignored.
      """
  }
}

extension ScenarioReference {
  private static func section(_ title: String, _ members: [Member]) -> String { "## \(title)\n\n\(table(members))" }

  static func table(_ members: [Member]) -> String {
    let lines = members.flatMap { rows($0, within: "") }
    return (["| Key | Value | Meaning |", "|---|---|---|"] + lines).joined(separator: "\n")
  }

  /// Returns the row of a member, followed by those of its own members.
  private static func rows(_ member: Member, within prefix: String) -> [String] {
    let name = prefix + member.name
    let need = member.isRequired ? "" : member.fallback.map { " The default is `\($0)`." } ?? ""
    let meaning = (member.about + need + (member.isRequired && prefix.isEmpty ? " Required." : ""))
    let row = "| `\(name)` | \(cell(value(of: member.shape))) | \(cell(meaning).trimmed) |"
    return [row] + inner(of: member.shape).flatMap { rows($0, within: name + ".") }
  }

  /// Returns the members of an object that are listed in the same table; matches and triggers have tables of their own.
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

  /// Returns the values that a grammar allows, in words.
  private static func value(of shape: Shape) -> String {
    switch shape {
    case .any: "any JSON value"
    case .flag: "`true` or `false`"
    case .constant(let value): "`\(value.text)`"
    case .integer(let range): "integer from \(range.lowerBound) to \(range.upperBound)"
    case .duration(let range):
      "duration from \(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
    case .text(let count, _): "text of \(count.lowerBound) to \(count.upperBound) characters, no control characters"
    case .form(_, let expectation): withoutArticle(expectation)
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    case .array(let element, let count):
      count.lowerBound == count.upperBound
        ? "array of \(count.lowerBound): \(value(of: element))"
        : "array of \(count.lowerBound) to \(count.upperBound): \(value(of: element))"
    case .map(let element, _, let count):
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
