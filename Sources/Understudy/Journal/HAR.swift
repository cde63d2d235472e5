import Contract
import ControlAPI
import Faults
import HTTP1
import JSON
import Primitives
import Report
import Services

/// An HTTP Archive (HAR 1.2).
enum HAR {
  /// Returns entries as an archive.
  ///
  /// Exchanges in progress are omitted, because the format cannot express them. Additional members begin with an
  /// underscore, as the format requires. Bodies of responses are present as far as the journal stores them.
  ///
  /// - Parameter sandbox: The sandbox's name, for the archive's comment.
  static func archive(_ entries: [Entry], of sandbox: String) -> [UInt8] {
    let ended = entries.filter { $0.outcome != .event && $0.outcome != .pending }
    let events = entries.filter { $0.outcome == .event }
    let creator: JSONValue = ["name": "Understudy", "version": .string(Document.version)]
    let comment = JSONValue.string("The journal of the sandbox \(sandbox).")
    // Browsers import no archive without a page.
    let pages = ended.first.map { [page(of: sandbox, startedAt: Timestamp.microseconds($0.at))] } ?? []
    let start = "{\"log\":{\"version\":\"1.2\",\"creator\":\(creator.text),\"pages\":\(JSONValue.array(pages).text)"
    var text = Array((start + ",\"entries\":").utf8)
    text.appendList(of: ended) { archived($0) }
    text += ",\"comment\":\(comment.text),\"_events\":".utf8
    text.appendList(of: events) { $0.json }
    text += "}}".utf8
    return text
  }

  private static let pageID = "sandbox"

  private static func page(of sandbox: String, startedAt start: String) -> JSONValue {
    [
      "startedDateTime": .string(start), "id": .string(pageID), "title": .string("sandbox \(sandbox)"),
      "pageTimings": [:],
    ]
  }

  private static func archived(_ entry: Entry) -> JSONValue {
    let shown = entry.json
    let (measured, total) = (entry.measured.duration, entry.total.duration)
    let wait = milliseconds(measured)
    let receive = milliseconds(max(.zero, total - measured))
    var response = response(shown["response"] ?? .null, stored: entry.texts.responseBody?.count)
    if let failure = failure(entry) { response["_error"] = .string(failure) }
    var members = JSONValue.Object([
      JSONValue.Member("pageref", .string(pageID)),
      JSONValue.Member("startedDateTime", shown["at"] ?? .null),
      JSONValue.Member(
        "time", .number(JSONValue.Number(milliseconds(max(measured, total))))),
      JSONValue.Member("request", request(shown)),
      JSONValue.Member("response", .object(response)),
      JSONValue.Member("cache", [:]),
      JSONValue.Member(
        "timings", ["send": 0, "wait": .number(JSONValue.Number(wait)), "receive": .number(JSONValue.Number(receive))]),
      JSONValue.Member("connection", .string(String(entry.connection))),
    ])
    let names = [
      "id", "operation", "n", "api", "plan", "outcome", "applied", "network", "replayOf", "undeclared", "remark",
      "traceparent",
    ]
    for name in names {
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
    let query = target.utf8.firstIndex(of: UInt8(ascii: "?")).map { Array(target.utf8[$0...].dropFirst())[...] }
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

  /// Returns why the client did not get a complete response; nil if it could. The format has no member for it, and tools
  /// read the one that Chrome has made for it.
  private static func failure(_ entry: Entry) -> String? {
    let place = entry.response.map { response in
      response.bytes < response.of
        ? "after \(response.bytes) of \(response.of) bytes of the content" : "before the response was complete"
    }
    let when = place ?? "before any byte of the response"
    guard entry.isHTTP else { return "bytes that are not HTTP instead of a response" }
    if entry.plan?.fault?.action.kind == .badChunk, entry.outcome != .notDeliverable {
      return "the chunked coding of the content is broken"
    }
    switch entry.outcome {
    case .reset: return "connection reset \(when)"
    case .closed: return "connection closed \(when)"
    case .peerGone: return "the client closed the connection \(when)"
    case .cut: return "the server ended the exchange \(when)"
    case .sent, .pending, .notDeliverable, .event: return nil
    }
  }

  /// Returns the response; one that never began has the status 0, as in browsers.
  ///
  /// - Parameters:
  ///   - response: The response as the journal shows it; null if there is none.
  ///   - stored: The number of bytes of its body that the journal has; nil if it has no body.
  private static func response(_ response: JSONValue, stored: Int?) -> JSONValue.Object {
    let headers = response["headers"]?.object ?? JSONValue.Object()
    let status = response["status"]?.int ?? 0
    let mediaType = value("content-type", in: headers) ?? (status == 0 ? "x-unknown" : "")
    let isBegun = status > 0
    var content = JSONValue.Object([
      JSONValue.Member("size", response["of"] ?? 0), JSONValue.Member("mimeType", .string(mediaType)),
    ])
    content["text"] = response["body"]
    content["comment"] = comment(sent: response["bytes"]?.int ?? 0, stored: stored, mediaType).map { .string($0) }
    let members = JSONValue.Object([
      JSONValue.Member("status", .int(status)),
      JSONValue.Member("statusText", .string(isBegun ? ReasonPhrase.of(status) : "")),
      JSONValue.Member("httpVersion", .string(isBegun ? "HTTP/1.1" : "")),
      JSONValue.Member("cookies", []),
      JSONValue.Member("headers", list(headers)),
      JSONValue.Member("content", .object(content)),
      JSONValue.Member("redirectURL", .string(value("location", in: headers) ?? "")),
      JSONValue.Member("headersSize", -1),
      JSONValue.Member("bodySize", isBegun ? response["bytes"] ?? 0 : -1),
    ])
    return members
  }

  /// Returns what the archive lacks of the content, if a reader could take it for whole.
  private static func comment(sent: Int, stored: Int?, _ mediaType: String) -> String? {
    guard let stored else {
      return mediaType.hasPrefix("image/") && sent > 0 ? "The journal does not keep pictures." : nil
    }
    return stored < sent ? "The journal has the first \(stored) of the \(sent) bytes that were sent." : nil
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
  mutating func appendList<Item>(of entries: [Item], _ json: (Item) -> JSONValue) {
    append(UInt8(ascii: "["))
    for (index, entry) in entries.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      json(entry).write(to: &self)
    }
    append(UInt8(ascii: "]"))
  }
}
