import Contract
import ControlAPI
import Faults
import HTTP1
import JSON
import Primitives
import Report
import Services

extension Journal {
  /// Returns entries as an HTTP Archive (HAR 1.2).
  ///
  /// Exchanges in progress are omitted, because the format cannot express them. Additional members begin with an
  /// underscore, as the format requires. The journal does not store bodies of responses.
  ///
  /// - Parameter sandbox: The sandbox's name, for the archive's comment.
  func archive(_ entries: [ExchangeRecord], of sandbox: String) -> [UInt8] {
    let ended = entries.filter { $0.outcome != .event && $0.outcome != .pending }
    let events = entries.filter { $0.outcome == .event }
    let creator: JSONValue = ["name": "Understudy", "version": .string(Document.version)]
    let comment = JSONValue.string("The journal of the sandbox \(sandbox).")
    var text = Array("{\"log\":{\"version\":\"1.2\",\"creator\":\(creator.text),\"entries\":".utf8)
    text.appendList(of: ended) { archived(json($0), $0) }
    text += ",\"comment\":\(comment.text),\"_events\":".utf8
    text.appendList(of: events) { json($0) }
    text += "}}".utf8
    return text
  }

  /// - Parameter shown: The entry as the journal shows it.
  private func archived(_ shown: JSONValue, _ entry: ExchangeRecord) -> JSONValue {
    let (measured, total) = (entry.measured.duration, entry.total.duration)
    let wait = Self.milliseconds(measured)
    let receive = Self.milliseconds(max(.zero, total - measured))
    var members = JSONValue.Object([
      JSONValue.Member("startedDateTime", shown["at"] ?? .null),
      JSONValue.Member(
        "time", .number(JSONValue.Number(Self.milliseconds(max(measured, total))))),
      JSONValue.Member("request", Self.request(shown)),
      JSONValue.Member("response", Self.response(shown)),
      JSONValue.Member("cache", [:]),
      JSONValue.Member(
        "timings", ["send": 0, "wait": .number(JSONValue.Number(wait)), "receive": .number(JSONValue.Number(receive))]),
      JSONValue.Member("connection", .string(String(entry.connection))),
    ])
    for name in ["id", "n", "api", "plan", "outcome", "applied", "network", "replayOf", "remark", "traceparent"] {
      if let value = shown[name], value != .null { members["_" + name] = value }
    }
    return .object(members)
  }

  private static func milliseconds(_ duration: Duration) -> Double { Double(duration.nanoseconds / 1_000) / 1_000 }

  private static func request(_ shown: JSONValue) -> JSONValue {
    let headers = shown["request"]?["headers"]?.object ?? JSONValue.Object()
    let (target, body) = (shown["target"]?.string ?? "/", shown["request"]?["body"]?.string ?? "")
    let isAbsolute = target.hasPrefix("http://") || target.hasPrefix("https://")
    let url = isAbsolute ? target : "http://\(value("host", in: headers) ?? "localhost")\(target)"
    let query = target.utf8.firstIndex(of: UInt8(ascii: "?")).map { target.utf8[$0...].dropFirst() }
    let pairs = query.map { Query(parsing: $0).pairs } ?? []
    var request = JSONValue.Object([
      JSONValue.Member("method", shown["method"] ?? ""),
      JSONValue.Member("url", .string(url)),
      JSONValue.Member("httpVersion", "HTTP/1.1"),
      JSONValue.Member("cookies", []),
      JSONValue.Member("headers", list(headers)),
      JSONValue.Member("queryString", .array(pairs.map { ["name": .string($0.name), "value": .string($0.value)] })),
      JSONValue.Member("headersSize", -1),
      JSONValue.Member("bodySize", .int(value("content-length", in: headers).flatMap { Int($0) } ?? body.utf8.count)),
    ])
    if !body.isEmpty {
      let mediaType = value("content-type", in: headers) ?? "application/octet-stream"
      request["postData"] = ["mimeType": .string(mediaType), "text": .string(body)]
    }
    return .object(request)
  }

  /// Returns the response; one that never began has the status 0, as in browsers.
  private static func response(_ shown: JSONValue) -> JSONValue {
    let response = shown["response"] ?? .null
    let headers = response["headers"]?.object ?? JSONValue.Object()
    let status = response["status"]?.int ?? 0
    let mediaType = value("content-type", in: headers) ?? (status == 0 ? "x-unknown" : "")
    let isBegun = status > 0
    return [
      "status": .int(status),
      "statusText": .string(isBegun ? ReasonPhrase.of(status) : ""),
      "httpVersion": .string(isBegun ? "HTTP/1.1" : ""),
      "cookies": [],
      "headers": list(headers),
      "content": ["size": response["of"] ?? 0, "mimeType": .string(mediaType)],
      "redirectURL": .string(value("location", in: headers) ?? ""),
      "headersSize": -1,
      "bodySize": isBegun ? response["bytes"] ?? 0 : -1,
    ]
  }

  private static func list(_ headers: JSONValue.Object) -> JSONValue {
    .array(headers.members.map { ["name": .string($0.name), "value": $0.value] })
  }

  private static func value(_ name: String, in headers: JSONValue.Object) -> String? {
    headers.members.first { $0.name.lowercased() == name }?.value.string
  }
}

/// The `traceparent` field of a request (W3C Trace Context, section 3.2).
enum TraceParent {
  /// Returns true if the text is a value of version 00, or of a later version that begins like one.
  static func isValid(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0] != "ff", parts[0] != "00" || parts.count == 4 else { return false }
    let isHex = zip(parts, [2, 32, 16, 2]).allSatisfy { part, length in
      part.utf8.count == length
        && part.utf8.allSatisfy { Byte.isDigit($0) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 }
    }
    return isHex && parts[1...2].allSatisfy { $0.contains { $0 != "0" } }
  }
}

extension [UInt8] {
  /// Appends a JSON array, one entry at a time: a value of ten thousand entries would take ten times the memory of its
  /// text.
  mutating func appendList<Entry>(of entries: [Entry], _ json: (Entry) -> JSONValue) {
    append(UInt8(ascii: "["))
    for (index, entry) in entries.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      json(entry).write(to: &self)
    }
    append(UInt8(ascii: "]"))
  }
}
