import HTTP1
import Primitives
import Understudy

/// `understudy health`: sends one request to a server, like a container's health check.
struct Probe {
  /// The server's host as in its options; for a wildcard address the probe uses loopback.
  let host: String
  let port: Int

  /// Returns the error as a sentence; nil if the server is healthy.
  func complaint() -> String? {
    let call = ServerCall("GET", "/_mock/health", at: address, port: port, fields: ["Host: localhost"])
    do throws(ServerCall.Failure) {
      let response = try call.response(within: .seconds(5), atMost: 64 << 10)
      let isHealthy = String(decoding: response.content, as: UTF8.self).contains("\"status\":\"ok\"")
      return response.status == 200 && isHealthy ? nil : unhealthy(response.head.bytes)
    } catch {
      if case .malformed(_, let bytes) = error, !bytes.isEmpty { return unhealthy(bytes) }
      return CallFailure(error, at: authority).description
    }
  }

  private func unhealthy(_ response: [UInt8]) -> String {
    "the server at \(authority) is not a healthy understudy: \(Self.firstLine(response))"
  }

  /// Returns the first line of an unknown server for a terminal: shortened, and without control characters.
  private static func firstLine(_ response: [UInt8]) -> String {
    let line = String(
      decoding: response.prefix { $0 != Byte.carriageReturn && $0 != Byte.lineFeed }, as: UTF8.self)
    return String(
      String.UnicodeScalarView(line.unicodeScalars.prefix(120).map { (" "..."~").contains($0) ? $0 : "\u{FFFD}" }))
  }

  private var authority: String { "\(address):\(port)" }

  private var address: String {
    switch host {
    case "0.0.0.0", "*": "127.0.0.1"
    case "::", "[::]": "::1"
    default: host
    }
  }
}
