import HTTP1

/// Destinations by what a request shows of itself, so that a path that was seen before is not taken apart again.
///
/// Only what follows from method, path and API alone is kept here, and only so much of it.
struct KnownDestinations {
  private struct Known {
    let method: [UInt8]
    let path: [UInt8]
    let api: Int?
    let destination: Destination
  }

  static let most = 4_096
  /// A longer path is taken apart each time: it would be kept several times over, decoded, as text and as arguments.
  static let mostPathBytes = 512

  private var known: [UInt64: Known] = [:]

  /// - Parameter api: The API that the request names besides its path.
  func find(_ request: Request, api: Int?) -> Destination? {
    guard let found = known[Self.key(request, api)], found.api == api,
      request.bytes[request.path] == found.path[...], request.bytes[request.method] == found.method[...]
    else { return nil }
    return found.destination
  }

  mutating func keep(_ destination: Destination, for request: Request, api: Int?) {
    guard request.path.count <= Self.mostPathBytes else { return }
    // Whoever asks for endless new paths asks for each once: nothing is lost by forgetting them all.
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
