import JSON

extension Check {
  /// The queries of json-server, each with the expected ids in their order.
  private static let queries: [(id: String, sentence: String, cases: [(String, JSONValue)])] = [
    (
      "query-exact", "A query key selects the users with exactly this value.",
      [("username=Bret", [1]), ("username=bret", []), ("id=3", [3]), ("name=Mrs.%20Dennis+Schulist", [6])]
    ),
    (
      "query-or", "A repeated key means «or».",
      [("username=Bret&username=Antonette", [1, 2]), ("id=9&id=1", [1, 9])]
    ),
    ("query-and", "Different keys mean «and».", [("username=Bret&id=1", [1]), ("username=Bret&id=2", [])]),
    (
      "query-path", "A dotted path selects a nested value.",
      [("address.city=Gwenborough", [1]), ("address.geo.lat=-43.9509", [2]), ("company.name=Yost%20and%20Sons", [9])]
    ),
    (
      "query-operators", "The suffixes _gte, _lte, _ne and _like select other comparisons.",
      [
        ("id_gte=9", [9, 10]), ("id_lte=2", [1, 2]), ("id_gte=4&id_lte=5", [4, 5]),
        ("id_ne=1&id_lte=3", [2, 3]), ("username_like=^k", [4, 5]),
      ]
    ),
    (
      "query-text", "q selects users with a text in any value, ignoring case.",
      [("q=HOEGER", [4, 7, 10]), ("q=gwenborough", [1])]
    ),
    ("query-unknown-key", "A key that no user has is ignored.", [("nonsense=1&username=Bret", [1])]),
    (
      "sort", "_sort and _order sort by several paths; numbers are compared as numbers.",
      [
        ("_sort=username", [2, 1, 9, 7, 5, 4, 6, 8, 10, 3]), ("_sort=id&_order=desc", [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]),
        ("_sort=address.city&_limit=3", [8, 9, 1]),
      ]
    ),
    (
      "slices", "_start, _end and _limit slice the list.",
      [("_start=2&_end=4", [3, 4]), ("_start=8&_limit=5", [9, 10]), ("_limit=3", [1, 2, 3]), ("_end=1", [1])]
    ),
    (
      "pages", "_page starts at 1; a page has ten users, and a page after the end is empty.",
      [("_page=1", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), ("_page=2&_limit=3", [4, 5, 6]), ("_page=5", [])]
    ),
  ]

  static let usersQueries =
    queries.map { query in
      user(query.id, query.sentence, from: "openapi.yaml, listUsers") { session throws(EarlyEnd) in
        for (text, ids) in query.cases {
          let answer = try session.get("/users?" + text).expect(200)
          let found = JSONValue.array(try answer.elements().values("id"))
          try require(found == ids, "the ids \(ids.text) to ?\(text)", found: found.text)
        }
      }
    } + [
      user(
        "total-count", "With _limit, _end or _page, X-Total-Count is the number of all matching users.",
        from: "openapi.yaml, listUsers"
      ) {
        session throws(EarlyEnd) in
        for text in ["_limit=3", "_end=2", "_page=2&_limit=4"] {
          try session.get("/users?" + text).expect(200).expect("X-Total-Count", "10")
        }
        try session.get("/users?_limit=1&id_gte=9").expect(200).expect("X-Total-Count", "2")
      },
      user(
        "page-links", "With _page, Link has the absolute URLs of the first, previous, next and last page.",
        from: "openapi.yaml, listUsers; " + article("Users")
      ) {
        session throws(EarlyEnd) in
        let answer = try session.get("/users?_page=2&_limit=3").expect(200)
        let links = try answer.field("Link").components
        for (relation, page) in [("first", "1"), ("prev", "1"), ("next", "3"), ("last", "4")] {
          let link = links.first { $0.hasSuffix("rel=\"\(relation)\"") } ?? ""
          let isFit = link.hasPrefix("<http://") && link.contains("/users?") && link.contains("_page=\(page)")
          try require(isFit, "an absolute \(relation) link to page \(page)", found: answer.describe("Link"))
        }
        let first = try session.get("/users?_page=1&_limit=3").expect(200)
        try require(
          try !first.field("Link").contains("rel=\"prev\""), "no previous page before the first",
          found: first.describe("Link"))
      },
    ]
}

extension String {
  /// The elements of a comma-separated field, assuming that no element contains a comma.
  fileprivate var components: [String] {
    split(separator: ",").map { String($0.drop { $0 == " " }) }
  }
}
