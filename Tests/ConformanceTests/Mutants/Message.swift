import Foundation

/// A request or a response in parts that a mutant may change; written out, it is exactly these parts.
struct Message: Sendable {
  var startLine: String
  var fields: [(name: String, value: String)]
  var body: [UInt8]

  init(_ startLine: String, _ fields: [(name: String, value: String)] = [], body: String = "") {
    self.startLine = startLine
    self.fields = fields
    self.body = Array(body.utf8)
    self["Content-Length"] = "\(self.body.count)"
  }

  /// Parses the first message in `bytes`, and returns its length; nil if it is incomplete.
  ///
  /// - Parameter isToHead: True if it is a response to HEAD, which has no body whatever its fields say.
  init?(_ bytes: [UInt8], isToHead: Bool = false, length: inout Int) {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    startLine = lines[0]
    fields = lines.dropFirst().map { line in
      let sides = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(sides[0]), sides.count == 2 ? sides[1].drop { $0 == " " }.description : "")
    }
    body = []
    let isBare = isToHead || startLine.contains(" 304 ") || startLine.contains(" 204 ") || startLine.contains(" 100 ")
    let count = isBare ? 0 : Int(self["Content-Length"] ?? "0") ?? 0
    guard bytes.count >= end.upperBound + count else { return nil }
    length = end.upperBound + count
    body = Array(bytes[end.upperBound..<length])
  }

  var bytes: [UInt8] {
    let lines = [startLine] + fields.map { "\($0.name): \($0.value)" }
    return Array((lines.map { $0 + "\r\n" }.joined() + "\r\n").utf8) + body
  }

  subscript(name: String) -> String? {
    get { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
    set {
      let index = fields.firstIndex { $0.name.lowercased() == name.lowercased() }
      switch (index, newValue) {
      case (let index?, let value?): fields[index].value = value
      case (let index?, nil): fields.remove(at: index)
      case (nil, let value?): fields.append((name, value))
      case (nil, nil): break
      }
    }
  }

  var method: String { startLine.split(separator: " ").first.map(String.init) ?? "" }

  /// The target without the query.
  var path: String {
    let target = startLine.split(separator: " ").dropFirst().first ?? ""
    return String(target.prefix { $0 != "?" })
  }

  var query: String {
    let target = startLine.split(separator: " ").dropFirst().first ?? ""
    return String(target.drop { $0 != "?" }.dropFirst())
  }

  var status: Int {
    get { startLine.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }
    set { startLine = "HTTP/1.1 \(newValue) Mutated" }
  }

  /// The body as text. Setting it also sets Content-Length.
  var text: String {
    get { String(decoding: body, as: UTF8.self) }
    set {
      body = Array(newValue.utf8)
      self["Content-Length"] = "\(body.count)"
    }
  }

  /// The name of the request's sandbox.
  var sandbox: String { self["Understudy-Sandbox"] ?? "" }
}
