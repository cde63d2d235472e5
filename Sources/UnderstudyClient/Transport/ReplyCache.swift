import Foundation

/// Replies that can be validated again: bounded, the longest unused goes first.
///
/// Only replies that could be read are kept. Otherwise a garbled one would be confirmed by 304 for ever.
struct ReplyCache: Sendable {
  struct Entry: Sendable {
    let etag: String
    var response: TransportResponse
    /// When the server last vouched for it, by both clocks.
    var storedAt: Duration
    var date: Date
    /// How long the server lets it be used without asking.
    var lifetime: Duration

    init(etag: String, response: TransportResponse, at clock: ClientClock) {
      self.etag = etag
      self.response = response
      storedAt = clock.elapsed()
      date = clock.date()
      lifetime = Self.lifetime(response)
    }

    /// False where the server forbids to keep the response (RFC 9111 section 5.2.2.5).
    var mayBeStored: Bool { !Self.directives(response).contains("no-store") }

    private static func directives(_ response: TransportResponse) -> [String] {
      (response.header("Cache-Control") ?? "").split(separator: ",")
        .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }

    static func lifetime(_ response: TransportResponse) -> Duration {
      let directives = directives(response)
      guard !directives.contains("no-store"), !directives.contains("no-cache"),
        let age = directives.first(where: { $0.hasPrefix("max-age=") }), let seconds = Int64(age.dropFirst(8))
      else { return .zero }
      return .seconds(seconds)
    }
  }

  let capacity: Int
  private var entries: [URL: Entry] = [:]
  /// From the longest unused to the latest.
  private var order: [URL] = []

  init(capacity: Int = 64) { self.capacity = capacity }

  mutating func entry(for url: URL) -> Entry? {
    guard let entry = entries[url] else { return nil }
    touch(url)
    return entry
  }

  /// Stores a response, or forgets the copy that it supersedes where it must not be stored itself.
  mutating func store(_ entry: Entry, for url: URL) {
    guard entry.mayBeStored else {
      entries[url] = nil
      return order.removeAll { $0 == url }
    }
    entries[url] = entry
    touch(url)
    if order.count > capacity { entries[order.removeFirst()] = nil }
  }

  private mutating func touch(_ url: URL) {
    order.removeAll { $0 == url }
    order.append(url)
  }
}
