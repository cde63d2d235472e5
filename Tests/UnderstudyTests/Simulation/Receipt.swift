/// One response, parsed by a client from the bytes of its connection.
struct Receipt {
  let status: Int
  /// The end of the status line.
  let fields: Int
  let body: Int
  /// The announced length of the body; nil for chunks.
  let announced: Int?
  let lines: [Substring]

  /// Returns nil while the head is incomplete, or if it is invalid.
  init?(_ bytes: [UInt8], from start: Int, isHead: Bool) {
    guard let body = Self.end(of: bytes, from: start) else { return nil }
    let text = String(decoding: bytes[start..<body], as: UTF8.self)
    let lines = text.split(separator: "\r\n")
    guard let first = lines.first, first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3)) else {
      return nil
    }
    self.status = status
    self.lines = Array(lines.dropFirst())
    self.body = body
    fields = start + first.utf8.count + 2
    let length = Self.value("Content-Length", in: self.lines)
    let isBodiless = isHead || status == 204 || status == 304
    announced = isBodiless ? 0 : length.flatMap { Int($0) }
  }

  private static func end(of bytes: [UInt8], from start: Int) -> Int? {
    var index = start + 3
    while index < bytes.count {
      if bytes[index] == 10, bytes[index - 1] == 13, bytes[index - 2] == 10, bytes[index - 3] == 13 {
        return index + 1
      }
      index += 1
    }
    return nil
  }

  private static func value(_ name: String, in lines: [Substring]) -> Substring? {
    lines.first { $0.hasPrefix(name + ": ") }.map { $0.dropFirst(name.count + 2) }
  }

  subscript(name: String) -> Substring? { Self.value(name, in: lines) }
}
