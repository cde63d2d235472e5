import Contract

extension ReportCard {
  /// Returns the card as text.
  package func text(_ style: TextStyle = TextStyle()) -> String {
    let summary = summary.map { style.wrapped($0) + "\n" }.joined()
    return style.wrapped(heading) + "\n\n" + checks.text(style) + "\n" + summary
  }

  private var heading: String {
    let parts = [
      "sandbox \(sandbox)", "scenario \(scenario)", "seed \(seed)", ReportText.count(exchanges, "exchange"),
    ]
    return Self.plain("Report card: " + parts.joined(separator: ", "))
  }

  private var summary: [String] {
    let idle =
      "\(ReportText.count(idleWrites, "write")) named no record to take from, so nothing changed: "
      + "for example a booking without a name."
    let sentences = [
      checks.tally, idleWrites > 0 ? idle : nil, Self.sentence(on: unanswered, of: asked),
      isJournalPartial ? Self.partialSentence : nil,
    ]
    return sentences.compactMap(\.self)
  }

  /// Returns the sentence on the requests that a backend did not answer; nil if there were none.
  static func sentence(on unanswered: Int, of asked: Int) -> String? {
    guard unanswered > 0 else { return nil }
    let count = unanswered == asked ? "any" : "\(unanswered)"
    return "The backend did not answer \(count) of \(ReportText.count(asked, "request"))."
  }

  static let partialSentence = "The journal is partial: it has evicted some entries that prove these verdicts."

  static func proof(_ evidence: [Int]) -> String {
    let shown = evidence.prefix(8).map { "#\($0)" }.joined(separator: " ")
    return "[\(shown)\(evidence.count > 8 ? " ..." : "")]"
  }

  /// Returns text that cannot control a terminal: clients and scenarios may contain anything.
  static func plain(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          // Format characters change the direction of text or are invisible.
          case .control, .format, .lineSeparator, .paragraphSeparator: "?"
          default: scalar
          }
        }))
  }
}

extension [ReportCard.Check] {
  /// Returns the checks as text: verdict, id and sentence.
  func text(_ style: TextStyle) -> String {
    let indent = 4 + 24 + 2
    var text = ""
    for line in self where line.verdict > .notExercised {
      let mark = line.verdict.mark
      let id = line.id + String(repeating: " ", count: Swift.max(0, 24 - line.id.count))
      var sentence = line.finding.sentence
      if line.verdict > .pass, !line.finding.evidence.isEmpty {
        sentence += " " + ReportCard.proof(line.finding.evidence)
      }
      text += style.colored(mark, line.verdict.color) + String(repeating: " ", count: 4 - mark.count)
      text += ReportCard.plain(id) + "  " + style.wrapped(ReportCard.plain(sentence), at: indent) + "\n"
    }
    let idle = filter { $0.verdict == .notExercised }.map(\.id).joined(separator: ", ")
    guard !idle.isEmpty else { return text }
    let mark = style.colored(Verdict.notExercised.mark, Verdict.notExercised.color)
    return text + mark + "   " + style.wrapped(ReportCard.plain("not exercised: " + idle), at: 4) + "\n"
  }

  /// The number of checks with each verdict, the worst first. A warning about the run is counted apart, because it does
  /// not enter the verdict on the client.
  var tally: String {
    let apart = filter { !$0.isOfClient && $0.verdict > .pass }
    let counts = [Verdict.fail, .warn, .pass, .notExercised].compactMap { verdict in
      let number = count { $0.verdict == verdict } - apart.count { $0.verdict == verdict }
      return number > 0 ? "\(number) \(verdict.rawValue)" : nil
    }
    return counts.joined(separator: ", ") + "." + apart.map { " Of the run: \($0.id) \($0.verdict.rawValue)." }.joined()
  }
}

extension Verdict {
  /// Its form at the beginning of a line.
  package var mark: String {
    switch self {
    case .pass: "ok"
    case .warn: "!"
    case .fail: "X"
    case .notExercised: "-"
    }
  }

  /// The escape sequence of its color in a terminal.
  package var color: String {
    switch self {
    case .pass: "\u{1B}[32m"
    case .warn: "\u{1B}[33m"
    case .fail: "\u{1B}[1;31m"
    case .notExercised: "\u{1B}[2m"
    }
  }
}
