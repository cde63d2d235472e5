import Contract

/// The card as one page that needs no network: the verdicts first, then what happened to each request that met trouble.
///
/// Everything that a client or a scenario wrote is escaped, and a policy forbids scripts and requests besides.
struct ReportPage {
  let card: ReportCard
  private let timeline: TimelineView

  init(_ card: ReportCard) {
    self.card = card
    timeline = TimelineView(card.timeline)
  }

  var html: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>Report card: \(Markup.escaped(card.sandbox))</title>
    <style>
    \(ReportStyle.css)
    </style>
    </head>
    <body>
    <main>
    <header>
    <p class="eyebrow">Understudy report card</p>
    <h1>\(headline)</h1>
    <p class="facts">\(facts)</p>
    \(tally)
    </header>
    \(checks)
    \(timeline.html)
    <footer>Evidence and attempts are named by their id in <code>/_mock/journal</code>.\(partial)</footer>
    </main>
    </body>
    </html>

    """
  }

  private var headline: String {
    switch card.verdict {
    case .fail: card.count(.fail) == 1 ? "One check failed" : "\(card.count(.fail)) checks failed"
    case .warn: "Nothing failed, \(Words.count(card.count(.warn), "warning"))"
    case .pass: "Everything that could be judged passed"
    case .notExercised: "Nothing could be judged yet"
    }
  }

  private var facts: String {
    let apart = card.replays > 0 ? ", \(card.replays) of them repeated by a transport" : ""
    return "Sandbox <b>\(Markup.escaped(card.sandbox))</b> · scenario <b>\(Markup.escaped(card.scenario))</b>"
      + " · seed <b>\(card.seed)</b> · \(Words.count(card.exchanges, "exchange"))\(apart)"
  }

  private var tally: String {
    let items = [Verdict.fail, .warn, .pass, .notExercised].map { verdict in
      "<li class=\"\(verdict.style)\(card.count(verdict) == 0 ? " none" : "")\">\(verdict.mark)"
        + "<b>\(card.count(verdict))</b> \(verdict.rawValue)</li>"
    }
    return "<ul class=\"tally\">\(items.joined())</ul>"
  }

  /// The worst first, each kind in the order of the card.
  private var checks: String {
    let sorted = Verdict.allCases.sorted(by: >).flatMap { verdict in card.lines.filter { $0.verdict == verdict } }
    let rows = sorted.map { line in
      """
      <li class="check \(line.verdict.style)">\(line.verdict.mark)
      <div><h3>\(line.id) <span>\(line.verdict.rawValue)</span></h3>
      <p>\(Markup.escaped(line.finding.sentence))</p>\(evidence(line))</div></li>
      """
    }
    return "<section aria-label=\"Checks\"><ul class=\"checks\">\n\(rows.joined(separator: "\n"))\n</ul></section>"
  }

  /// The ids, as links where the page shows the attempt.
  private func evidence(_ line: ReportCard.Line) -> String {
    guard line.verdict > .pass, !line.finding.evidence.isEmpty else { return "" }
    let ids = line.finding.evidence.map { id in
      timeline.shown.contains(id) ? "<a href=\"#a\(id)\">#\(id)</a>" : "<span>#\(id)</span>"
    }
    return "<p class=\"evidence\">\(ids.joined(separator: " "))</p>"
  }

  private var partial: String {
    card.isJournalPartial ? " It is partial: older entries have been pushed out. The verdicts have lost nothing." : ""
  }
}

extension Verdict {
  fileprivate var style: String { self == .notExercised ? "idle" : rawValue }

  /// A mark that its shape tells apart, not only its color.
  fileprivate var mark: String {
    let shape =
      switch self {
      case .pass: "<circle cx=\"10\" cy=\"10\" r=\"9\"/><path d=\"M5.5 10.5l3 3 6-7\"/>"
      case .warn: "<path class=\"body\" d=\"M10 1.5 19 18H1z\"/><path d=\"M10 7v5.5M10 15v.6\"/>"
      case .fail: "<rect x=\"1\" y=\"1\" width=\"18\" height=\"18\" rx=\"3\"/><path d=\"M6 6l8 8M14 6l-8 8\"/>"
      case .notExercised: "<circle class=\"open\" cx=\"10\" cy=\"10\" r=\"8\"/><path class=\"dash\" d=\"M6 10h8\"/>"
      }
    return "<svg class=\"mark\" viewBox=\"0 0 20 20\" role=\"img\" aria-label=\"\(rawValue)\">\(shape)</svg>"
  }
}
