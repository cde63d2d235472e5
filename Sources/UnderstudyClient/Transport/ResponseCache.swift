import Contract
import Foundation

/// Responses that can be validated again. The number is bounded; the least recently used is evicted first.
///
/// Only readable responses are stored. Otherwise an unreadable one would be confirmed by 304 forever.
struct ResponseCache: Sendable {
  struct CachedResponse: Sendable {
    let etag: String
    var response: TransportResponse
    /// The time at which the server last confirmed it, by both clocks.
    var storedAt: Duration
    var date: Date
    /// The time for which the server allows its use without a request.
    var lifetime: Duration

    init(etag: String, response: TransportResponse, at clock: ClientClock) {
      self.etag = etag
      self.response = response
      storedAt = clock.elapsed()
      date = clock.date()
      lifetime = Self.lifetime(response)
    }

    /// False if the server forbids storing the response.
    var mayBeStored: Bool { !Self.directives(response).forbidsStoring }

    static func lifetime(_ response: TransportResponse) -> Duration { directives(response).lifetime ?? .zero }

    private static func directives(_ response: TransportResponse) -> CacheDirectives {
      CacheDirectives(response.header("Cache-Control") ?? "")
    }
  }

  let capacity: Int
  private var responses: [URL: CachedResponse] = [:]
  /// The URLs, from the least to the most recently used.
  private var order: [URL] = []

  init(capacity: Int = 64) { self.capacity = capacity }

  mutating func response(for url: URL) -> CachedResponse? {
    guard let response = responses[url] else { return nil }
    touch(url)
    return response
  }

  /// Stores a response, or removes the outdated copy if the response must not be stored.
  mutating func store(_ response: CachedResponse, for url: URL) {
    guard response.mayBeStored else {
      responses[url] = nil
      return order.removeAll { $0 == url }
    }
    responses[url] = response
    touch(url)
    if order.count > capacity { responses[order.removeFirst()] = nil }
  }

  private mutating func touch(_ url: URL) {
    order.removeAll { $0 == url }
    order.append(url)
  }
}
