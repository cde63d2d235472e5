import Contract
import JSON
import Seeds

/// A directory of users that answers writes as if it kept them, acting.
struct UserDirectory: Behaviour {
  static let contract = API.users
  static let seed = Seeds.users

  static let handlers = Handlers<UserDirectory>([
    "listUsers": { directory, call in directory.list(call) },
    "getUser": { directory, call in
      guard let place = directory.places[call.arguments[0]] else { return .problem(unknown) }
      return Reply(200, directory.representations[place])
    },
    "createUser": { directory, call in
      answer(call) { body in directory.created(body, base: call.base) }
    },
    "replaceUser": { directory, call in
      answer(call) { body throws(Problem) in pretend(body, id: try directory.user(call)["id"]) }
    },
    "updateUser": { directory, call in
      answer(call) { body throws(Problem) in
        let user = try directory.user(call)
        return pretend(body.members.reduce(into: user) { $0[$1.name] = $1.value }, id: user["id"])
      }
    },
    "deleteUser": { directory, call in
      directory.places[call.arguments[0]] == nil ? .problem(unknown) : Reply(200, nothing)
    },
  ])

  private let users: [JSON]
  private let places: [String: Int]
  private let representation: Representation
  private let representations: [Representation]

  init(data: JSON, at now: Instant) throws(Violation) {
    users = data.array ?? []
    places = try RecordTable.places(of: users, at: .root)
    representation = Representation(.array(users), .indented)
    representations = users.map { Representation($0, .indented) }
  }

  var data: JSON { .array(users) }

  private func list(_ call: Call) -> Reply {
    guard !call.query.pairs.isEmpty else { return Reply(200, representation) }
    let page = UserQuery(call.query).page(of: users, at: call.base + "/users")
    return Reply(200, Representation(.array(page.users), .indented), fields: page.fields)
  }

  private func user(_ call: Call) throws(Problem) -> JSON.Object {
    guard let place = places[call.arguments[0]], let user = users[place].object else { throw Self.unknown }
    return user
  }

  private func created(_ body: JSON.Object, base: String) -> Reply {
    let next = 1 + (users.compactMap { $0["id"]?.int }.max() ?? 0)
    var reply = Self.pretend(body, id: .int(next))
    reply.status = 201
    reply.fields = [ReplyField("Location", base + "/users/\(next)")]
    return reply
  }

  /// What a write would have left behind. An id keeps the place where the body has one, and else comes last.
  private static func pretend(_ body: JSON.Object, id: JSON?) -> Reply {
    var written = body
    written["id"] = id
    return Reply(200, Representation(.object(written), .indented))
  }

  private static func answer(_ call: Call, _ write: (JSON.Object) throws(Problem) -> Reply) -> Reply {
    do throws(Problem) {
      return try write(try body(of: call))
    } catch {
      return .problem(error)
    }
  }

  /// The body as upstream's middleware read it: by its `Content-Type`, and nothing at all for any but JSON.
  private static func body(of call: Call) throws(Problem) -> JSON.Object {
    guard let contentType = call.contentType, isJSON(contentType), !call.body.isEmpty else { return JSON.Object() }
    return try Problem.decode(call.body, as: .object([], additional: .allowed)).object ?? JSON.Object()
  }

  private static func isJSON(_ contentType: String) -> Bool {
    let essence = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    return essence == "application/json" || essence.hasSuffix("+json")
  }

  private static let nothing = Representation([:], .indented)
  private static let unknown = Problem(404, "unknown-user", "There is no such user", "No user has this id.")
}
