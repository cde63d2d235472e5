/// A response, parsed from all bytes that a connection received until its end.
struct ReceivedMessage {
  let status: Int
  let headers: [String: String]
  /// The decoded body; nil if it is incomplete or its coding is broken.
  let body: [UInt8]?

  /// Parses a response; returns nil if it does not begin with a complete head.
  init?(_ bytes: [UInt8]) {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return nil }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      headers[String(line[..<colon])] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    self.status = status
    self.headers = headers
    let content = bytes[end.upperBound...]
    if headers["Transfer-Encoding"] != nil {
      body = Self.joinedChunks(content)
    } else if status == 304 || status == 204 {
      body = []
    } else if let length = headers["Content-Length"] {
      body = Int(length) == content.count ? Array(content) : nil
    } else {
      body = Array(content)
    }
  }

  /// Returns the content of a chunked body (RFC 9112 section 7.1); nil if it is not complete.
  private static func joinedChunks(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    let lineBreak = Array("\r\n".utf8)
    var (body, rest) = ([UInt8](), bytes)
    while let line = rest.firstRange(of: lineBreak),
      let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16), size >= 0
    {
      if size == 0 { return body }
      let chunk = rest[line.upperBound...].prefix(size)
      guard chunk.count == size, rest[chunk.endIndex...].starts(with: lineBreak) else { return nil }
      body += chunk
      rest = rest[(chunk.endIndex + lineBreak.count)...]
    }
    return nil
  }
}
