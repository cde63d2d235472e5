import Contract
import HTTP1
import JSON
import Primitives
import Services

@testable import Understudy

/// A small shop behind the application that is judged: paths of which no contract knows anything.
///
/// `/orders` and `/carts` are lists to which POST adds; `/broken` adds, and answers 500. Each
/// other path answers as its name says.
final class VirtualShop: Respondent {
  private let time: VirtualTime
  private let configuration: Upstream.Configuration
  /// True if it carries out one write for one `Idempotency-Key`.
  private let keepsKeys: Bool
  private var lists: [String: [Int]] = [:]
  private var lastID = 0
  private var stored: [String: Answer] = [:]
  private var counts: [String: Int] = [:]

  private struct Answer {
    var status: Int
    var fields: [(name: String, value: String)] = []
    var content = "{}"
    var delay = Duration.milliseconds(1)

    var bytes: [UInt8] {
      var text = "HTTP/1.1 \(status) Any\r\nContent-Type: application/json\r\n"
      for field in fields { text += "\(field.name): \(field.value)\r\n" }
      return Array((text + "Content-Length: \(content.utf8.count)\r\n\r\n" + content).utf8)
    }
  }

  init(_ time: VirtualTime, _ configuration: Upstream.Configuration, keepsKeys: Bool) {
    (self.time, self.configuration, self.keepsKeys) = (time, configuration, keepsKeys)
  }

  func ask(_ question: Question, by loop: any Loop) {
    guard let forwarding = question.forwarding else { preconditionFailure("a forwarded request has a message") }
    let answer = answer(to: String(decoding: forwarding.message, as: UTF8.self))
    let began = time.now
    time.after(answer.delay) { [self] in
      var machine = ClientConnection(
        forwarding.message, isToHead: forwarding.isHead, addressCount: 1, timeout: configuration.timeout, at: began)
      var reading = UpstreamAnswer(
        forwarding, limit: configuration.maximumBody, name: configuration.name, timeout: configuration.timeout)
      while let action = machine.next() {
        if case .connect = action {
          machine.didConnect()
          machine.didSend(machine.request.count)
          machine.receive(
            forwarding.isHead ? Array(answer.bytes.dropLast(answer.content.utf8.count)) : answer.bytes, at: time.now)
        }
        if case .answer(let response) = reading.receive(action, after: NanosecondDuration(from: began, to: time.now)) {
          loop.answer(question.id, with: response)
        }
      }
    }
  }

  func clientLeft(_ question: Int) {}

  private func answer(to message: String) -> Answer {
    let lines = message.split(separator: "\r\n", omittingEmptySubsequences: false)
    let words = lines[0].split(separator: " ")
    let (method, path) = (String(words[0]), String(words[1].prefix { $0 != "?" }))
    let key = lines.first { $0.lowercased().hasPrefix("idempotency-key:") }.map { "\(method) \(path) \($0)" }
    if keepsKeys, let key, let answer = stored[key] { return answer }
    counts[path, default: 0] += 1
    let answer = answer(method, path)
    if let key, answer.status < 300 { stored[key] = answer }
    return answer
  }

  private func answer(_ method: String, _ path: String) -> Answer {
    let parts = path.split(separator: "/").map(String.init)
    let count = counts[path] ?? 0
    switch (method, parts.first ?? "") {
    case ("POST", "orders"), ("POST", "carts"), ("POST", "broken"):
      lastID += 1
      lists[parts[0], default: []].append(lastID)
      return parts[0] == "broken" ? Answer(status: 500) : Answer(status: 201, content: #"{"id": \#(lastID)}"#)
    case ("DELETE", "orders"): return Answer(status: 200)
    case (_, "orders"), (_, "carts"): return Answer(status: 200, content: "\(lists[parts[0]] ?? [])")
    case (_, "private"): return Answer(status: 401)
    case (_, "forbidden"): return Answer(status: 403)
    case (_, "token"): return Answer(status: 200, content: #"{"token": \#(count)}"#)
    case (_, "moved"): return Answer(status: 302, fields: [("Location", path)])
    case (_, "appears"): return Answer(status: count > 6 ? 200 : 404)
    case (_, "jobs"): return Answer(status: 200, content: #"{"job": \#(count)}"#)
    case (_, "poll"): return Answer(status: 200, delay: .milliseconds(900))
    case (_, "typed"): return Answer(status: count > 1 ? 200 : 415)
    case (_, "tagged"): return Answer(status: 200, fields: [("ETag", "\"same\""), ("Vary", "Accept-Language")])
    case (_, "busy"):
      return Answer(
        status: 503, fields: [("Date", Self.date(time, .zero)), ("Retry-After", Self.date(time, .seconds(30)))])
    default: return Answer(status: 200)
    }
  }

  /// Returns a date in the form of RFC 850.
  private static func date(_ time: VirtualTime, _ delay: Duration) -> String {
    let words = HTTPDate.text(time.clocks.instant() + delay).split(separator: " ")
    return "Monday, \(words[1])-\(words[2])-\(words[3].suffix(2)) \(words[4]) GMT"
  }
}
