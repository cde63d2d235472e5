// URLSession, with the session that all programs share.
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct Failure: Error, CustomStringConvertible {
  var description: String
}

/// Sends one request, and returns the response's content. Throws an error for each failure that URLSession tells.
func send(_ method: String, _ url: URL, _ content: String?, _ fields: [String: String]) async throws -> Data {
  var request = URLRequest(url: url)
  request.httpMethod = method
  request.httpBody = content.map { Data($0.utf8) }
  request.allHTTPHeaderFields = fields
  let (data, response) = try await URLSession.shared.data(for: request)
  let status = (response as? HTTPURLResponse)?.statusCode ?? 0
  guard status < 400 else { throw Failure(description: "status \(status)") }
  return data
}

// It lists the rooms, books a spot in two of them, and looks after each booking. A program that met an error tells it,
// waits longer than any Retry-After of the ways, goes on, and ends with 1.
let json = ["Content-Type": "application/json"]
let steps: [(String, String, String, String?, [String: String])] = [
  ("list", "GET", "/rooms.json", nil, [:]),
  ("write", "POST", "/book", #"{"name":"Ljerka"}"#, json),
  ("look", "GET", "/rooms.json", nil, [:]),
  ("write with key", "POST", "/book", #"{"name":"Mina"}"#, json.merging(["Idempotency-Key": "a-booking"]) { $1 }),
  ("look again", "GET", "/rooms.json", nil, [:]),
]
let base = ProcessInfo.processInfo.environment["UNDERSTUDY_URL"] ?? ""
var code: Int32 = 0
for (step, method, path, content, fields) in steps {
  guard let url = URL(string: base + path) else { fatalError("no URL: \(base)\(path)") }
  do {
    let received = try await send(method, url, content, fields)
    print(step, "ok", "\(received.count) bytes", separator: "\t")
  } catch {
    code = 1
    print(step, "error", "\(error)".split(whereSeparator: \.isWhitespace).joined(separator: " "), separator: "\t")
    try await Task.sleep(for: .seconds(1.2))
  }
  fflush(nil)
}
exit(code)
