package import JSON

/// The problems of the operations. Each is worded once, for the response and for its example in the document.
extension Problem {
  package static func unknownDevice(_ id: String) -> Problem {
    Problem(404, "unknown-device", "There is no such device", "No device has the id \(JSONValue.string(id).text).")
  }

  package static func unknownActivity(_ id: String) -> Problem {
    Problem(404, "unknown-activity", "There is no such call", "No call has the id \(JSONValue.string(id).text).")
  }

  package static func unknownRoom(_ name: String) -> Problem {
    Problem(404, "unknown-room", "There is no such room", "No room has the name \(JSONValue.string(name).text).")
  }

  package static func unknownFixture(_ fixture: String, in room: String) -> Problem {
    Problem(
      404, "unknown-fixture", "There is no such fixture",
      "The room \(JSONValue.string(room).text) has no fixture \(JSONValue.string(fixture).text).")
  }

  package static func fullRoom(_ name: String) -> Problem {
    Problem(409, "room-full", "The room is full", "There is no free spot in the room \(JSONValue.string(name).text).")
  }

  package static let preconditionFailed = Problem(
    412, "precondition-failed", "A precondition does not hold",
    "The resource is not in the state that If-Match or If-None-Match requires. Read it again, then decide.")

  package static let noEntityTag = Problem(
    412, "precondition-failed", "A precondition does not hold",
    "The resource of this request has no entity tag, so If-Match matches nothing. Send the request without If-Match.")
}

/// The problems of idempotency keys.
extension Problem {
  package static func mismatchedKey(_ key: String) -> Problem {
    Problem(
      422, "idempotency-key-reused", "The idempotency key was used before",
      "Idempotency-Key \(key) was used before with another body. Use a new key for a new request.")
  }

  package static func keyInFlight(_ key: String) -> Problem {
    Problem(
      409, "idempotency-key-in-flight", "The idempotency key is in use",
      "A request with Idempotency-Key \(key) is in progress. Try again later.")
  }

  package static let resetMeanwhile = Problem(
    409, "reset-meanwhile", "The sandbox was reset",
    "The request waited while its sandbox was reset, so nothing was done. Send it again if it is still wanted.")
}

/// The problems of the control API, and of every request.
extension Problem {
  /// - Parameter advice: A sentence about a path that the real service had.
  package static func unknownPath(_ path: String, advice: String? = nil) -> Problem {
    Problem(
      404, "unknown-path", "There is nothing at this path",
      "No operation has the path \(path); \(advice ?? "see /openapi.yaml.")")
  }

  package static func unknownSandbox(_ name: String) -> Problem {
    let apis = API.all.map(\.name)
    let isPossible = Schema.Format.isLabel(name) && !apis.contains(name)
    let meant = Spelling.nearest(to: name, among: apis).map { " If you mean the API, its name is \($0)." } ?? ""
    let advice =
      isPossible
      ? "Make it with POST /_mock/sandboxes and the body {\"name\": \"\(name)\"}.\(meant)"
      : "The name is not allowed: a sandbox's name is \(Schema.Format.label.expectation), and not the name of an API."
    return Problem(
      404, "unknown-sandbox", "There is no such sandbox",
      "No sandbox is called \(JSONValue.string(name).text). \(advice)"
    ).ofServer
  }

  package static let defaultSandbox = Problem(
    409, "default-sandbox", "The default sandbox cannot be deleted", "Reset it with POST /_mock/reset instead.")

  package static func noPortToRefuse(_ sandbox: String) -> Problem {
    Problem(
      409, "no-own-port", "The sandbox has no port of its own",
      "To refuse connections, the server closes the sandbox's own port, but the sandbox «\(sandbox)» has none. "
        + "Create it with \"port\": 0 and use its url, or go offline as reset or silence.")
  }

  /// Returns the problem of a patch of the network switch whose members contradict its state.
  package static func networkConflict(_ detail: String) -> Problem {
    Problem(409, "network-conflict", "The request contradicts the state of the network", detail)
  }

  package static func unavailablePort(_ port: Int, _ reason: String) -> Problem {
    Problem(
      409, "port-unavailable", "The port is not available",
      "The server cannot listen on port \(port): "
        + "\(reason).")
  }

  package static func requestNotSent(to port: Int, _ reason: String) -> Problem {
    Problem(
      502, "request-not-sent", "The request was not sent", "No connection to port \(port) could be made: \(reason).")
  }

  package static func takenName(_ name: String) -> Problem {
    Problem(409, "sandbox-exists", "The name is taken", "There is already a sandbox called «\(name)».")
  }

  package static func tooManySandboxes(_ capacity: Int) -> Problem {
    Problem(
      507, "too-many-sandboxes", "There are too many sandboxes",
      "There are already \(capacity) sandboxes. Delete some, or make them with a ttl.")
  }

  package static func malformedSnapshotName(_ name: String) -> Problem {
    Problem(
      400, "malformed-name", "The name is malformed",
      "A snapshot's name is \(Schema.Format.label.expectation); found \(JSONValue.string(name).text).")
  }

  package static func unknownSnapshot(_ name: String) -> Problem {
    Problem(
      404, "unknown-snapshot", "There is no such snapshot",
      "The sandbox has no snapshot called \(JSONValue.string(name).text). Take it with PUT /_mock/snapshots/{name}.")
  }

  package static func tooManyFaults(_ capacity: Int) -> Problem {
    Problem(
      507, "too-many-faults", "There are too many faults by hand",
      "There are already \(capacity) faults by hand. Remove some: DELETE /_mock/faults removes all of them.")
  }

  package static func unknownFault(_ id: String) -> Problem {
    Problem(
      404, "unknown-fault", "There is no such fault",
      "No fault by hand has the id \(JSONValue.string(id).text). GET /_mock/faults lists those that are armed.")
  }

  /// - Parameter reason: The sentence that says why no operation has the name.
  package static func unknownOperation(_ name: String, _ reason: String) -> Problem {
    Problem(
      404, "unknown-operation", "There is no such operation",
      "No operation of these requests is called \(JSONValue.string(name).text): \(reason).")
  }

  package static func tooManySnapshots(_ capacity: Int) -> Problem {
    Problem(
      507, "too-many-snapshots", "There are too many snapshots",
      "The sandbox already has \(capacity) snapshots. Use the name of one of them.")
  }

  package static func parameter(_ name: String, _ detail: String) -> Problem {
    Problem(400, "parameter", "A parameter is wrong", "\(name): \(detail).")
  }

  /// Returns the problem of a change that could not be stored.
  ///
  /// - Parameter reason: The disk's error, if known.
  package static func notStored(_ reason: String?) -> Problem {
    Problem(
      507, "not-kept", "The change could not be stored",
      "The disk with the server's state could not store the change\(reason.map { ": " + $0 } ?? ""). "
        + "Nothing was done; reads still work.")
  }

  package static func injected(_ status: Int) -> Problem {
    Problem(
      status, "injected", "An injected failure",
      "This \(status) was requested by a scenario or by Prefer. The request is correct.")
  }
}

/// The problems of requests that end before an operation is selected.
extension Problem {
  package static func unknownCoding(_ codings: String) -> Problem {
    Problem(
      415, "unknown-content-coding", "The content has a coding",
      "Content-Encoding is «\(codings)», but this server accepts only content without a coding.")
  }

  package static func foreignOrigin(_ origin: String) -> Problem {
    Problem(
      403, "foreign-origin", "Pages of other sites must not use the control API",
      "Origin is «\(origin)», which is not this server's own.")
  }

  package static let unauthorized = Problem(
    401, "unauthorized", "The control API requires a token", "Send the server's --admin-token as Authorization: Bearer."
  )

  package static let timeout = Problem(
    408, "request-timeout", "Request Timeout", "The request did not arrive completely in time."
  ).ofServer

  package static let tooMuchContent = Problem(
    503, "too-much-content", "Too much content is arriving",
    "The requests that are arriving or waiting on all connections take too much memory, and this one is among the longest. "
      + "Send it again."
  ).ofServer

  /// The problems of the HTTP/1.1 parser, as the document's examples for each status.
  package static let malformed = Problem(
    400, "malformed-request", "Bad Request", "There is more than one Host field. (RFC 9112 3.2)")
  package static let contentTooLarge = Problem(
    413, "content-too-large", "Content Too Large",
    "The content is larger than 1 MiB, the maximum of this server. (RFC 9110 15.5.14)")
  package static let targetTooLong = Problem(
    414, "target-too-long", "URI Too Long", "The request line is too long. (RFC 9112 3)")
  package static let expectationFailed = Problem(
    417, "expectation-failed", "Expectation Failed",
    "The server supports only the expectation 100-continue. (RFC 9110 10.1.1)")
  package static let fieldsTooLarge = Problem(
    431, "fields-too-large", "Request Header Fields Too Large",
    "The header or trailer fields are too large in total. (RFC 6585 5)")

  /// Returns the problem of a value that violates a schema.
  package static func refusal(of value: JSONValue, by schema: Schema) -> Problem {
    let violations = schema.violations(in: value)
    precondition(!violations.isEmpty, "the example of a violation conforms to its schema")
    return .invalid(violations)
  }
}

extension Problem {
  /// Returns the document in the error shape of an API.
  package func document(instance: String, _ shape: API.ErrorShape) -> JSONValue {
    var members = members(instance: instance)
    switch shape {
    case .problem: break
    case .problemWithMessage: members["message"] = members["detail"]
    case .unsuccessfulProblem: members.members.insert(JSONValue.Member("success", false), at: 0)
    case .emptyObject where isOfServer: break
    case .emptyObject: return [:]
    }
    return .object(members)
  }
}
