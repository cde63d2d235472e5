import HTTP1
import JSON
import Report
import Understudy

extension BaseURL {
  /// Parses the URL of a server, or of one of its sandboxes.
  ///
  /// - Parameter flag: The option whose value it is.
  init(_ text: String, of flag: String) throws(UsageError) {
    do throws(Defect) {
      try self.init(text)
    } catch {
      throw UsageError("\(flag) \(error.description)")
    }
    guard !isEncrypted else {
      throw UsageError(
        "\(flag) \(text): https is not supported; a tunnel such as stunnel or kubectl port-forward gives an http address"
      )
    }
    let segments = path.split(separator: "/")
    let labels = segments.prefix { $0 != "_mock" }
    guard labels.count == segments.count else {
      let url = "http://\(authority)" + labels.map { "/\($0)" }.joined()
      throw UsageError("\(flag) \(text): expected the URL of a server or a sandbox, without /_mock: \(url)")
    }
  }
}

/// The report cards of a running server.
struct ServerReport {
  let url: BaseURL
  let token: String?
  /// True if no more requests will come.
  let isFinal: Bool

  /// Returns the card of the URL's sandbox, or those of all sandboxes.
  ///
  /// - Throws: `CallFailure` if the server gives none, `ReportFileError` if what it gives is no card.
  func runs() throws -> [ReportRun] {
    guard url.path.isEmpty else { return try runs(at: url.path) }
    let list = try JSONValue(parsing: get("/_mock/sandboxes"))["sandboxes"]?.array ?? []
    return try list.compactMap { $0["name"]?.string }.flatMap { try runs(at: $0 == "default" ? "" : "/@\($0)") }
  }

  private func runs(at path: String) throws -> [ReportRun] {
    let content = try get("\(path)/_mock/report?format=json&final=\(isFinal)")
    return try ReportRun.read(content, of: "http://\(url.authority)\(path)")
  }

  /// Returns the content of a response.
  private func get(_ target: String) throws(CallFailure) -> [UInt8] {
    var fields = ["Host: \(url.authority)", "Accept: application/json"]
    if let token { fields.append("Authorization: Bearer \(token)") }
    let call = ServerCall("GET", target, at: url.host, port: url.port, fields: fields)
    let response: ReceivedResponse
    do throws(ServerCall.Failure) {
      response = try call.response(within: .seconds(60), atMost: 64 << 20)
    } catch {
      throw CallFailure(error, at: url.authority)
    }
    guard response.status == 200 else { throw refusal(response) }
    return response.content
  }

  private func refusal(_ response: ReceivedResponse) -> CallFailure {
    let reason = response.head.reason.map(response.head.text) ?? ""
    let sentence = (try? JSONValue(parsing: response.content))?["detail"]?.string
    let detail = sentence.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
    let hint = response.status == 401 ? "; give the token by --admin-token or UNDERSTUDY_ADMIN_TOKEN" : ""
    return CallFailure(
      "the server at \(url.authority) answered \(response.status)" + (reason.isEmpty ? "" : " \(reason)")
        + (detail.map { ": \($0)" } ?? "") + hint)
  }
}
