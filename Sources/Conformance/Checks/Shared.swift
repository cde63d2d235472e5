import Contract
import JSON
import Primitives

extension Check {
  /// Returns the checks that hold for every API, for each readable route.
  static func shared(_ api: API) -> [Check] {
    [
      each(
        api, "head-is-get", "HEAD has the status and the fields of GET, and no body", .ours("RFC 9110 section 9.3.2")
      ) {
        route throws(EarlyEnd) in try route.comparesHead()
      },
      each(
        api, "405-allow", "Another method gets 405, and Allow lists the supported ones",
        .ours("RFC 9110 section 15.5.6")
      ) { route throws(EarlyEnd) in try route.refusesMethods() },
      each(
        api, "options-allow", "The response to OPTIONS is 204 with Allow", .ours("RFC 9110 section 9.3.7; " + silent)
      ) {
        route throws(EarlyEnd) in try route.answersOptions()
      },
      each(
        api, "cors", "Pages of every site may read the response and its fields",
        .ours(Source.article("Every service") + "; " + silent)
      ) {
        route throws(EarlyEnd) in try route.opensToPages()
      },
      each(
        api, "inert",
        "No browser runs a response as a page: its type must not be guessed, and its policy forbids scripts",
        .ours("Content Security Policy Level 3; " + silent)
      ) { route throws(EarlyEnd) in try route.staysInert() },
      each(api, "preflight", "A browser's preflight succeeds with the requested fields", .ours(silent)) {
        route throws(EarlyEnd) in try route.letsPreflightsThrough()
      },
      each(api, "trailing-slash", "A trailing slash changes nothing", .everyService) {
        route throws(EarlyEnd) in try route.isSame(as: route.path + "/")
      },
      each(api, "doubled-slash", "Doubled slashes change nothing", .everyService) {
        route throws(EarlyEnd) in try route.isSame(as: route.prefix + "/" + route.plain.replacingSlashes)
      },
      each(
        api, "etag-lists", "If-None-Match accepts a list of tags and *, on one line or two",
        .ours("RFC 9110 section 13.1.2")
      ) {
        route throws(EarlyEnd) in try route.takesLists()
      },
      each(
        api, "etag-comparison", "If-None-Match compares weakly, If-Match strongly",
        .ours("RFC 9110 section 8.8.3.2")
      ) {
        route throws(EarlyEnd) in try route.comparesTags()
      },
      each(
        api, "etag-stable", "The tag of an unchanged resource stays the same, and is weak or strong as declared",
        .ours(silent)
      ) { route throws(EarlyEnd) in try route.keepsItsTag() },
      unknownPath(api),
    ]
  }

  private static let silent = Source.article("Where the services were silent")

  private static func each(
    _ api: API, _ name: String, _ sentence: String, _ source: Source,
    _ body: @escaping @Sendable (Route) throws(EarlyEnd) -> Void
  ) -> Check {
    // Reading `/reset` and the fixtures changes data that other checks read.
    let operations = api.operations.filter {
      $0.method == .get && !$0.documentation.needsParameter
        && (!$0.semantics.changesState || $0.semantics.changesOnlyWith != nil)
    }
    return Check("\(api.name)-\(name)", in: api.name, sentence + ".", from: source) { session throws(EarlyEnd) in
      var tried = 0
      for operation in operations {
        guard let route = Route(operation, of: api, by: session) else { continue }
        if session.target.judgesServiceOnly, Route.beyondServices.contains(operation.id) { continue }
        try body(route)
        tried += 1
      }
      if tried == 0 { throw .skipped("no route of this API can be reached on this origin") }
    }
  }

  private static func unknownPath(_ api: API) -> Check {
    let isUsers = api.name == "users"
    return Check(
      "\(api.name)-unknown-path", in: api.name, "A path below its routes gets 404 in the API's own error shape.",
      from: isUsers ? .service : .ours(silent)
    ) { session throws(EarlyEnd) in
      let first = api.operations[0].path.text
      let answer = try session.get(first + "/no/such/path").expect(404)
      if isUsers { return _ = try answer.expect(json: [:]) }
      let problem = try answer.json()
      try require(problem["status"]?.int == 404, "a problem whose status is 404", found: answer.evidence)
      switch api.errors {
      case .problemWithMessage:
        try require(problem["message"]?.string != nil, "a message", found: answer.evidence)
      case .unsuccessfulProblem:
        try require(problem["success"] == false, "success: false", found: answer.evidence)
      case .problem, .emptyObject: break
      }
    }
  }
}

extension String {
  /// The path with each slash doubled.
  fileprivate var replacingSlashes: String { split(separator: "/").map { "/" + $0 }.joined(separator: "/") }
}

extension Answer {
  /// Expects that a browser cannot run the response as an active page.
  func expectInert() throws(EarlyEnd) {
    for (name, value) in [
      (PagePolicy.fieldName, PagePolicy.inert), ("X-Content-Type-Options", PagePolicy.contentTypeOptions),
    ] {
      try expect(name, value)
    }
  }
}
