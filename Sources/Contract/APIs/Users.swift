import JSON

extension API {
  /// The users of a practice service: reads are real, writes are answered and forgotten.
  package static let users = API(
    name: "users",
    title: "Users",
    about: "Ten people to show in a list. Writes are answered as if they had been kept, and are not.",
    hosts: ["jsonplaceholder.typicode.com"],
    errors: .emptyObject,
    operations: [listUsers, getUser, createUser, replaceUser, updateUser, deleteUser] + collectionWrites,
    data: .userData)

  private static let readCaching = "max-age=43200"
  private static let writeCaching = "no-cache"
  private static let readFields: [ResponseField] = [.etag, .cacheControl(readCaching)]

  private static let listUsers = Operation(
    "listUsers", .get, "/users",
    summary: "All users, or those that a query asks for",
    about: """
      A key in the query that is a path into the users, such as `username` or `address.city`, keeps the users whose \
      value has exactly this text. The same key twice means or, different keys mean and. The endings `_gte`, `_lte`, \
      `_ne` and `_like` compare otherwise. A key that no user has is dropped.

      `_like` ignores case and looks for the text anywhere. It knows `^`, `$`, `.`, `*`, `+`, `?`, `|` and `\\` from \
      regular expressions; a pattern with brackets or braces is taken literally.
      """,
    parameters: userQuery,
    responses: [
      .json(
        "The users in the order of the data, or as `_sort` says.", .array(of: .user),
        examples: [JSONExample("one", "A list of one", [.leanne])],
        fields: readFields + [
          ResponseField(
            "X-Total-Count", "How many users there are without the slicing; sent with `_limit`, `_end` and `_page`.",
            always: false, schema: .string(format: .digits)),
          ResponseField("Link", "The first, previous, next and last page; sent with `_page`.", always: false),
        ]),
      .notModified(readFields),
      preconditionFailed,
    ],
    validator: .weak, cacheControl: readCaching, effect: .readsAll)

  private static let userQuery = [
    query("username", "Keeps the users with exactly this name; stands for every path into the users.", "Bret"),
    query("q", "Keeps the users that have this text in any value, whatever its case.", "hoeger"),
    query("_sort", "Paths to sort by, with commas between.", "address.city,name"),
    query("_order", "`asc` or `desc` for each path of `_sort`, with commas between.", "desc,asc"),
    query("_start", "How many users to leave out in front; needs `_end` or `_limit`.", "2"),
    query("_end", "The place before which to stop.", "5"),
    query("_limit", "How many users to answer with; the length of a page where there is `_page`.", "3"),
    query("_page", "Which page, from 1 on; ten users a page without `_limit`.", "1"),
  ]

  private static func query(_ name: String, _ about: String, _ example: String) -> Parameter {
    Parameter(name, in: .query, about, example: JSONExample(name, "", .string(example)))
  }

  private static let getUser = Operation(
    "getUser", .get, "/users/{id}",
    summary: "One user",
    about: "The id is compared as text: `01` is nobody's.",
    parameters: [userID],
    responses: [
      .json("The user.", .user, examples: [JSONExample("leanne", "", .leanne)], fields: readFields),
      .notModified(readFields),
      unknownUser,
      preconditionFailed,
    ],
    validator: .weak, cacheControl: readCaching, effect: .reads(.path))

  private static let createUser = Operation(
    "createUser", .post, "/users",
    summary: "Pretend to add a user",
    about: bodyReading,
    body: userBody,
    responses: [
      .json(
        "The body with an id; nothing was kept.", .userWritten,
        status: 201,
        examples: [JSONExample("created", "", ["name": "Ada Moor", "username": "ada", "id": 11])],
        fields: [
          ResponseField("Location", "Where the user would be.", schema: .string(format: .uri)),
          .cacheControl(writeCaching),
        ]),
      malformed,
      preconditionFailed,
    ],
    cacheControl: writeCaching, effect: .adds)

  private static let replaceUser = write(
    "replaceUser", .put, "Pretend to replace a user", about: "Answers with the body and the user's own id.",
    .userWritten, JSONExample("replaced", "", ["name": "Ada Moor", "username": "ada", "id": 1]),
    failures: [unknownUser])

  private static let updateUser = write(
    "updateUser", .patch, "Pretend to change a user",
    about: """
      Answers with the user and the body's keys over it, one level deep: a given `address` replaces the whole. Of a \
      user that there is not it answers with the body alone, as upstream does: clients change the user that they \
      have just pretended to add.
      """,
    .userUpdated, JSONExample("updated", "", JSON.leanne.merging(["phone": "none"])), failures: [])

  private static func write(
    _ id: String, _ method: Method, _ summary: String, about: String, _ schema: Schema, _ example: JSONExample,
    failures: [Response]
  ) -> Operation {
    Operation(
      id, method, "/users/{id}",
      summary: summary,
      about: about + " " + bodyReading,
      parameters: [userID],
      body: userBody,
      responses: [
        .json(
          "What the user would be; nothing was kept.", schema,
          examples: [example], fields: [.cacheControl(writeCaching)]),
        malformed,
      ] + failures + [preconditionFailed],
      cacheControl: writeCaching, effect: .sets(.path))
  }

  private static let deleteUser = Operation(
    "deleteUser", .delete, "/users/{id}",
    summary: "Pretend to delete a user",
    about: "Answers the same of a user that there is not, as upstream does.",
    parameters: [userID],
    responses: [
      .json(
        "Done; no user is gone.", .emptyObject, examples: [JSONExample("done", "", [:])],
        fields: [.cacheControl(writeCaching)]),
      preconditionFailed,
    ],
    cacheControl: writeCaching)

  /// Upstream answers these as it answers an unknown path, and not with 405.
  private static let collectionWrites = [
    ("replaceUsers", Method.put), ("updateUsers", .patch), ("deleteUsers", .delete),
  ].map { id, method in
    Operation(
      id, method, "/users",
      summary: "Not there",
      about: "All users cannot be written at once, and a query names none of them: `/users/{id}` does.",
      responses: [.json("Always.", .emptyObject, status: 404)],
      heedsPreconditions: false)
  }

  private static let bodyReading =
    "A body is read by its `Content-Type`: as JSON, or as a form, whose values are strings; any other counts as `{}`."

  private static let userBody = RequestBody(
    .object([], additional: .allowed), about: "Any object.", required: false, takesForms: true,
    examples: [JSONExample("ada", "A new name", ["name": "Ada Moor", "username": "ada"])])

  private static let userID = Parameter(
    "id", in: .path, "The id of the user.", schema: Schema(.integer(minimum: 1, maximum: nil)),
    example: JSONExample("leanne", "", 1))

  private static let malformed = Response.json(
    "The body is announced as JSON and is none, or no object.", .emptyObject, status: 400)
  private static let preconditionFailed = Response.preconditionFailed(.emptyObject, as: "application/json")
  private static let unknownUser = Response.json("No user has this id.", .emptyObject, status: 404)
}

extension Schema {
  /// What a write answers: whatever was sent, and an id.
  fileprivate static let userWritten = Schema.object(
    [Property("id", .integer())], additional: .allowed
  ).named("UserWritten")

  /// The answer to PATCH: it has no id for a missing user, unless the body has one.
  fileprivate static let userUpdated = Schema.object([], additional: .allowed).named("UserUpdated")

  static let emptyObject = Schema.object([]).named("EmptyObject")

  static let user = Schema.object([
    Property("id", .integer(1...9_007_199_254_740_991)),
    Property("name", .string()),
    Property("username", .string()),
    Property("email", .string()),
    Property(
      "address",
      .object([
        Property("street", .string()),
        Property("suite", .string()),
        Property("city", .string()),
        Property("zipcode", .string()),
        Property("geo", .object([Property("lat", .string()), Property("lng", .string())])),
      ])),
    Property("phone", .string()),
    Property("website", .string()),
    Property(
      "company",
      .object([Property("name", .string()), Property("catchPhrase", .string()), Property("bs", .string())])),
  ]).named("User")

  static let userData = Schema.array(of: .user).named("UserData")
}

extension JSON {
  fileprivate static let leanne: JSON = [
    "id": 1, "name": "Leanne Graham", "username": "Bret", "email": "Sincere@april.biz",
    "address": [
      "street": "Kulas Light", "suite": "Apt. 556", "city": "Gwenborough", "zipcode": "92998-3874",
      "geo": ["lat": "-37.3159", "lng": "81.1496"],
    ],
    "phone": "1-770-736-8031 x56442", "website": "hildegard.org",
    "company": [
      "name": "Romaguera-Crona", "catchPhrase": "Answers that hold all winter",
      "bs": "mend quiet supply lines",
    ],
  ]
}
