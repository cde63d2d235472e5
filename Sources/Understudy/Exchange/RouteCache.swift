import HTTP1

/// A cache of routes by method, path and API, so that a path is parsed once.
///
/// A route depends only on these. The size of the cache is limited.
struct RouteCache {
  private struct Known {
    let method: [UInt8]
    let path: [UInt8]
    let api: Int?
    let destination: ResolvedRoute
  }

  static let most = 4_096
  /// Longer paths are not cached: the cache would hold several copies of each, decoded, as text and as arguments.
  static let maximumPathBytes = 512

  private var known: [UInt64: Known] = [:]

  /// Returns the cached route of a request.
  ///
  /// - Parameter api: The API that the request names outside its path.
  func find(_ request: Request, api: Int?) -> ResolvedRoute? {
    guard let found = known[Self.key(request, api)], found.api == api,
      request.bytes[request.path] == found.path[...], request.bytes[request.method] == found.method[...]
    else { return nil }
    return found.destination
  }

  mutating func keep(_ destination: ResolvedRoute, for request: Request, api: Int?) {
    guard request.path.count <= Self.maximumPathBytes else { return }
    // A client that requests ever new paths uses each once, so clearing the cache costs it nothing.
    if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
    known[Self.key(request, api)] = Known(
      method: Array(request.bytes[request.method]), path: Array(request.bytes[request.path]), api: api,
      destination: destination)
  }

  private static func key(_ request: Request, _ api: Int?) -> UInt64 {
    var key = Fingerprint(of: request.bytes[request.path])
    key.add(request.bytes[request.method])
    return key.value &+ UInt64(api.map { $0 + 1 } ?? 0)
  }
}
