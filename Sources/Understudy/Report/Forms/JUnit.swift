/// Cards as JUnit XML, in the form that CI servers read: a suite for each card, a case for each check.
///
/// A warning passes, and says so in `system-out`; what was not exercised is skipped.
struct JUnit {
  /// A card under the name of its suite.
  struct Suite {
    let name: String
    let card: ReportCard

    init(_ card: ReportCard, name: String? = nil) {
      self.name = name ?? "understudy.\(card.sandbox)"
      self.card = card
    }
  }

  let suites: [Suite]

  init(_ cards: [ReportCard]) { suites = cards.map { Suite($0) } }
  init(suites: [Suite]) { self.suites = suites }

  var xml: String {
    let cards = suites.map(\.card)
    let tests = cards.reduce(0) { $0 + $1.lines.count }
    let failures = cards.reduce(0) { $0 + $1.count(.fail) }
    let skipped = cards.reduce(0) { $0 + $1.count(.notExercised) }
    var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    xml += "<testsuites name=\"understudy\" tests=\"\(tests)\" failures=\"\(failures)\" errors=\"0\""
    xml += " skipped=\"\(skipped)\" time=\"0\">\n"
    for suite in suites { xml += Self.element(suite) }
    return xml + "</testsuites>\n"
  }

  private static func element(_ suite: Suite) -> String {
    let card = suite.card
    var xml = "  <testsuite name=\"\(Markup.escaped(suite.name))\" tests=\"\(card.lines.count)\""
    xml += " failures=\"\(card.count(.fail))\" errors=\"0\" skipped=\"\(card.count(.notExercised))\" time=\"0\">\n"
    xml += "    <properties>\n"
    xml += "      <property name=\"scenario\" value=\"\(Markup.escaped(card.scenario))\"/>\n"
    xml += "      <property name=\"seed\" value=\"\(card.seed)\"/>\n"
    xml += "    </properties>\n"
    for line in card.lines { xml += element(line, suite.name) }
    return xml + "  </testsuite>\n"
  }

  private static func element(_ line: ReportCard.Line, _ suite: String) -> String {
    let open = "    <testcase classname=\"\(Markup.escaped(suite))\" name=\"\(line.id)\" time=\"0\">"
    let sentence = Markup.escaped(line.finding.sentence)
    let proof = line.finding.evidence.isEmpty ? "" : " " + ReportCard.proof(line.finding.evidence)
    let content =
      switch line.verdict {
      case .pass: ""
      case .warn: "<system-out>warning: \(sentence)\(proof)</system-out>"
      case .fail: "<failure message=\"\(sentence)\" type=\"\(line.id)\">\(sentence)\(proof)</failure>"
      case .notExercised: "<skipped message=\"\(sentence)\"/>"
      }
    return open + content + "</testcase>\n"
  }
}

/// What makes any text harmless within HTML and XML.
enum Markup {
  /// The text with what means something to a parser escaped, and what XML cannot hold replaced.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\t", "\n", "\r": escaped += " "
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      // Marks that turn the direction of text could make a target look like another.
      case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
