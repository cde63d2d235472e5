import JSON

/// A response, parsed by a client.
struct Response {
  let status: Int
  let fields: [String: String]
  let body: [UInt8]

  enum Reading {
    /// The response is incomplete, and needs at least this many bytes.
    case incomplete(minimum: Int)
    case whole(Response)
    /// The bytes are not an HTTP/1.1 response, or the connection ended too early.
    case broken
  }

  subscript(name: String) -> String? { fields[name] }

  /// True if the content is JSON with that media type, or if there is no content.
  var isReadable: Bool {
    guard status != 204, status != 304, !body.isEmpty else { return true }
    guard self["content-type"]?.contains("json") == true else { return false }
    return (try? JSONValue(parsing: body)) != nil
  }

  /// Reads a response.
  ///
  /// - Parameters:
  ///   - isEnded: True if no more bytes will come.
  ///   - toHead: True if it has no content, because it answers HEAD.
  static func read(_ bytes: [UInt8], isEnded: Bool, toHead: Bool = false) -> Reading {
    let unfinished: Reading = isEnded ? .broken : .incomplete(minimum: bytes.count + 1)
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return unfinished }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    guard let first = lines.first, first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3)) else {
      return .broken
    }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { return .broken }
      fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingPrefix(" ").description
    }
    let rest = bytes[end.upperBound...]
    if status == 204 || status == 304 || toHead { return .whole(Response(status: status, fields: fields, body: [])) }
    if fields["transfer-encoding"] == "chunked" {
      return chunked(rest, unfinished) { Response(status: status, fields: fields, body: $0) }
    }
    guard let length = fields["content-length"].flatMap({ Int($0) }) else {
      return isEnded ? .whole(Response(status: status, fields: fields, body: Array(rest))) : unfinished
    }
    guard rest.count >= length else { return isEnded ? .broken : .incomplete(minimum: end.upperBound + length) }
    return .whole(Response(status: status, fields: fields, body: Array(rest.prefix(length))))
  }

  private static func chunked(
    _ bytes: ArraySlice<UInt8>, _ unfinished: Reading, _ response: ([UInt8]) -> Response
  ) -> Reading {
    var rest = bytes
    var body: [UInt8] = []
    while let line = rest.firstRange(of: [13, 10]) {
      let size = String(decoding: rest[..<line.lowerBound], as: UTF8.self).prefix { $0 != ";" }
      guard let length = Int(size, radix: 16), length >= 0 else { return .broken }
      rest = rest[line.upperBound...]
      if length == 0 { return rest.starts(with: [13, 10]) ? .whole(response(body)) : unfinished }
      guard rest.count >= length + 2 else { return unfinished }
      body += rest.prefix(length)
      rest = rest.dropFirst(length)
      guard rest.starts(with: [13, 10]) else { return .broken }
      rest = rest.dropFirst(2)
    }
    return unfinished
  }
}
