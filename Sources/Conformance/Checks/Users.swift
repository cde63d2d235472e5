import Contract
import JSON

extension Row {
  static let users = usersRead + usersAnswered + usersWritten + usersQueried

  private static let json = ["Content-Type: application/json"]
  private static let form = ["Content-Type: application/x-www-form-urlencoded"]
  private static let ada = #"{"name":"Ada Moor","username":"ada","id":77}"#

  private static let indented = Expectation.code { answer throws(EarlyEnd) in
    try answer.expect(body: try answer.json().bytes(.indented))
  }

  private static let location = Expectation.code { answer throws(EarlyEnd) in
    let location = try answer.field("Location")
    try require(
      location.hasPrefix("http://") && location.hasSuffix("/users/11"),
      "Location: an absolute URL that ends with /users/11", found: answer.describe("Location"))
  }

  /// Expects that the link with this relation is an absolute URL with this page.
  private static func link(_ relation: String, _ page: String) -> Expectation {
    .code { answer throws(EarlyEnd) in
      // No link contains a comma.
      let links = try answer.field("Link").split(separator: ",").map { $0.drop { $0 == " " } }
      let link = links.first { $0.hasSuffix("rel=\"\(relation)\"") } ?? ""
      try require(
        link.hasPrefix("<http://") && link.contains("/users?") && link.contains(page),
        "an absolute \(relation) link with \(page)", found: answer.describe("Link"))
    }
  }

  private static let usersRead = [
    Row(
      "seed-data", .service, "The list has the ten initial users in their order.",
      .get(
        "/users",
        .column("id", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        .column(
          "username",
          [
            "Bret", "Antonette", "Samantha", "Karianne", "Kamren", "Leopoldo_Corkery", "Elwyn.Skiles",
            "Maxime_Nienow", "Delphine", "Moriah.Stanton",
          ]),
        .value("/0/address/geo", ["lat": "-37.3159", "lng": "81.1496"]))),
    Row(
      "key-order", .service, "The keys are in the order of the real service, in the address and the company, too.",
      .get(
        "/users",
        .keys(["id", "name", "username", "email", "address", "phone", "website", "company"]),
        .keys(["street", "suite", "city", "zipcode", "geo"], of: "address"),
        .keys(["name", "catchPhrase", "bs"], of: "company"))),
    Row(
      "indentation", .service, "Bodies are indented by two spaces, with one member per line.",
      .get("/users/3", .value("/id", 3)),
      .each(["/users", "/users/3", "/users?_limit=2"]) { .get($0, indented) }),
    Row(
      "geo-strings", .service, "lat and lng are strings.",
      .get("/users", .each("address.geo.lat", .string()), .each("address.geo.lng", .string()))),
    Row(
      "id-is-text", .service, "Ids are compared as text: 01 is unknown, and an unknown id gets 404 {}.",
      .each(["/users/01", "/users/0", "/users/11", "/users/none", "/users/1.0"]) { .get($0, gets: 404, .json([:])) }),
  ]

  private static let usersAnswered = [
    Row(
      "weak-tag-writes", .ours("RFC 9110 section 13.1.1"), "A weak tag never satisfies If-Match.",
      .tag(of: "/users/1"), .send("PATCH", "/users/1", "{}", with: json + ["If-Match: {tag}"], gets: 412)),
    Row(
      "method-not-allowed", .ours("openapi.yaml, info; Understudy.docc/Differences.md, Overview"),
      "An unsupported method gets 405 with Allow and {}.",
      .send("POST", "/users/1", "{}", with: json, gets: 405, .json([:]), .fieldPart("Allow", "DELETE"))),
    Row(
      "collection-is-not-written", .service, "PUT, PATCH and DELETE of all users get 404 {}, also with a query.",
      .each(["PUT", "PATCH", "DELETE"]) { method in
        .each(["/users", "/users/", "/users?id=12"]) { .send(method, $0, "{}", with: json, gets: 404, .json([:])) }
      }),
    Row(
      "create-answers", .service, "The response to POST is 201 with the body, a new id, and Location.",
      .send(
        "POST", "/users", #"{"name":"Ada Moor"}"#, with: json, gets: 201,
        .json(["name": "Ada Moor", "id": 11]), location)),
    Row(
      "create-no-json", .service, "A body whose Content-Type is neither JSON nor a form counts as {}.",
      .each([[], ["Content-Type: text/plain"]]) {
        .send("POST", "/users", #"{"name":"Ada"}"#, with: $0, gets: 201, .json(["id": 11]))
      }),
    Row(
      "form", .service,
      "A form's values are strings, repeated names become an array, and the id comes last and is a number.",
      .each(["application/x-www-form-urlencoded", "Application/X-WWW-Form-Urlencoded; charset=UTF-8"]) {
        .send(
          "POST", "/users", "title=Python+request&userId=1&tag=a%20b&tag=%C3%A9&empty&odd=%zz",
          with: ["Content-Type: \($0)"], gets: 201,
          .ordered([
            "title": "Python request", "userId": "1", "tag": ["a b", "é"], "empty": "", "odd": "%zz", "id": 11,
          ]))
      },
      .send("PUT", "/users/2", "name=Ada", with: form, .json(["name": "Ada", "id": 2])),
      .send("PATCH", "/users/2", "name=Ada", with: form, .value("/name", "Ada"), .value("/id", 2))),
  ]

  private static let usersWritten = [
    Row(
      "replace-answers", .service, "The response to PUT is the body with the stored id.",
      .send("PUT", "/users/2", ada, with: json, .json(["name": "Ada Moor", "username": "ada", "id": 2]))),
    Row(
      "update-answers", .service,
      "The response to PATCH is the user with the body merged into it; the id does not change.",
      .send(
        "PATCH", "/users/2", ada, with: json,
        .sameAs("/users/2", except: ["name": "Ada Moor", "username": "ada"]))),
    Row(
      "delete-answers", .service, "The response to DELETE is 200 {}.",
      .send("DELETE", "/users/2", nil, .json([:]))),
    Row(
      "nothing-is-kept", .service, "Writes get a response and are not stored.",
      .unchanged(
        "/users", "/users/2",
        by: .send("POST", "/users", ada, with: json, gets: 201), .send("PUT", "/users/2", ada, with: json),
        .send("PATCH", "/users/2", ada, with: json), .send("DELETE", "/users/2"), .get("/users/11", gets: 404))),
    Row(
      "write-to-unknown-user", .service,
      "For an unknown user, PATCH returns the body alone, and DELETE returns 200 {}.",
      .each(["/users/99", "/users/11"]) { path in
        .several([
          // The real service answered 500.
          .ours(.send("PUT", path, "{}", with: json, gets: 404, .json([:]))),
          .send("PATCH", path, #"{"name":"Ada Moor"}"#, with: json, .json(["name": "Ada Moor"])),
          .send("DELETE", path, nil, .json([:])),
        ])
      }),
  ]

  private static func query(_ id: String, _ sentence: String, _ ids: (query: String, ids: [JSONValue])...) -> Row {
    Row(id, .service, sentence, .each(ids) { .get("/users?" + $0.query, .column("id", $0.ids)) })
  }

  private static let usersQueried = [
    query(
      "query-exact", "A query key selects the users with exactly this value.",
      ("username=Bret", [1]), ("username=bret", []), ("id=3", [3]), ("name=Mrs.%20Dennis+Schulist", [6])),
    query(
      "query-or", "A repeated key means «or».", ("username=Bret&username=Antonette", [1, 2]), ("id=9&id=1", [1, 9])),
    query("query-and", "Different keys mean «and».", ("username=Bret&id=1", [1]), ("username=Bret&id=2", [])),
    query(
      "query-path", "A dotted path selects a nested value.",
      ("address.city=Gwenborough", [1]), ("address.geo.lat=-43.9509", [2]), ("company.name=Yost%20and%20Sons", [9])),
    query(
      "query-operators", "The suffixes _gte, _lte, _ne and _like select other comparisons.",
      ("id_gte=9", [9, 10]), ("id_lte=2", [1, 2]), ("id_gte=4&id_lte=5", [4, 5]), ("id_ne=1&id_lte=3", [2, 3]),
      ("username_like=^k", [4, 5])),
    query(
      "query-text", "q selects users with a text in any value, ignoring case.",
      ("q=HOEGER", [4, 7, 10]), ("q=gwenborough", [1])),
    query("query-unknown-key", "A key that no user has is ignored.", ("nonsense=1&username=Bret", [1])),
    query(
      "sort", "_sort and _order sort by several paths; numbers are compared as numbers.",
      ("_sort=username", [2, 1, 9, 7, 5, 4, 6, 8, 10, 3]),
      ("_sort=id&_order=desc", [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]), ("_sort=address.city&_limit=3", [8, 9, 1])),
    query(
      "slices", "_start, _end and _limit slice the list.",
      ("_start=2&_end=4", [3, 4]), ("_start=8&_limit=5", [9, 10]), ("_limit=3", [1, 2, 3]), ("_end=1", [1])),
    query(
      "pages", "_page starts at 1; a page has ten users, and a page after the end is empty.",
      ("_page=1", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), ("_page=2&_limit=3", [4, 5, 6]), ("_page=5", [])),
    Row(
      "total-count", .service, "With _limit, _end or _page, X-Total-Count is the number of all matching users.",
      .each([("_limit=3", "10"), ("_end=2", "10"), ("_page=2&_limit=4", "10"), ("_limit=1&id_gte=9", "2")]) {
        .get("/users?" + $0, .field("X-Total-Count", $1))
      }),
    Row(
      "page-links", .service, "With _page, Link has the absolute URLs of the first, previous, next and last page.",
      .get(
        "/users?_page=2&_limit=3", link("first", "_page=1"), link("prev", "_page=1"), link("next", "_page=3"),
        link("last", "_page=4")),
      .get(
        "/users?_page=1&_limit=3",
        .code { answer throws(EarlyEnd) in
          try require(
            try !answer.field("Link").contains("rel=\"prev\""), "no previous page before the first",
            found: answer.describe("Link"))
        })),
  ]
}
