import HTTP1

/// `understudy health`: sends one request to a server, like a container's health check.
struct Probe {
  /// The server's host as in its options; for a wildcard address the probe uses loopback.
  let host: String
  let port: Int

  /// Returns the error as a sentence; nil if the server is healthy.
  func complaint() -> String? {
    let call = ServerCall(
      host: address, port: port, authority: "\(address):\(port)", limit: .seconds(5), maximumBytes: 64 << 10)
    let answer: ServerCall.Answer
    do throws(ServerCall.Failure) {
      answer = try call.get("/_mock/health", ["Host: localhost"])
    } catch {
      return error.description
    }
    let response = answer.response
    guard response?.status == 200, let content = response?.content,
      String(decoding: content, as: UTF8.self).contains("\"status\":\"ok\"")
    else {
      return "the server at \(call.authority) is not a healthy understudy: \(Self.shown(answer.firstLine))"
    }
    return nil
  }

  /// Returns a line of an unknown server for a terminal: shortened, and without control characters.
  private static func shown(_ line: String) -> String {
    String(String.UnicodeScalarView(line.unicodeScalars.prefix(120).map { (" "..."~").contains($0) ? $0 : "\u{FFFD}" }))
  }

  private var address: String {
    switch host {
    case "0.0.0.0", "*": "127.0.0.1"
    case "::", "[::]": "::1"
    default: host
    }
  }
}
