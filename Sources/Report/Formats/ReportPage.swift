import Contract
import Dashboard
import Primitives

/// The card as one self-contained page: the verdicts first, then the attempts of each request with a failure.
///
/// All texts of clients and scenarios are escaped, and a policy also forbids scripts and requests.
///
/// Several cards, such as those of a sweep, can be folded; the first failed one is open.
package struct ReportPage {
  /// A card, and the failure of its command.
  struct Section {
    let card: ReportCard
    var failure: String?
    /// The file from which the card was read.
    var source: String?
    /// False for a card from a file, which contains no attempts.
    var hasAttempts = true

    fileprivate var isFailing: Bool { card.verdict == .fail || failure != nil }
  }

  let sections: [Section]
  /// The checks of all cards together, if the cards are those of several instances.
  private let overview: [ReportCard.Line]
  private let nonce = Nonce.text()

  /// The value of the page's `Content-Security-Policy`: it has no script, and its style is allowed by a nonce. The
  /// positions of the timeline's bars are in attributes.
  package var policy: String { contentPolicy + "; frame-ancestors 'none'; sandbox" }

  /// The part of the policy that also holds for a file.
  private var contentPolicy: String {
    "default-src 'none'; style-src 'nonce-\(nonce)'; style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none'"
  }

  init(sections: [Section], overview: [ReportCard.Line] = []) {
    self.sections = sections
    self.overview = overview
  }

  package init(_ card: ReportCard) { self.init(sections: [Section(card: card)]) }

  package var html: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="\(contentPolicy)">
    <title>\(title)</title>
    <style nonce="\(nonce)">
    \(DashboardFiles.reportStyle)
    </style>
    </head>
    <body>
    <main>
    <p class="eyebrow">Understudy report card\(sections.count == 1 ? "" : "s")</p>
    \(content)
    <footer>Evidence and attempts are named by their ids in <code>/_mock/journal</code>.</footer>
    </main>
    </body>
    </html>

    """
  }

  private var title: String {
    guard let first = sections.first, sections.count == 1 else { return "Report cards" }
    return "Report card: \(Markup.escaped(first.card.sandbox))"
  }

  private var content: String {
    let cards = sections.enumerated().map { index, section in
      CardView(section, prefix: sections.count == 1 ? "" : "\(index + 1)-")
    }
    if let only = cards.first, cards.count == 1 { return only.html }
    let failing = sections.count { $0.isFailing }
    let first = sections.firstIndex { $0.isFailing }
    let folded = sections.indices.map { index in
      """
      <details class="run\(sections[index].isFailing ? " failed" : "")"\(index == first ? " open" : "")>
      <summary>\(cards[index].summary)</summary>
      \(cards[index].html)
      </details>
      """
    }
    let headline = "\(failing) of \(ReportText.count(sections.count, "card")) with a failure"
    let checks = overview.isEmpty ? "" : overview.checks { "<span>#\($0)</span>" } + "\n"
    return "<h1>\(headline)</h1>\n" + checks + folded.joined(separator: "\n")
  }
}

/// One card of the page.
private struct CardView {
  let card: ReportCard
  let failure: String?
  let source: String?
  /// The prefix that distinguishes the card's anchors from those of others.
  let prefix: String
  /// Nil for a card without attempts.
  private let timeline: TimelineView?
  private let entries: EntryList

  init(_ section: ReportPage.Section, prefix: String) {
    card = section.card
    failure = section.failure
    source = section.source
    self.prefix = prefix
    entries = EntryList(section.card.entries, prefix: prefix)
    timeline = section.hasAttempts ? TimelineView(section.card.timeline, prefix: prefix) : nil
  }

  var html: String {
    let command = failure.map { "<p class=\"command\">\(Markup.escaped($0)).</p>" } ?? ""
    return """
      <header>
      <h1>\(headline)</h1>
      <p class="facts">\(subtitle)</p>\(command)
      \(tally)
      </header>
      \(card.lines.checks(link))
      \(entries.html)
      \(timeline?.html ?? "")
      \(partial)
      """
  }

  /// The summary that is visible while the card is folded.
  var summary: String {
    let failed = card.lines.filter { $0.verdict == .fail }.map { Markup.escaped($0.id) }
    let failures = (failure.map { [Markup.escaped($0)] } ?? []) + failed
    let file = source.map { "<b>\(Markup.escaped($0))</b>, seed" } ?? "Seed"
    return "\(file) <b>\(card.seed)</b>, sandbox <b>\(Markup.escaped(card.sandbox))</b>: "
      + (failures.isEmpty ? card.verdict.rawValue : failures.joined(separator: ", "))
  }

  private var headline: String {
    switch card.verdict {
    case .fail: card.count(.fail) == 1 ? "One check failed" : "\(card.count(.fail)) checks failed"
    case .warn: "Nothing failed, \(ReportText.count(card.count(.warn), "warning"))"
    case .pass: "Everything that could be judged passed"
    case .notExercised: "Nothing could be judged yet"
    }
  }

  private var subtitle: String {
    let apart = card.replays > 0 ? ", \(card.replays) of them repeated by a transport" : ""
    return "Sandbox <b>\(Markup.escaped(card.sandbox))</b> · scenario <b>\(Markup.escaped(card.scenario))</b>"
      + " · seed <b>\(card.seed)</b> · \(ReportText.count(card.exchanges, "exchange"))\(apart)"
  }

  private var tally: String {
    let items = [Verdict.fail, .warn, .pass, .notExercised].map { verdict in
      "<li class=\"\(verdict.style)\(card.count(verdict) == 0 ? " none" : "")\">\(verdict.mark)"
        + "<b>\(card.count(verdict))</b> \(verdict.rawValue)</li>"
    }
    return "<ul class=\"tally\">\(items.joined())</ul>"
  }

  /// The id of an entry, as a link where the page shows the entry or the attempt.
  private func link(to id: Int) -> String {
    if let anchor = entries.anchor(of: id) { return "<a href=\"#\(anchor)\">#\(id)</a>" }
    return timeline?.shown.contains(id) == true ? "<a href=\"#a\(prefix)\(id)\">#\(id)</a>" : "<span>#\(id)</span>"
  }

  private var partial: String {
    card.isJournalPartial
      ? "<p class=\"empty\">The journal is partial: older entries were evicted. The verdicts still count them.</p>"
      : ""
  }
}

extension [ReportCard.Line] {
  /// Returns the checks, the worst first, each kind in the order of the card.
  fileprivate func checks(_ link: (Int) -> String) -> String {
    let sorted = Verdict.allCases.sorted(by: >).flatMap { verdict in filter { $0.verdict == verdict } }
    let rows = sorted.map { line in
      """
      <li class="check \(line.verdict.style)">\(line.verdict.mark)
      <div><h3>\(Markup.escaped(line.id)) <span>\(line.verdict.rawValue)</span></h3>
      <p>\(Markup.escaped(line.finding.sentence))</p>\(line.evidence(link))</div></li>
      """
    }
    return "<section aria-label=\"Checks\"><ul class=\"checks\">\n\(rows.joined(separator: "\n"))\n</ul></section>"
  }
}

extension ReportCard.Line {
  fileprivate func evidence(_ link: (Int) -> String) -> String {
    guard verdict > .pass, !finding.evidence.isEmpty else { return "" }
    return "<p class=\"evidence\">\(finding.evidence.map(link).joined(separator: " "))</p>"
  }
}

extension Verdict {
  fileprivate var style: String { self == .notExercised ? "idle" : rawValue }

  /// A mark that differs in shape, not only in color.
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
