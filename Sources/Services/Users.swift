import Contract
import JSON
import Seeds

/// The behaviour of the users API, which responds to writes but does not store them.
enum UserDirectory: Service {
  static let contract = API.users
  static let seed = SeedFiles.users
  static let layout = JSONValue.Layout.indented

  static let handlers = Handlers(
    of: contract,
    .on("listUsers") { users, call in list(call, &users) },
    .on("getUser") { users, call in
      guard let user = users.representation(of: call.arguments[0]) else { return .problem(unknown) }
      return Response(200, user)
    },
    .on("createUser") { users, call in
      answer(call) { body in created(body, after: users, base: call.base) }
    },
    .on("replaceUser") { users, call in
      answer(call) { body throws(Problem) in
        guard let user = users.record(call.arguments[0]) else { throw unknown }
        return unstored(body, id: user["id"])
      }
    },
    .on("updateUser") { users, call in
      answer(call) { body in
        guard var user = users.record(call.arguments[0])?.object else { return unstored(body, id: body["id"]) }
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

  static func isLong(_ call: Call, _ users: Document.Size) -> Bool {
    call.hasLongBody || !call.query.isEmpty && (users.recordCount > 50 || call.query.isLong)
  }

  private static func list(_ call: Call, _ users: inout Document) -> Response {
    guard !call.query.isEmpty else {
      return Response(200, users.view("all") { Representation($0.data, .indented) })
    }
    let page = UserQuery(call.query).page(of: users.data.array ?? [], at: call.base + "/users")
    return Response(200, Representation(.array(page.users), .indented), fields: page.fields)
  }

  private static func created(_ body: JSONValue.Object, after users: Document, base: String) -> Response {
    let next = 1 + ((users.data.array ?? []).compactMap { $0["id"]?.int }.max() ?? 0)
    var response = unstored(body, id: .int(next))
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
