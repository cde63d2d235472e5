import Contract
import JSON

extension Check {
  static let users = usersData + usersWrites + usersQueries

  static func user(
    _ id: String, _ sentence: String, from source: String = article("Users"), needs: Requirement = .nothing,
    run: @escaping @Sendable (Session) throws(EarlyEnd) -> Void
  ) -> Check {
    Check("users-" + id, in: "users", sentence, from: source, needs: needs, run: run)
  }

  private static let usersData = [
    user("seed-data", "The list has the ten initial users in their order.") { session throws(EarlyEnd) in
      let list = try session.get("/users").expect(200).elements()
      try require(.array(list.values("id")), equals: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "the ids")
      let names: JSONValue = [
        "Bret", "Antonette", "Samantha", "Karianne", "Kamren", "Leopoldo_Corkery", "Elwyn.Skiles", "Maxime_Nienow",
        "Delphine", "Moriah.Stanton",
      ]
      try require(.array(list.values("username")), equals: names, "the user names")
      try require(list[0]["address"]?["geo"], equals: ["lat": "-37.3159", "lng": "81.1496"], "the first one's geo")
    },
    user("key-order", "The keys are in the order of the real service, in the address and the company, too.") {
      session throws(EarlyEnd) in
      let order: [(String?, JSONValue)] = [
        (nil, ["id", "name", "username", "email", "address", "phone", "website", "company"]),
        ("address", ["street", "suite", "city", "zipcode", "geo"]), ("company", ["name", "catchPhrase", "bs"]),
      ]
      for user in try session.get("/users").expect(200).elements() {
        for (key, names) in order {
          let found = (key.map { user[$0] } ?? user)?.object?.members.map { JSONValue.string($0.name) } ?? []
          try require(.array(found), equals: names, "the keys of \(key ?? "a user")")
        }
      }
    },
    user("indentation", "Bodies are indented by two spaces, with one member per line.") { session throws(EarlyEnd) in
      try session.get("/users/3").expect(200).expect(member: "id", 3)
      for path in ["/users", "/users/3", "/users?_limit=2"] {
        let answer = try session.get(path).expect(200)
        let wanted = String(decoding: try answer.json().bytes(.indented), as: UTF8.self)
        try answer.expect(body: wanted)
      }
    },
    user("geo-strings", "lat and lng are strings.") { session throws(EarlyEnd) in
      for user in try session.get("/users").expect(200).elements() {
        let geo = user["address"]?["geo"]
        let isFit = geo?["lat"]?.string != nil && geo?["lng"]?.string != nil
        try require(isFit, "strings in geo", found: geo?.text ?? "nothing")
      }
    },
    user("id-is-text", "Ids are compared as text: 01 is unknown, and an unknown id gets 404 {}.") {
      session throws(EarlyEnd) in
      for path in ["/users/01", "/users/0", "/users/11", "/users/none", "/users/1.0"] {
        try session.get(path).expect(404).expect(json: [:])
      }
    },
    user("weak-tag-writes", "A weak tag never satisfies If-Match.", from: "RFC 9110 section 13.1.1") {
      session throws(EarlyEnd) in
      let tag = try session.get("/users/1").expect(200).field("ETag")
      try session.ask("PATCH", "/users/1", "If-Match: \(tag)", "Content-Type: application/json", body: "{}").expect(412)
    },
    user(
      "method-not-allowed", "An unsupported method gets 405 with Allow and {}.",
      from: "openapi.yaml, info; Understudy.docc/Differences.md, Overview"
    ) {
      session throws(EarlyEnd) in
      let answer = try session.ask("POST", "/users/1", json, body: "{}").expect(405).expect(json: [:])
      try require(try answer.field("Allow").contains("DELETE"), "Allow with DELETE", found: answer.describe("Allow"))
    },
    user("collection-is-not-written", "PUT, PATCH and DELETE of all users get 404 {}, also with a query.") {
      session throws(EarlyEnd) in
      for method in ["PUT", "PATCH", "DELETE"] {
        for path in ["/users", "/users/", "/users?id=12"] {
          try session.ask(method, path, json, body: "{}").expect(404).expect(json: [:])
        }
      }
    },
  ]

  private static let json = "Content-Type: application/json"
  private static let formType = "Content-Type: application/x-www-form-urlencoded"
  private static let ada = "{\"name\":\"Ada Moor\",\"username\":\"ada\",\"id\":77}"

  private static let usersWrites = [
    user("create-answers", "The response to POST is 201 with the body, a new id, and Location.") {
      session throws(EarlyEnd) in
      let answer = try session.ask("POST", "/users", json, body: "{\"name\":\"Ada Moor\"}").expect(201)
      try require(try answer.json(), equals: ["name": "Ada Moor", "id": 11], "the body")
      let location = try answer.field("Location")
      let isFit = location.hasPrefix("http://") && location.hasSuffix("/users/11")
      try require(isFit, "Location: an absolute URL that ends with /users/11", found: answer.describe("Location"))
    },
    user(
      "create-no-json", "A body whose Content-Type is neither JSON nor a form counts as {}.",
      from: "openapi.yaml, createUser"
    ) { session throws(EarlyEnd) in
      for fields in [[], ["Content-Type: text/plain"]] {
        let answer = try session.exchange("POST", "/users", fields, body: "{\"name\":\"Ada\"}").expect(201)
        try require(try answer.json(), equals: ["id": 11], "the body")
      }
    },
    user("form", "A form's values are strings, repeated names become an array, and the id comes last and is a number.")
    {
      session throws(EarlyEnd) in
      let form = "title=Python+request&userId=1&tag=a%20b&tag=%C3%A9&empty&odd=%zz"
      let wanted: JSONValue = [
        "title": "Python request", "userId": "1", "tag": ["a b", "é"], "empty": "", "odd": "%zz", "id": 11,
      ]
      for type in ["application/x-www-form-urlencoded", "Application/X-WWW-Form-Urlencoded; charset=UTF-8"] {
        let found = try session.ask("POST", "/users", "Content-Type: \(type)", body: form).expect(201).json()
        try require(found, equals: wanted, "the body")
      }
      let replaced = try session.ask("PUT", "/users/2", formType, body: "name=Ada").expect(200).json()
      try require(replaced, equals: ["name": "Ada", "id": 2], "the body")
      let updated = try session.ask("PATCH", "/users/2", formType, body: "name=Ada").expect(200).json()
      try require(updated["name"], equals: "Ada", "the name")
      try require(updated["id"], equals: 2, "the id")
    },
    user("replace-answers", "The response to PUT is the body with the stored id.") { session throws(EarlyEnd) in
      let answer = try session.ask("PUT", "/users/2", json, body: ada).expect(200)
      let found = try answer.json()
      try require(found, equals: ["name": "Ada Moor", "username": "ada", "id": 2], "the body")
    },
    user("update-answers", "The response to PATCH is the user with the body merged into it; the id does not change.") {
      session throws(EarlyEnd) in
      let user = try session.get("/users/2").expect(200).json()
      let found = try session.ask("PATCH", "/users/2", json, body: ada).expect(200).json()
      let wanted = user.merging(["name": "Ada Moor", "username": "ada"])
      try require(found, equals: wanted, "the body")
    },
    user("delete-answers", "The response to DELETE is 200 {}.") { session throws(EarlyEnd) in
      try session.ask("DELETE", "/users/2").expect(200).expect(json: [:])
    },
    user("nothing-is-kept", "Writes get a response and are not stored.") { session throws(EarlyEnd) in
      let before = try session.get("/users").expect(200)
      let one = try session.get("/users/2").expect(200)
      _ = try session.ask("POST", "/users", json, body: ada)
      _ = try session.ask("PUT", "/users/2", json, body: ada)
      _ = try session.ask("PATCH", "/users/2", json, body: ada)
      _ = try session.ask("DELETE", "/users/2")
      try session.get("/users").expect(200).expect(body: before.text)
      try session.get("/users/2").expect(200).expect(body: one.text)
      try session.get("/users/11").expect(404)
    },
    user(
      "write-to-unknown-user",
      "For an unknown user, PUT gets 404 {}, PATCH returns the body alone, and DELETE returns 200 {}."
    ) {
      session throws(EarlyEnd) in
      for path in ["/users/99", "/users/11"] {
        try session.ask("PUT", path, json, body: "{}").expect(404).expect(json: [:])
        let patched = try session.ask("PATCH", path, json, body: "{\"name\":\"Ada Moor\"}").expect(200).json()
        try require(patched, equals: ["name": "Ada Moor"], "the body")
        try session.ask("DELETE", path).expect(200).expect(json: [:])
      }
    },
  ]
}
