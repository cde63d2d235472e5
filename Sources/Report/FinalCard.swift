/// A sandbox's last card, stored when the sandbox is deleted or reset.
package struct FinalCard: Sendable {
  /// The maximum number that `run` may show; the oldest are dropped.
  package static let maximumCount = 1_000

  package let name: String
  private let makeCard: @Sendable () -> ReportCard

  /// Creates a card.
  ///
  /// - Parameter card: Returns the card, the same with each call and on any thread.
  package init(name: String, card: @escaping @Sendable () -> ReportCard) {
    self.name = name
    makeCard = card
  }

  package var card: ReportCard { makeCard() }
}

extension [FinalCard] {
  /// The cards of sandboxes with requests; if there are none, the last one, which is the default's.
  package var withRequests: [FinalCard] {
    let busy = filter { $0.card.exchanges > 0 }
    return busy.isEmpty ? suffix(1) : busy
  }

  /// Returns the cards of sandboxes with requests as text; if there are none, the default's.
  package func text(_ style: TextStyle = TextStyle()) -> String {
    withRequests.map { $0.card.text(style) }.joined(separator: "\n")
  }
}
