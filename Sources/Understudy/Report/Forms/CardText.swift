import Contract

extension ReportCard {
  /// No line of the text is longer.
  static let textWidth = 100

  /// The card for a terminal, or for a log without colour.
  func text(inColor: Bool = false) -> String {
    let indent = 4 + 24 + 2
    var text = heading + "\n\n"
    for line in lines {
      let mark = Self.mark(line.verdict)
      let id = line.id + String(repeating: " ", count: max(0, 24 - line.id.count))
      var sentence = line.finding.sentence
      if line.verdict > .pass, !line.finding.evidence.isEmpty { sentence += " " + Self.proof(line.finding.evidence) }
      let wrapped = Self.wrapped(Self.plain(sentence), to: Self.textWidth - indent)
      let colored = inColor ? Self.color(line.verdict) + mark + "\u{1B}[0m" : mark
      text += colored + String(repeating: " ", count: 4 - mark.count) + id + "  " + (wrapped.first ?? "") + "\n"
      for rest in wrapped.dropFirst() { text += String(repeating: " ", count: indent) + rest + "\n" }
    }
    return text + "\n" + summary + "\n"
  }

  private var heading: String {
    let parts = [
      "sandbox \(sandbox)", "scenario \(scenario)", "seed \(seed)", Words.count(exchanges, "exchange"),
    ]
    let title = "Report card: " + parts.joined(separator: ", ")
    return Self.wrapped(Self.plain(title), to: Self.textWidth).joined(separator: "\n")
  }

  private var summary: String {
    let counts = [Verdict.fail, .warn, .pass, .notExercised].compactMap { verdict in
      count(verdict) > 0 ? "\(count(verdict)) \(verdict.rawValue)" : nil
    }
    let partial = isJournalPartial ? "\nThe journal is partial: it has pushed out entries that prove some of this." : ""
    return counts.joined(separator: ", ") + "." + partial
  }

  private static func mark(_ verdict: Verdict) -> String {
    switch verdict {
    case .pass: "ok"
    case .warn: "!"
    case .fail: "X"
    case .notExercised: "-"
    }
  }

  private static func color(_ verdict: Verdict) -> String {
    switch verdict {
    case .pass: "\u{1B}[32m"
    case .warn: "\u{1B}[33m"
    case .fail: "\u{1B}[1;31m"
    case .notExercised: "\u{1B}[2m"
    }
  }

  static func proof(_ evidence: [Int]) -> String {
    let shown = evidence.prefix(8).map { "#\($0)" }.joined(separator: " ")
    return "[\(shown)\(evidence.count > 8 ? " ..." : "")]"
  }

  /// A terminal must not be driven by what a client or a scenario wrote.
  private static func plain(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          // Format characters turn the direction of text or hide in it.
          case .control, .format, .lineSeparator, .paragraphSeparator: "?"
          default: scalar
          }
        }))
  }

  /// Breaks between words; a word that is longer than a line is broken too.
  static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      var word = word
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      while word.count > width {
        lines.append(String(word.prefix(width)))
        word = word.dropFirst(width)
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
