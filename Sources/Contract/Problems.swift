package import JSON

/// The problems that the operations declare, each worded once: for the reply and for the document's example of it.
extension Problem {
  package static func unknownDevice(_ id: String) -> Problem {
    Problem(404, "unknown-device", "There is no such device", "No device has the id \(JSON.string(id).text).")
  }

  package static func unknownActivity(_ id: String) -> Problem {
    Problem(404, "unknown-activity", "There is no such call", "No call has the id \(JSON.string(id).text).")
  }

  package static func unknownRoom(_ name: String) -> Problem {
    Problem(404, "unknown-room", "There is no such room", "No room has the name \(JSON.string(name).text).")
  }

  package static func unknownFixture(_ fixture: String, in room: String) -> Problem {
    Problem(
      404, "unknown-fixture", "There is no such fixture",
      "The room \(JSON.string(room).text) has no fixture \(JSON.string(fixture).text).")
  }

  package static func fullRoom(_ name: String) -> Problem {
    Problem(409, "room-full", "The room is full", "No spot is left in the room \(JSON.string(name).text).")
  }

  package static let preconditionFailed = Problem(
    412, "precondition-failed", "A precondition does not hold",
    "The resource is in another state than If-Match or If-None-Match asks for; read it again and decide anew.")

  package static let noEntityTag = Problem(
    412, "precondition-failed", "A precondition does not hold",
    "What this request changes has no entity tag, so If-Match names nothing that stands; leave If-Match out.")
}

/// Those of idempotency keys.
extension Problem {
  package static func mismatchedKey(_ key: String) -> Problem {
    Problem(
      422, "idempotency-key-reused", "The idempotency key was used before",
      "Idempotency-Key \(key) came with another body before; a new request needs a new key.")
  }

  package static func keyInFlight(_ key: String) -> Problem {
    Problem(
      409, "idempotency-key-in-flight", "The idempotency key is in use",
      "A request with Idempotency-Key \(key) is under way and not applied yet; try again later.")
  }
}

/// Those of the control API, and of every request.
extension Problem {
  package static func unknownPath(_ path: String) -> Problem {
    Problem(404, "unknown-path", "There is nothing at this path", "No operation stands at \(path); see /openapi.yaml.")
  }

  package static func unknownSandbox(_ name: String) -> Problem {
    let isPossible = Schema.Format.isLabel(name) && !API.all.contains { $0.name == name }
    let advice =
      isPossible
      ? "Make it with POST /_mock/sandboxes and the body {\"name\": \"\(name)\"}."
      : "Nor can one be: a sandbox's name is \(Schema.Format.label.expectation), and no API's name."
    return Problem(
      404, "unknown-sandbox", "There is no such sandbox", "No sandbox is called \(JSON.string(name).text). \(advice)"
    ).ofServer
  }

  package static let defaultSandbox = Problem(
    409, "default-sandbox", "The default sandbox stays", "Reset it with POST /_mock/reset instead.")

  package static func noPortToRefuse(_ sandbox: String) -> Problem {
    Problem(
      409, "no-own-port", "The sandbox has no port of its own",
      "Connections are refused by closing a sandbox's own port, and the sandbox «\(sandbox)» has none. "
        + "Make it with \"port\": 0 and use its url, or go offline as reset or silence.")
  }

  package static func unavailablePort(_ port: Int, _ reason: String) -> Problem {
    Problem(409, "port-unavailable", "The port cannot be had", "Port \(port) cannot be listened at: \(reason).")
  }

  package static func takenName(_ name: String) -> Problem {
    Problem(409, "sandbox-exists", "The name is taken", "A sandbox is called «\(name)» already.")
  }

  package static func tooManySandboxes(_ capacity: Int) -> Problem {
    Problem(
      507, "too-many-sandboxes", "There are too many sandboxes",
      "There are \(capacity) sandboxes; delete some, or give them a ttl.")
  }

  package static func malformedSnapshotName(_ name: String) -> Problem {
    Problem(
      400, "malformed-name", "The name is malformed",
      "A snapshot's name is \(Schema.Format.label.expectation); found \(JSON.string(name).text).")
  }

  package static func unknownSnapshot(_ name: String) -> Problem {
    Problem(
      404, "unknown-snapshot", "There is no such snapshot",
      "The sandbox has no snapshot called \(JSON.string(name).text). Take it with PUT /_mock/snapshots/{name}.")
  }

  package static func tooManySnapshots(_ capacity: Int) -> Problem {
    Problem(
      507, "too-many-snapshots", "There are too many snapshots",
      "The sandbox keeps \(capacity) snapshots already; take one of their names.")
  }

  package static func parameter(_ name: String, _ detail: String) -> Problem {
    Problem(400, "parameter", "A parameter is wrong", "\(name): \(detail).")
  }

  /// - Parameter reason: What the disk said, as far as it said something.
  package static func notKept(_ reason: String?) -> Problem {
    Problem(
      507, "not-kept", "The change could not be kept",
      "The server keeps its state on a disk that did not take the change\(reason.map { ": " + $0 } ?? ""). "
        + "Nothing was done; reads go on.")
  }

  package static func injected(_ status: Int) -> Problem {
    Problem(
      status, "injected", "An injected failure",
      "This \(status) was asked for, by a scenario or by Prefer; nothing is wrong with the request.")
  }
}

/// Those that end a request before an operation is asked.
extension Problem {
  package static func unknownCoding(_ codings: String) -> Problem {
    Problem(
      415, "unknown-content-coding", "The content is coded",
      "Content-Encoding is «\(codings)»; bodies are taken as they are, without a coding.")
  }

  package static func foreignOrigin(_ origin: String) -> Problem {
    Problem(
      403, "foreign-origin", "Other sites' pages may not use the control API",
      "Origin is «\(origin)», which is not this server's own.")
  }

  package static let unauthorized = Problem(
    401, "unauthorized", "The control API wants a token", "Send the server's --admin-token as Authorization: Bearer.")

  package static let timeout = Problem(
    408, "request-timeout", "Request Timeout", "The request did not come to its end in time."
  ).ofServer

  /// The answers of the HTTP/1.1 parser, as the document's examples for each status.
  static let malformed = Problem(
    400, "malformed-request", "Bad Request", "There is more than one Host field. (RFC 9112 3.2)")
  static let contentTooLarge = Problem(
    413, "content-too-large", "Content Too Large",
    "The content is larger than this server takes, which is 1 MiB. (RFC 9110 15.5.14)")
  static let targetTooLong = Problem(
    414, "target-too-long", "URI Too Long", "The request line is too long. (RFC 9112 3)")
  static let expectationFailed = Problem(
    417, "expectation-failed", "Expectation Failed",
    "The only expectation that can be met is 100-continue. (RFC 9110 10.1.1)")
  static let fieldsTooLarge = Problem(
    431, "fields-too-large", "Request Header Fields Too Large",
    "The header or trailer fields are too large altogether. (RFC 6585 5)")

  /// Returns the refusal of a value that does not fit a schema.
  static func refusal(of value: JSON, by schema: Schema) -> Problem {
    let violations = schema.violations(in: value)
    precondition(!violations.isEmpty, "the example of a refusal fits its schema")
    return .invalid(violations)
  }
}

extension Problem {
  /// The document in the shape that an API's clients can read.
  package func document(instance: String, _ shape: API.ErrorShape) -> JSON {
    var members = members(instance: instance)
    switch shape {
    case .problem: break
    case .problemWithMessage: members["message"] = members["detail"]
    case .unsuccessfulProblem: members.members.insert(JSON.Member("success", false), at: 0)
    case .emptyObject where isOfServer: break
    case .emptyObject: return [:]
    }
    return .object(members)
  }
}
