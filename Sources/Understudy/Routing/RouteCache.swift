import HTTP1
import Primitives

/// A cache of routes by method, path and API, so that a path is parsed once.
///
/// A route depends only on these. The size of the cache is limited.
final class RouteCache {
  fileprivate final class Known {
    let method: [UInt8]
    let path: [UInt8]
    let api: Int?
    let destination: ResolvedRoute

    init(method: [UInt8], path: [UInt8], api: Int?, destination: ResolvedRoute) {
      self.method = method
      self.path = path
      self.api = api
      self.destination = destination
    }
  }

  /// A power of two, so that a slot is a part of the hash.
  static let capacity = 4_096
  /// Longer paths are not cached: the cache would hold several copies of each, decoded, as text and as arguments.
  static let maximumPathBytes = 512

  /// Each route is in the slot of its hash; the newest one has it.
  private var slots: [Known?] = Array(repeating: nil, count: capacity)

  /// Returns the cached route of a request.
  ///
  /// - Parameter api: The API that the request names outside its path.
  func find(_ request: borrowing Request, api: Int?) -> ResolvedRoute? {
    let slot = Self.slot(request, api)
    guard let found = slots[slot], found.api == api, found.holds(request) else { return nil }
    return found.destination
  }

  func store(_ destination: ResolvedRoute, for request: Request, api: Int?) {
    guard request.path.count <= Self.maximumPathBytes else { return }
    slots[Self.slot(request, api)] = Known(
      method: Array(request.bytes[request.method]), path: Array(request.bytes[request.path]), api: api,
      destination: destination)
  }

  /// Returns the slot. It depends on the path's length, its last bytes, in which paths differ most, and the method's
  /// first byte.
  private static func slot(_ request: borrowing Request, _ api: Int?) -> Int {
    let bytes = request.bytes.span
    var letters = UInt64(request.path.count) << 4 | UInt64(api.map { $0 + 1 } ?? 0)
    letters = letters << 8 | UInt64(request.method.isEmpty ? 0 : bytes[request.method.lowerBound])
    var hash = Fingerprint.mix(letters, into: 0)
    letters = 0
    for index in request.path.suffix(8) { letters = letters << 8 | UInt64(bytes[index]) }
    hash = Fingerprint.mix(letters, into: hash)
    return Int(truncatingIfNeeded: hash) & (capacity - 1)
  }
}

extension RouteCache.Known {
  /// Returns true if a request has this method and path.
  fileprivate func holds(_ request: borrowing Request) -> Bool {
    let bytes = request.bytes.span
    return bytes.holds(path, at: request.path) && bytes.holds(method, at: request.method)
  }
}

extension Span where Element == UInt8 {
  /// Returns true if the range holds exactly these bytes.
  func holds(_ expected: [UInt8], at range: Range<Int>) -> Bool {
    guard expected.count == range.count else { return false }
    for offset in 0..<expected.count where self[range.lowerBound + offset] != expected[offset] { return false }
    return true
  }
}
