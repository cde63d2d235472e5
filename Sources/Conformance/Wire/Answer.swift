import HTTP1
import JSON

/// A received response, and the request that it answers.
struct Answer: Sendable {
  /// The request line without the version, for the evidence.
  let asked: String
  let head: ReceivedHead
  var body: [UInt8] = []

  var status: Int { head.status }

  /// The fields in the order received, with names in lower case.
  var fields: [(name: String, value: String)] {
    head.fields.map { (head.text($0.name).lowercased(), head.text($0.value)) }
  }

  subscript(name: String) -> String? { head[name] }

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The media type without parameters.
  var mediaType: String? {
    self["Content-Type"].map { String($0.prefix { $0 != ";" }).lowercased().filter { $0 != " " } }
  }

  /// True if the connection may be used for another request (RFC 9112 section 9.3).
  var keepsConnection: Bool { head.persists }

  /// The response, shortened for a report.
  var evidence: String {
    let start = text.prefix(100).map { $0.isNewline ? "⏎" : String($0) }.joined()
    let rest = body.isEmpty ? "without a body" : "«\(start)\(body.count > start.utf8.count ? "…" : "")»"
    return "\(status) \(rest) to \(asked)"
  }
}
