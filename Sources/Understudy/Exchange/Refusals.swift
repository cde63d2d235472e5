import Contract
import JSON

extension Problem {
  static func twoLabels(_ conflict: Labels.Conflict) -> Problem {
    Problem(
      400, "two-labels", "Two labels of one kind",
      "The request names «\(conflict.first)» and «\(conflict.second)»; name one API and one sandbox at most, each once."
    )
  }

  static func unknownSandbox(_ name: String) -> Problem {
    let isPossible = Schema.Format.isLabel(name) && !API.all.contains { $0.name == name }
    let advice =
      isPossible
      ? "Make it with POST /_mock/sandboxes and the body {\"name\": \"\(name)\"}."
      : "Nor can one be: a sandbox's name is \(Schema.Format.label.expectation), and no API's name."
    return Problem(
      404, "unknown-sandbox", "There is no such sandbox", "No sandbox is called \(JSON.string(name).text). \(advice)")
  }

  static func unknownPath(_ path: String) -> Problem {
    Problem(404, "unknown-path", "There is nothing at this path", "No operation stands at \(path); see /openapi.yaml.")
  }

  static func mismatchedKey(_ key: String) -> Problem {
    Problem(
      422, "idempotency-key-reused", "The idempotency key was used before",
      "Idempotency-Key \(key) came with another body before; a new request needs a new key.")
  }

  static func keyInFlight(_ key: String) -> Problem {
    Problem(
      409, "idempotency-key-in-flight", "The idempotency key is in use",
      "A request with Idempotency-Key \(key) is under way and not applied yet; try again later.")
  }

  static let malformedKey = Problem(
    400, "idempotency-key-malformed", "The idempotency key is malformed",
    "Idempotency-Key takes 1 to 255 characters.")

  static let preconditionFailed = Problem(
    412, "precondition-failed", "A precondition does not hold",
    "The resource is in another state than If-Match or If-None-Match asks for; read it again and decide anew.")
}

extension Reply {
  static func methodNotAllowed(_ status: Int, _ method: String, _ allowed: String) -> Reply {
    let problem =
      status == 501
      ? Problem(501, "unknown-method", "The method is not known here", "\(method) is no method of any operation.")
      : Problem(405, "method-not-allowed", "The method is not allowed here", "\(method) is not among \(allowed).")
    var reply = Reply.problem(problem)
    reply.fields.append(ReplyField("Allow", allowed))
    return reply
  }

  static func options(allowing methods: String) -> Reply {
    Reply(204, fields: [ReplyField("Allow", methods)])
  }
}
