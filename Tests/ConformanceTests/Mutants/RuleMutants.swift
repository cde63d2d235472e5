import Foundation
import JSON

extension Mutant {
  /// Defects made by rule, each of which spoils the responses of a whole server in one way.
  ///
  /// The catcher is empty: they are there to prove that each check finds at least one of them. Sandboxes are made and deleted
  /// as usual, because the judge would not begin without them.
  static let byRule: [Mutant] = [
    everywhere("no body") { _, answer in answer.text = "" },
    everywhere("no fields") { _, answer in answer.fields.removeAll { $0.name.lowercased() != "content-length" } },
    everywhere("another success") { _, answer in if (200..<300).contains(answer.status) { answer.status = 299 } },
    everywhere("another refusal") { _, answer in if answer.status >= 300 { answer.status = 418 } },
    everywhere("success for a refusal") { _, answer in
      if answer.status >= 300 { (answer.status, answer.text) = (200, "{}") }
    },
    everywhere("a refusal for a success") { _, answer in
      if answer.status < 300 { (answer.status, answer.text) = (500, "") }
    },
    everywhere("other numbers") { _, answer in
      answer.text = answer.text.replacing(/-?\d+(\.\d+)?/) { "7\($0.0)" }
    },
    everywhere("other texts") { _, answer in answer.text = answer.text.replacing(/:"([^"]*)"/) { ":\"x\($0.1)\"" } },
    everywhere("other flags") { _, answer in
      answer.text = answer.text.replacing(/true|false/) { $0.0 == "true" ? "false" : "true" }
    },
    everywhere("members in another order") { _, answer in
      guard let json = try? JSONValue(parsing: answer.body) else { return }
      answer.text = json.reversed.text
    },
    everywhere("another length of HEAD") { request, answer in
      if request.method == "HEAD", let length = answer["Content-Length"].flatMap({ Int($0) }) {
        answer["Content-Length"] = "\(length + 1)"
      }
    },
    everywhere("another media type") { _, answer in answer["Content-Type"] = "text/plain" },
    everywhere("another tag each time") { _, answer in
      if answer["ETag"] != nil { answer["ETag"] = "\"\(UInt64.random(in: 0 ... .max))\"" }
    },
    Mutant(name: "no preconditions", catcher: "") { request, forward in
      var changed = request
      for name in ["If-Match", "If-None-Match"] { changed[name] = nil }
      return forward(changed)
    },
    Mutant(name: "412 that writes all the same", catcher: "") { request, forward in
      let answer = forward(request)
      guard answer.status == 412 else { return answer }
      var changed = request
      changed["If-Match"] = nil
      _ = forward(changed)
      return answer
    },
    Mutant(name: "writes that do nothing", catcher: "") { request, forward in
      let isWrite = !["GET", "HEAD", "OPTIONS"].contains(request.method) || request.path.hasSuffix("/on")
      return isWrite && !request.isOfJudge ? Message("HTTP/1.1 200 OK", body: "{}") : forward(request)
    },
    Mutant(name: "writes that are done twice", catcher: "") { request, forward in
      let isWrite = !["GET", "HEAD", "OPTIONS"].contains(request.method) || request.query.contains("name=")
      if isWrite, !request.isOfJudge { _ = forward(request) }
      return forward(request)
    },
    Mutant(name: "no keys and no queries", catcher: "") { request, forward in
      var changed = request
      changed["Idempotency-Key"] = nil
      if !request.isOfJudge { changed.startLine = changed.startLine.replacing("?\(request.query) ", with: " ") }
      return forward(changed)
    },
    Mutant(name: "one sandbox for all", catcher: "") { request, forward in
      var changed = request
      if !request.isOfJudge { changed["Understudy-Sandbox"] = nil }
      return forward(changed)
    },
    Mutant(name: "no Origin", catcher: "") { request, forward in
      var changed = request
      (changed["Origin"], changed["Access-Control-Request-Method"]) = (nil, nil)
      return forward(changed)
    },
    Mutant(
      name: "nonsense is welcome", catcher: "", closesAfterAnswer: true,
      answerToNonsense: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
    Mutant(name: "nonsense is not answered", catcher: "", answerToNonsense: ""),
  ]

  private static func everywhere(
    _ name: String, _ change: @escaping @Sendable (_ request: Message, _ answer: inout Message) -> Void
  ) -> Mutant {
    answering(name, caughtBy: "") { request, answer in if !request.isOfJudge { change(request, &answer) } }
  }
}

extension Message {
  /// True if the judge needs the response for its own work: it makes and deletes sandboxes.
  fileprivate var isOfJudge: Bool {
    path.hasPrefix("/_mock/sandboxes") && (method == "POST" || method == "DELETE") || path == "/_mock/health"
  }
}

extension JSONValue {
  /// The same value with the members of each object in the opposite order.
  fileprivate var reversed: JSONValue {
    switch self {
    case .object(let object):
      .object(JSONValue.Object(object.members.reversed().map { JSONValue.Member($0.name, $0.value.reversed) }))
    case .array(let elements): .array(elements.map(\.reversed))
    default: self
    }
  }
}
