import JSON
import Primitives

extension API {
  /// The users of a practice service: reads return data; writes get a response and are discarded.
  package static let users = API(
    name: "users",
    title: "Users",
    about: "Ten users for a list. Writes get a response as if they were stored, but they are not stored.",
    hosts: ["jsonplaceholder.typicode.com"],
    errors: .emptyObject,
    operations: [listUsers, getUser, createUser, replaceUser, updateUser, deleteUser] + collectionWrites,
    data: .userData, delayParameter: delay.name)

  private static let delay = Parameter(
    "_delay", in: .query, "Milliseconds by which the response is delayed, as in the real service.",
    example: JSONExample("tenth", "100"))

  private static let readCaching = "max-age=43200"
  private static let writeCaching = "no-cache"
  private static let readFields: [DeclaredField] = [.etag, .cacheControl(readCaching)]

  private static let listUsers = Operation(
    "listUsers", .get, "/users",
    caching: .tagged(.weak, cacheControl: readCaching), effect: .readsAll,
    documentation: .init(
      summary: "All users, or those that match a query",
      about: """
        A query key that is a path into the users, such as `username` or `address.city`, selects the users with exactly \
        this value. A repeated key means «or», different keys mean «and». The suffixes `_gte`, `_lte`, `_ne` and \
        `_like` select other comparisons. A key that no user has is ignored.

        `_like` ignores case and finds the text anywhere in the value. It supports `^`, `$`, `.`, `*`, `+`, `?`, `|` and \
        `\\` of regular expressions; a pattern with brackets or braces is taken literally.
        """,
      parameters: userQuery,
      responses: [
        .json(
          "The users in the order of the data, or in the order of `_sort`.", .array(of: .user),
          examples: [JSONExample("one", "A list of one", [.leanne])],
          fields: readFields + [
            DeclaredField(
              "X-Total-Count", "The number of users before slicing; sent with `_limit`, `_end` and `_page`.",
              always: false, schema: .string(format: .digits)),
            DeclaredField(
              "Link", "Links to the first, previous, next and last page; sent with `_page`.", always: false),
          ]),
        .notModified(readFields),
        preconditionFailed,
      ]))

  private static let userQuery = [
    query(
      "username", "Selects the users with exactly this name. Every other path into the users works the same way.",
      "Bret"),
    query("q", "Selects the users with this text in any value; case is ignored.", "hoeger"),
    query("_sort", "Paths to sort by, separated by commas.", "address.city,name"),
    query("_order", "`asc` or `desc` for each path of `_sort`, separated by commas.", "desc,asc"),
    query("_start", "The number of users to skip; requires `_end` or `_limit`.", "2"),
    query("_end", "The index at which the list ends, exclusive.", "5"),
    query("_limit", "The maximum number of users; with `_page`, the length of a page.", "3"),
    query("_page", "The number of the page, starting at 1; a page has ten users without `_limit`.", "1"),
    delay,
  ]

  private static func query(_ name: String, _ about: String, _ example: String) -> Parameter {
    Parameter(name, in: .query, about, example: JSONExample(name, .string(example)))
  }

  private static let getUser = Operation(
    "getUser", .get, "/users/{id}",
    caching: .tagged(.weak, cacheControl: readCaching), effect: .reads(.path),
    documentation: .init(
      summary: "One user",
      about: "Ids are compared as text: `01` is unknown.",
      parameters: [userID, delay],
      responses: [
        .json("The user.", .user, examples: [JSONExample("leanne", .leanne)], fields: readFields),
        .notModified(readFields),
        unknownUser,
        preconditionFailed,
      ]))

  private static let createUser = Operation(
    "createUser", .post, "/users",
    caching: .conditional(cacheControl: writeCaching), effect: .adds,
    documentation: .init(
      summary: "Pretend to add a user",
      about: bodyReading,
      parameters: [delay],
      body: userBody,
      responses: [
        .json(
          "The body with an id. Nothing was stored.", .userWritten,
          status: 201,
          examples: [JSONExample("created", ["name": "Ada Moor", "username": "ada", "id": 11])],
          fields: [
            DeclaredField("Location", "The URL that the user would have.", schema: .string(format: .uri)),
            .cacheControl(writeCaching),
          ]),
        malformed,
        preconditionFailed,
      ]))

  private static let replaceUser = write(
    "replaceUser", .put, "Pretend to replace a user", about: "Returns the body with the user's own id.",
    .userWritten, JSONExample("replaced", ["name": "Ada Moor", "username": "ada", "id": 1]),
    failures: [unknownUser])

  private static let updateUser = write(
    "updateUser", .patch, "Pretend to change a user",
    about: """
      Returns the user with the body's keys merged one level deep: an `address` replaces the whole address. For an \
      unknown user it returns the body alone, like the real service: clients change the user that they have just \
      pretended to add.
      """,
    .userUpdated, JSONExample("updated", JSONValue.leanne.merging(["phone": "none"])), failures: [])

  private static func write(
    _ id: String, _ method: Method, _ summary: String, about: String, _ schema: Schema, _ example: JSONExample,
    failures: [DeclaredResponse]
  ) -> Operation {
    Operation(
      id, method, "/users/{id}",
      caching: .conditional(cacheControl: writeCaching), effect: .sets(.path),
      documentation: .init(
        summary: summary,
        about: about + " " + bodyReading,
        parameters: [userID, delay],
        body: userBody,
        responses: [
          .json(
            "The user after the change. Nothing was stored.", schema,
            examples: [example], fields: [.cacheControl(writeCaching)]),
          malformed,
        ] + failures + [preconditionFailed]))
  }

  private static let deleteUser = Operation(
    "deleteUser", .delete, "/users/{id}",
    caching: .conditional(cacheControl: writeCaching), effect: .sets(.path),
    documentation: .init(
      summary: "Pretend to delete a user",
      about: "The response is the same for an unknown user, as in the real service.",
      parameters: [userID, delay],
      responses: [
        .json(
          "The response to a deletion. No user was deleted.", .emptyObject, examples: [JSONExample("done", [:])],
          fields: [.cacheControl(writeCaching)]),
        preconditionFailed,
      ]))

  /// The writes on the collection. The real service responds to them as to an unknown path, and not with 405.
  private static let collectionWrites = [
    ("replaceUsers", Method.put), ("updateUsers", .patch), ("deleteUsers", .delete),
  ].map { id, method in
    Operation(
      id, method, "/users",
      caching: .untagged(),
      documentation: .init(
        summary: "Not available",
        about: "It is not possible to write all users at once. Write one user at `/users/{id}`.",
        responses: [.json("The response to every such request.", .emptyObject, status: 404)]))
  }

  private static let bodyReading =
    "`Content-Type` selects how the body is read: as JSON, or as a form with string values. Others count as `{}`."

  private static let userBody = RequestBody(
    .object([], additional: .allowed), about: "Any object.", required: false, acceptsForms: true,
    examples: [JSONExample("ada", "A new name", ["name": "Ada Moor", "username": "ada"])])

  private static let userID = Parameter(
    "id", in: .path, "The id of the user.", schema: .integer(atLeast: 1),
    example: JSONExample("leanne", 1))

  private static let malformed = DeclaredResponse.json(
    "`Content-Type` is JSON, but the body is not a JSON object.", .emptyObject, status: 400)
  private static let preconditionFailed = DeclaredResponse.preconditionFailed(.emptyObject, as: "application/json")
  private static let unknownUser = DeclaredResponse.json("No user has this id.", .emptyObject, status: 404)
}

extension Schema {
  /// The response to a write: the members that were sent, and an id.
  fileprivate static let userWritten = Schema.object(
    [Property("id", .integer())], additional: .allowed
  ).named("UserWritten")

  /// The response to PATCH. It has no id for a missing user, unless the body has one.
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

extension JSONValue {
  fileprivate static let leanne: JSONValue = [
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
