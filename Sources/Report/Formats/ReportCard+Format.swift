import JSON
import Primitives

extension ReportCard {
  /// The formats of a card, and of a file of them.
  public enum Format: String, Sendable, CaseIterable {
    case json, text, html, junit

    /// The ending of a file's name for each format. `.htm` counts as `.html`.
    private static let endings: [(ending: String, format: Format)] = [
      (".json", .json), (".html", .html), (".htm", .html), (".txt", .text), (".xml", .junit),
    ]

    /// The endings for people, as in `.json, .html, .txt or .xml (JUnit)`.
    package static let expectation = ".json, .html, .txt or .xml (JUnit)"

    /// Returns the format for a file's name, by its ending; JSON for `-` and for a device, such as
    /// `/dev/stdout`. Nil for any other.
    package init?(of path: String) {
      let name = (path.split(separator: "/").last ?? "").lowercased()
      guard let known = Self.endings.first(where: { name.hasSuffix($0.ending) }) else {
        guard path == "-" || path.hasPrefix("/dev/") else { return nil }
        self = .json
        return
      }
      self = known.format
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
}
