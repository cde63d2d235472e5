import JSON
import Primitives

/// The formats of a card, and of a file of them.
package enum ReportFormat: String, Sendable, CaseIterable {
  case json, text, html, junit

  /// Returns the format for a file's name: `.txt`, `.html` and `.xml`, otherwise JSON.
  package init(of path: String) {
    let name = path.lowercased()
    self =
      if name.hasSuffix(".txt") {
        .text
      } else if name.hasSuffix(".html") || name.hasSuffix(".htm") {
        .html
      } else if name.hasSuffix(".xml") {
        .junit
      } else {
        .json
      }
  }

  /// Returns a card in this format.
  package func bytes(of card: ReportCard) -> [UInt8] {
    switch self {
    case .json: card.json.bytes()
    case .text: Array(card.text().utf8)
    case .html: Array(ReportPage(card).html.utf8)
    case .junit: Array(JUnit(suites: [.card(card)]).xml.utf8)
    }
  }
}
