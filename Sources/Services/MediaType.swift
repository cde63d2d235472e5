/// The media types as written in `Content-Type`.
package enum MediaType: String, Sendable {
  case json = "application/json; charset=utf-8"
  case bareJSON = "application/json"
  case problem = "application/problem+json"
  case eventStream = "text/event-stream"
  case jsonLines = "application/jsonl"
  /// An HTTP Archive (HAR 1.2).
  case archive = "application/har+json"
  /// A JSON Schema.
  case schema = "application/schema+json"
  case png = "image/png"
  case html = "text/html; charset=utf-8"
  case text = "text/plain; charset=utf-8"
  case prometheus = "text/plain; version=0.0.4; charset=utf-8"
  case yaml = "application/yaml"
  case xml = "application/xml"

  /// Returns the type in a `Content-Type` field in small letters, without its parameters.
  static func essence(of field: some Collection<UInt8>) -> String {
    String(decoding: field, as: UTF8.self).prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
  }

  /// `Content-Type` as a field line of a head; for a stream of events, also the field that keeps nginx from buffering it.
  package var contentTypeLine: [UInt8] { if case .json = self { Self.lineOfJSON } else { line } }

  private var line: [UInt8] {
    let unbuffered = self == .eventStream ? "X-Accel-Buffering: no\r\n" : ""
    return Array("Content-Type: \(rawValue)\r\n\(unbuffered)".utf8)
  }
  /// Nearly every response has this one.
  private static let lineOfJSON = MediaType.json.line
}
