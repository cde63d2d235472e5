import Contract
import HTTP1
import Primitives
import Services

extension Problem {
  static func twoLabels(_ conflict: Labels.Conflict) -> Problem {
    Problem(
      400, "two-labels", "The request has two labels of one kind",
      "The request names «\(conflict.first)» and «\(conflict.second)»; name at most one API and one sandbox, each once."
    ).ofServer
  }

  /// Returns the problem of a malformed request.
  static func rejected(_ rejection: Rejection) -> Problem {
    let detail = "\(rejection.reason) (\(rejection.section))"
    return Problem(rejection.status, rejection.kind, ReasonPhrase.of(rejection.status), detail).ofServer
  }

  static let malformedKey = Problem(
    400, "idempotency-key-malformed", "The idempotency key is malformed",
    "Idempotency-Key must have one value of 1 to 255 characters.")
}

extension Response {
  /// The refusal of a request for which there is no room.
  static let requestsTooLong: Response = {
    var response = Response.problem(.tooMuchContent)
    response.fields.append(ResponseField("Retry-After", "1"))
    return response
  }()

  static func methodNotAllowed(_ status: Int, _ method: String, _ allowed: String) -> Response {
    let name = method.uppercased()
    let isMisspelt = name != method && (Method(rawValue: name) != nil || Method.registeredElsewhere.contains(name))
    let advice = isMisspelt ? " Methods are case-sensitive: write \(name)." : ""
    let problem =
      status == 501
      ? Problem(501, "unknown-method", "The method is unknown", "No operation has the method \(method).\(advice)")
      : Problem(405, "method-not-allowed", "The method is not allowed here", "\(method) is not one of \(allowed).")
    var response = Response.problem(problem)
    response.fields.append(ResponseField("Allow", allowed))
    return response
  }

  static func options(allowing methods: String) -> Response {
    Response(204, fields: [ResponseField("Allow", methods)])
  }
}
