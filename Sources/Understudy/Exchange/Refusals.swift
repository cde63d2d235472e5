import Contract
import HTTP1

extension Problem {
  static func twoLabels(_ conflict: Labels.Conflict) -> Problem {
    Problem(
      400, "two-labels", "Two labels of one kind",
      "The request names «\(conflict.first)» and «\(conflict.second)»; name one API and one sandbox at most, each once."
    ).ofServer
  }

  /// Returns the problem of a malformed request.
  static func rejected(_ rejection: Rejection) -> Problem {
    let detail = "\(rejection.reason) (\(rejection.section))"
    return Problem(rejection.status, rejection.kind, ReasonPhrase.of(rejection.status), detail).ofServer
  }

  static let malformedKey = Problem(
    400, "idempotency-key-malformed", "The idempotency key is malformed",
    "Idempotency-Key takes 1 to 255 characters, and one value.")
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
