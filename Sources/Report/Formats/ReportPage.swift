import Dashboard
import Faults
import JSON
import Primitives

/// Cards as one self-contained page, which a script draws from the JSON that is part of it.
///
/// Where no script runs, such as in some viewers of artifacts, the page shows the cards as text.
package struct ReportPage {
  /// A card, and the run that it is about.
  struct Section {
    let card: ReportCard
    /// The failure of the run's command.
    var failure: String?
    /// The file from which the card was read.
    var source: String?
    /// The facts about the run for a reader, each with its name.
    var facts: [(name: String, value: String)] = []
    /// False for a card from a file, which contains no attempts.
    var hasAttempts = true
  }

  package let html: String
  /// The value of its `Content-Security-Policy`.
  package let policy: String

  /// - Parameters:
  ///   - overview: The checks of all cards together, if the cards are those of several instances.
  ///   - text: The cards as text.
  init(sections: [Section], overview: [ReportCard.Check] = [], text: String) {
    let json: JSONValue = ["cards": .array(sections.map(\.json)), "checks": .array(overview.map(\.json))]
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { Markup.escaped(String($0)) }
    let page = WebPage.report(data: Self.data(json), text: lines.joined(separator: "\n"))
    (html, policy) = (page.html, page.policy)
  }

  package init(_ card: ReportCard) { self.init(sections: [Section(card: card)], text: card.text()) }

  /// Returns JSON for a script element: equivalent, but in printable ASCII and without `<`, so that no text can end the
  /// element. In JSON, other characters occur only in strings and can be escaped there.
  private static func data(_ json: JSONValue) -> String {
    var bytes: [UInt8] = []
    for unit in json.text.utf16 {
      if 0x20..<0x7F ~= unit, unit != 0x3C {
        bytes.append(UInt8(unit))
      } else {
        bytes += "\\u\(String(UInt32(unit) + 0x10000, radix: 16).dropFirst())".utf8
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension ReportPage.Section {
  private static let maximumRequests = 60

  fileprivate var json: JSONValue {
    var members = card.json.object ?? JSONValue.Object()
    // The page does not show the histograms, which would be most of its bytes.
    members["delays"] = nil
    members["entries"] = card.sortedEntries
    members["failure"] = failure.map { .string($0) }
    members["source"] = source.map { .string($0) }
    if !facts.isEmpty { members["run"] = .array(facts.map { .array([.string($0.name), .string($0.value)]) }) }
    if hasAttempts { members["requests"] = .array(requests.map(\.json)) }
    return .object(members)
  }

  /// The requests with the most attempts, and of those the newest.
  private var requests: [LogicalRequest] {
    let ranked = card.timeline.enumerated().sorted { left, right in
      left.element.count == right.element.count
        ? left.offset > right.offset : left.element.count > right.element.count
    }
    return ranked.prefix(Self.maximumRequests).map(\.element)
  }
}

extension LogicalRequest {
  fileprivate var json: JSONValue {
    let start = attempts.map(\.arrival).min() ?? last.arrival
    return [
      "method": .string(method), "target": .string(target), "purpose": .string(purpose), "keyed": .bool(isKeyed),
      "count": .int(count), "attempts": .array(attempts.map { $0.json(since: start) }),
    ]
  }
}

extension LogicalRequest.Attempt {
  fileprivate func json(since start: MonotonicInstant) -> JSONValue {
    [
      "id": .int(id), "outcome": .string(outcome), "status": shownStatus.map { .int($0) } ?? .null,
      "start": .duration(arrival - start), "duration": .duration(end - arrival), "planned": .duration(plan.delay),
      "measured": .duration(measuredDelay), "retryAfter": retryAfter.map { .duration($0) } ?? .null,
      "applied": .bool(isApplied), "replayed": .bool(wasReplayed), "plan": .string(plan.description),
    ]
  }

  /// The status that the client could read: bytes that are no HTTP have none.
  private var shownStatus: Int? { plan.fault?.action.kind == .garbage ? nil : status }

  /// The name of its end among the shapes of `elements.js`.
  private var outcome: String {
    if hasClientLeft { return "gone" }
    return switch result {
    case .success, .cut: "ok"
    case .rejected: "refused"
    case .unavailable: "unavailable"
    case .lost: "lost"
    case .damaged: "damaged"
    }
  }
}
