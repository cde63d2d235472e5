import Contract
import JSON
import Primitives

/// A readable route, and the checks that hold for every such route.
struct Route {
  let operation: Contract.Operation
  /// The path, with the prefix of the API's own origin if it needs one.
  let path: String
  /// The path as declared in the contract, with example values.
  let plain: String
  /// The methods of all operations on this path.
  let declaredMethods: Set<String>
  let session: Session

  var prefix: String { String(path.dropLast(plain.count)) }

  /// Returns nil for a stream, which never ends, and for a path that is served only on an API's own origin, if that is
  /// unknown.
  init?(_ operation: Contract.Operation, of api: API, by session: Session) {
    if operation.semantics.isStream { return nil }
    let plain = operation.path.segments.map { segment -> String in
      switch segment {
      case .literal(let text): return "/" + text
      case .variable(let name):
        let example = operation.documentation.parameters.first { $0.name == name }?.example?.value
        return "/" + (example?.string ?? example?.text ?? name)
      }
    }.joined()
    guard let path = operation.semantics.isMerged ? plain : try? session.own(api.name, plain) else { return nil }
    self.operation = operation
    self.path = path
    self.plain = plain
    let siblings = api.operations.filter { $0.path.segments == operation.path.segments }
    declaredMethods = Set(siblings.map(\.method.rawValue))
    self.session = session
  }

  /// The readable operations that the real services did not have, or had at another path.
  static let beyondServices: Set = [
    "getDevice", "getHouseState", "getWeatherHot", "listBookingRoomsByBrief", "askToBook", "getRoomImage",
  ]

  /// Fields that may differ between two otherwise equal responses.
  private static let volatile: Set<String> = ["date", "understudy-request", "server-timing", "age"]

  func comparesHead() throws(EarlyEnd) {
    try unlessReplaced { _ throws(EarlyEnd) in try comparesHeadOnce() }
  }

  private func comparesHeadOnce() throws(EarlyEnd) {
    let get = try session.get(path).expect(200)
    let connection = try session.connect()
    try connection.send(session.request("HEAD", path, ["Connection: close"]))
    let head = try connection.answer(to: "HEAD \(path)").expect(200)
    let ignored = Self.volatile.union(["connection"])
    let names = Set(get.fields.map(\.name) + head.fields.map(\.name)).subtracting(ignored)
    for name in names.sorted() {
      try require(head[name] == get[name], get.describe(name), found: head.describe(name))
    }
    let end = connection.end()
    try require(end == .finished(""), "no byte after the head of HEAD \(path)", found: "\(end)")
  }

  func refusesMethods() throws(EarlyEnd) {
    guard let method = ["PUT", "POST", "DELETE"].first(where: { !declaredMethods.contains($0) }) else { return }
    let answer = try session.ask(method, path, body: "{}")
    let allowed = try answer.expect(405).field("Allow").split(separator: ",").map { $0.filter { $0 != " " } }
    try require(
      allowed.contains("GET") && !allowed.contains(method), "Allow with GET and without \(method)",
      found: answer.describe("Allow"))
  }

  func answersOptions() throws(EarlyEnd) {
    let answer = try session.ask("OPTIONS", path).expect(204)
    let allowed = try answer.field("Allow")
    try require(
      ["GET", "HEAD", "OPTIONS"].allSatisfy(allowed.contains), "Allow with GET, HEAD and OPTIONS",
      found: answer.describe("Allow"))
  }

  private static let origin = "http://localhost:3000"
  private static let page = "Origin: " + origin

  func opensToPages() throws(EarlyEnd) {
    try session.get(path).expect("Access-Control-Allow-Origin", "*")
    let answers = [try session.get(path, Self.page), try session.get("\(path)/no/such/path", Self.page)]
    for answer in answers {
      try Self.expectOpen(answer)
      let exposed = try answer.field("Access-Control-Expose-Headers").lowercased()
      for field in ["ETag", "Link", "Location", "X-Total-Count", "Retry-After", "RateLimit"] {
        try require(
          exposed.contains(field.lowercased()), "Access-Control-Expose-Headers with \(field)",
          found: answer.describe("Access-Control-Expose-Headers"))
      }
    }
  }

  func staysInert() throws(EarlyEnd) {
    let path = "\(path)/%3Cscript%3E"
    for answer in [
      try session.get(self.path), try session.get(path), try session.ask("BREW", path),
      try session.ask("OPTIONS", path),
    ] {
      try answer.expectInert()
    }
  }

  /// Expects that a page may read the response, credentials included; `*` does not allow that (Fetch standard, 3.2.5).
  private static func expectOpen(_ answer: Answer) throws(EarlyEnd) {
    try answer.expect("Access-Control-Allow-Origin", origin)
    try answer.expect("Access-Control-Allow-Credentials", "true")
    let vary = try answer.field("Vary").lowercased().split(separator: ",").map { $0.filter { $0 != " " } }
    try require(vary.contains("origin"), "Vary with Origin", found: answer.describe("Vary"))
  }

  func letsPreflightsThrough() throws(EarlyEnd) {
    let answer = try session.ask(
      "OPTIONS", path, Self.page, "Access-Control-Request-Method: GET",
      "Access-Control-Request-Headers: content-type,idempotency-key")
    try require((200..<300).contains(answer.status), "a status of success", found: answer.evidence)
    try Self.expectOpen(answer)
    let methods = try answer.field("Access-Control-Allow-Methods")
    try require(methods.contains("GET"), "Access-Control-Allow-Methods with GET", found: methods)
    let fields = try answer.field("Access-Control-Allow-Headers").lowercased()
    try require(
      fields.contains("content-type") && fields.contains("idempotency-key"),
      "Access-Control-Allow-Headers with the requested fields", found: fields)
  }

  func isSame(as other: String) throws(EarlyEnd) {
    let first = try session.get(path).expect(200).expect(ownOf: path, by: session)
    let answer = try session.get(other).expect(200)
    // Some representations change with time (the weather does every minute), so a change in between is possible.
    if answer.body != first.body { try answer.expect(body: try session.get(path).expect(200).body) }
  }

  private func tag() throws(EarlyEnd) -> String {
    let answer = try session.get(path).expect(200)
    return operation.caching.validator == .none ? "" : try answer.field("ETag")
  }

  /// Runs the check with the current tag, and once more if the tag has changed since: the weather's tag changes every
  /// minute.
  private func unlessReplaced(_ check: (String) throws(EarlyEnd) -> Void) throws(EarlyEnd) {
    let before = try tag()
    do {
      try check(before)
    } catch {
      let after = try tag()
      if after == before { throw error }
      try check(after)
    }
  }

  private func opaque(_ tag: String) -> String { tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag }

  private func expects304(_ conditions: [String], _ tag: String) throws(EarlyEnd) {
    let fields = conditions.map { "If-None-Match: \($0)" }
    let answer = try session.exchange("GET", path, fields, body: nil)
    try require(
      answer.status == 304, "304 to If-None-Match: \(conditions.joined(separator: ", then "))", found: answer.evidence)
    try require(answer["ETag"].map(opaque) == opaque(tag), "ETag: \(tag)", found: answer.describe("ETag"))
  }

  func takesLists() throws(EarlyEnd) {
    guard operation.caching.validator != .none else { return }
    try unlessReplaced { tag throws(EarlyEnd) in
      for conditions in [[tag], ["\"x\", \(tag)"], ["\"a,b\" , , \(tag)"], ["*"], ["\"x\"", tag]] {
        try expects304(conditions, tag)
      }
    }
    let other = try session.get(path, "If-None-Match: \"x\"").expect(200)
    try require(!other.body.isEmpty, "the whole body if no tag matches", found: other.evidence)
  }

  func comparesTags() throws(EarlyEnd) {
    guard operation.caching.validator != .none else { return }
    try unlessReplaced { tag throws(EarlyEnd) in
      try expects304([opaque(tag)], tag)
      try expects304(["W/" + opaque(tag)], tag)
      try session.get(path, "If-Match: W/\(opaque(tag))").expect(412)
      try session.get(path, "If-Match: \(tag)").expect(operation.caching.validator == .strong ? 200 : 412)
    }
    try session.get(path, "If-Match: *").expect(200)
  }

  func keepsItsTag() throws(EarlyEnd) {
    guard operation.caching.validator != .none else { return }
    try unlessReplaced { tag throws(EarlyEnd) in
      let isWeak = tag.hasPrefix("W/")
      try require(
        isWeak == (operation.caching.validator == .weak) && opaque(tag).hasPrefix("\"") && tag.hasSuffix("\""),
        operation.caching.validator == .weak ? "a weak tag" : "a strong tag", found: tag)
      let again = try self.tag()
      try require(again == tag, "ETag: \(tag) again", found: again)
    }
  }
}
