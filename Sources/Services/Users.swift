import Contract
import JSON
import Platform
import Seeds

/// The handlers and state of the users API, which responds to writes but does not store them.
struct UserDirectory: Service {
  static let contract = API.users
  static let seed = SeedFiles.users

  static let handlers = Handlers<UserDirectory>(
    .on("listUsers") { directory, call in directory.list(call) },
    .on("getUser") { directory, call in
      guard let index = directory.indices[call.arguments[0]] else { return .problem(unknown) }
      return Response(200, directory.pages.each[index])
    },
    .on("createUser") { directory, call in
      answer(call) { body in directory.created(body, base: call.base) }
    },
    .on("replaceUser") { directory, call in
      answer(call) { body throws(Problem) in
        guard let user = directory.user(call) else { throw unknown }
        return unstored(body, id: user["id"])
      }
    },
    .on("updateUser") { directory, call in
      answer(call) { body in
        guard var user = directory.user(call) else { return unstored(body, id: body["id"]) }
        let id = user["id"]
        user.apply(body.members)
        return unstored(user, id: id)
      }
    },
    .on("deleteUser") { _, _ in Response(200, nothing) },
    .on("replaceUsers") { _, _ in .problem(notWritable) },
    .on("updateUsers") { _, _ in .problem(notWritable) },
    .on("deleteUsers") { _, _ in .problem(notWritable) },
  )

  /// The representations of users, and the paths into them.
  private struct Pages: Sendable {
    let users: [JSONValue]
    let all: Representation
    let each: [Representation]
    let paths: UserPath.Tree

    init(_ users: [JSONValue]) {
      self.users = users
      all = Representation(.array(users), .indented)
      each = users.map { Representation($0, .indented) }
      paths = UserPath.Tree(of: users)
    }
  }

  /// The representations of the most recently created directory. Most sandboxes have the same users, and rendering them
  /// is most of the work of making a sandbox.
  private static let latest = Locked(Pages([]))

  private let indices: [String: Int]
  private let pages: Pages

  init(data: JSONValue, at now: Instant) throws(ValidationError) {
    let users = data.array ?? []
    indices = try RecordTable.indices(of: users)
    let latest = Self.latest.withLock { $0 }
    if JSONValue.array(latest.users).isIdentical(to: .array(users)) {
      pages = latest
    } else {
      let written = Pages(users)
      Self.latest.withLock { $0 = written }
      pages = written
    }
  }

  private var users: [JSONValue] { pages.users }

  var data: JSONValue { .array(users) }

  func isLong(_ call: Call) -> Bool {
    call.hasLongBody || !call.query.isEmpty && (users.count > 50 || call.query.isLong)
  }

  private func list(_ call: Call) -> Response {
    guard !call.query.isEmpty else { return Response(200, pages.all) }
    let page = UserQuery(call.query).page(of: users, with: pages.paths, at: call.base + "/users")
    return Response(200, Representation(.array(page.users), .indented), fields: page.fields)
  }

  private func user(_ call: Call) -> JSONValue.Object? {
    indices[call.arguments[0]].flatMap { users[$0].object }
  }

  private func created(_ body: JSONValue.Object, base: String) -> Response {
    let next = 1 + (users.compactMap { $0["id"]?.int }.max() ?? 0)
    var response = Self.unstored(body, id: .int(next))
    response.status = 201
    response.fields = [ResponseField("Location", base + "/users/\(next)")]
    return response
  }

  /// Returns the result that a write would have. An id keeps its position in the body, or else comes last.
  private static func unstored(_ body: JSONValue.Object, id: JSONValue?) -> Response {
    var written = body
    written["id"] = id
    return Response(200, Representation(.object(written), .indented))
  }

  private static func answer(_ call: Call, _ write: (JSONValue.Object) throws(Problem) -> Response) -> Response {
    do throws(Problem) {
      return try write(try body(of: call))
    } catch {
      return .problem(error)
    }
  }

  /// Parses the body like the real service's middleware: JSON or a form, depending on its `Content-Type`; any other is
  /// empty.
  private static func body(of call: Call) throws(Problem) -> JSONValue.Object {
    guard let contentType = call.contentType, !call.body.isEmpty else { return JSONValue.Object() }
    let essence = MediaType.essence(of: contentType)
    if essence == RequestBody.formType { return try form(call.body) }
    guard essence == "application/json" || essence.hasSuffix("+json") else { return JSONValue.Object() }
    return try Problem.decode(call.body, as: .object([], additional: .allowed)).object ?? JSONValue.Object()
  }

  /// The limit of the real service.
  private static let maximumParameterCount = 1_000

  /// Parses a form's parameters as strings; repeated names become an array.
  private static func form(_ body: ArraySlice<UInt8>) throws(Problem) -> JSONValue.Object {
    guard body.count(where: { $0 == UInt8(ascii: "&") }) < maximumParameterCount else {
      throw Problem(
        413, "too-many-parameters", "The form is too long",
        "A form has at most \(maximumParameterCount) parameters.")
    }
    var members: [JSONValue.Member] = []
    var indices: [String: Int] = [:]
    for pair in Query(parsing: body).pairs {
      let value = JSONValue.string(pair.value)
      guard let index = indices[pair.name] else {
        indices[pair.name] = members.count
        members.append(JSONValue.Member(pair.name, value))
        continue
      }
      members[index].value = .array((members[index].value.array ?? [members[index].value]) + [value])
    }
    return JSONValue.Object(members)
  }

  private static let nothing = Representation([:], .indented)
  private static let unknown = Problem(404, "unknown-user", "There is no such user", "No user has this id.")
  private static let notWritable = Problem(
    404, "users-not-writable", "It is not possible to write all users at once",
    "Name one user by its id, as in /users/1.")
}

extension JSONValue {
  /// Returns true if both have the same bytes: `==` also accepts canonically equivalent strings.
  fileprivate func isIdentical(to other: JSONValue) -> Bool {
    switch (self, other) {
    case (.string(let text), .string(let otherText)): text.utf8.elementsEqual(otherText.utf8)
    case (.array(let values), .array(let others)):
      values.count == others.count && zip(values, others).allSatisfy { $0.isIdentical(to: $1) }
    case (.object(let object), .object(let otherObject)):
      object.members.count == otherObject.members.count
        && zip(object.members, otherObject.members).allSatisfy {
          $0.name.utf8.elementsEqual($1.name.utf8) && $0.value.isIdentical(to: $1.value)
        }
    default: self == other
    }
  }
}
