import JSON
import Primitives
import Testing

@testable import Report

@Suite("The report page")
struct ReportPageTests {
  /// Texts that would end the script element, begin a comment or a line of their own, or be no characters.
  private static let hostile =
    "</script><script>alert('1')</script><!--<script>{nonce}/* script */{text}\u{2028}\u{2029}\u{0}\u{FFFE}\u{202E}&\"'\\]]>"

  /// A card whose every text of others is hostile.
  private static func hostileCard() throws -> ReportCard {
    let card = FormTests.card(of: [.booksTwice])
    let id = try #require(card.citedIDs.min())
    var checks = card.checks
    checks[0] = ReportCard.Check(id: hostile, finding: Finding(.fail, hostile, Evidence(ids: [id])))
    return ReportCard(
      sandbox: hostile, scenario: hostile, seed: 7, exchanges: 3, replays: 1, isJournalPartial: true, checks: checks,
      delays: card.delays, timeline: FormTests.card().timeline,
      entries: [
        id: ["id": .int(id), "method": .string(hostile), "request": ["body": .string(hostile)], "outcome": "sent"]
      ])
  }

  /// Returns the JSON from which the script draws the page.
  static func data(of html: String) throws -> JSONValue {
    let content = try #require(html.split(separator: "id=\"data\">").last?.split(separator: "</script>").first)
    return try JSONValue(parsing: String(content))
  }

  @Test("holds hostile texts only as data and as escaped text, so that none ends an element or is replaced")
  func hostileTexts() throws {
    let card = try Self.hostileCard()
    let page = ReportPage(
      sections: [ReportPage.Section(card: card, failure: Self.hostile, source: Self.hostile)],
      text: card.text() + Self.hostile)
    let calm = ReportPage(FormTests.card(of: []))
    for tag in ["<script", "</script", "<!--", "<pre", "</pre", "<style", "</style"] {
      #expect(page.html.ranges(of: tag).count == calm.html.ranges(of: tag).count, "\(tag)")
    }
    #expect(page.html.ranges(of: "<script").count == 4 && !page.html.contains("alert('1')</"))
    let cards = try #require(try Self.data(of: page.html)["cards"]?.array)
    for member in ["sandbox", "scenario", "failure", "source"] {
      #expect(cards[0][member]?.string == Self.hostile, "\(member)")
    }
    #expect(cards[0]["checks"]?.array?[0] == card.checks[0].json)
    #expect(cards[0]["entries"] == card.sortedEntries && card.json["entries"] == nil)
    #expect(cards[0]["requests"]?.text.contains("\(FormTests.nasty.prefix(20))") == true)
  }

  @Test("allows its own script and style by a nonce, loads nothing, and is an origin of its own where it is served")
  func policy() throws {
    let (page, other) = (ReportPage(FormTests.card()), ReportPage(FormTests.card()))
    let nonce = try #require(page.policy.firstMatch(of: /script-src 'nonce-(\w{32})'/)?.1)
    #expect(
      page.html.contains("<script type=\"module\" nonce=\"\(nonce)\">")
        && page.html.contains("<style nonce=\"\(nonce)\">"))
    let everywhere = """
      default-src 'none'; style-src 'nonce-\(nonce)'; script-src 'nonce-\(nonce)'; base-uri 'none'; form-action 'none'; \
      require-trusted-types-for 'script'; trusted-types 'none'
      """
    #expect(page.html.contains("<meta http-equiv=\"Content-Security-Policy\" content=\"\(everywhere)\">"))
    #expect(page.policy == everywhere + "; frame-ancestors 'none'; sandbox allow-scripts")
    #expect(page.policy != other.policy)
    for word in [
      "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "style=\"", "fetch(", "url(",
      "@import", "src=", "https:",
    ] {
      #expect(!page.html.contains(word), "\(word)")
    }
    #expect(page.html.contains("prefers-color-scheme: dark") && page.html.contains("name=\"viewport\""))
  }

  @Test("has the attempts of each request with their times since the first, ends and plans")
  func attempts() throws {
    let card = FormTests.card(of: [.booksTwice])
    let data = try Self.data(of: ReportPage(card).html)
    let requests = try #require(data["cards"]?.array?[0]["requests"]?.array)
    let booking = try #require(requests.first)
    #expect(requests.count == card.timeline.count && requests.map { $0["count"]?.int ?? 0 } == [2, 1])
    #expect(booking["method"] == "POST" && booking["purpose"] == "name: Ljerka" && booking["keyed"] == false)
    let attempts = try #require(booking["attempts"]?.array)
    #expect(attempts.map { $0["outcome"]?.string } == ["lost", "ok"])
    #expect(attempts[0]["start"] == "0ms" && attempts.allSatisfy { $0["applied"] == true })
    let start = try #require(attempts[1]["start"]?.string.flatMap { DurationText($0) }).duration
    let request = try #require(card.timeline.first { $0.method == "POST" })
    #expect(start == request.attempts[1].arrival - request.attempts[0].arrival && start > .zero)
    let refused = try #require(requests.last?["attempts"]?.array?.first)
    #expect(refused["outcome"] == "unavailable" && refused["status"] == 503 && refused["retryAfter"] == "2s")
    #expect(refused["plan"]?.string?.contains("503 (rule") == true, "\(refused.text)")
    let left = try Self.data(of: ReportPage(FormTests.card(of: [.givesUpAtOnce])).html)
    #expect(left.text.contains("\"outcome\":\"gone\""))
  }

  @Test("shows the most repeated requests first, and at most sixty")
  func ranks() throws {
    var card = FormTests.card(of: [.booksTwice])
    let (twice, once) = (card.timeline[0], card.timeline[1])
    card.timeline = [twice] + Array(repeating: once, count: 70)
    let data = try Self.data(of: ReportPage(card).html)
    let counts = try #require(data["cards"]?.array?[0]["requests"]?.array).map { $0["count"]?.int }
    #expect(counts == [twice.count] + Array(repeating: 1, count: 59) && twice.count == 2)
  }

  @Test("has the text of the card for viewers that run no scripts")
  func text() throws {
    let card = FormTests.card(of: [.booksTwice])
    let html = ReportPage(card).html
    let text = try #require(html.split(separator: "<pre>").last?.split(separator: "</pre>").first)
    #expect(text.split(separator: "\n").count == card.text().split(separator: "\n").count)
    #expect(text.contains("\nX   no-duplicate-effect "))
  }
}
