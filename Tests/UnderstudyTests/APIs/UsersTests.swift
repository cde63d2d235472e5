import Contract
import JSON
import Primitives
import Testing

@testable import Services
@testable import Understudy

@Suite struct UsersTests {
  var directory: Acting<UserDirectory>

  init() throws { directory = try Acting(UserDirectory.self) }

  @Test mutating func creatingReturnsTheBodyWithTheNextID() throws {
    let json = "application/json; charset=UTF-8"
    let response = try directory.ask(
      "createUser", body: #"{"name":"Ada","tags":[1,{}]}"#, contentType: json, base: "http://localhost:8080/@users")
    #expect(response.status == 201)
    #expect(
      response.text == """
        {
          "name": "Ada",
          "tags": [
            1,
            {}
          ],
          "id": 11
        }
        """)
    #expect(response.fields == [ResponseField("Location", "http://localhost:8080/@users/users/11")])
    #expect(!response.changed)
    let given = try directory.ask("createUser", body: #"{"id":3,"name":"Ada"}"#, contentType: json)
    #expect(given.text == "{\n  \"id\": 11,\n  \"name\": \"Ada\"\n}")
    #expect(try directory.ask("getUser", ["11"]).status == 404)
    #expect(try directory.ask("listUsers").json().array?.count == 10)
  }

  @Test(
    "a body of another media type is ignored",
    arguments: [nil, "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded-not"])
  func aBodyOfAnotherMediaTypeIsIgnored(contentType: String?) throws {
    var directory = directory
    let response = try directory.ask("createUser", body: #"{"name":"Ada"}"#, contentType: contentType)
    #expect(response.status == 201)
    #expect(response.text == "{\n  \"id\": 11\n}")
    #expect(try directory.ask("replaceUser", ["3"], body: "{", contentType: contentType).text == "{\n  \"id\": 3\n}")
  }

  private static let forms: [(String, JSONValue)] = [
    ("title=Python+request&userId=1", ["title": "Python request", "userId": "1", "id": 11]),
    ("a=1&b=2&a=3&a=1", ["a": ["1", "3", "1"], "b": "2", "id": 11]),
    ("&&name=%41d%61&&", ["name": "Ada", "id": 11]),
    ("empty=&bare&=nameless", ["empty": "", "bare": "", "": "nameless", "id": 11]),
    ("address[city]=Ulm&c=a=b", ["address[city]": "Ulm", "c": "a=b", "id": 11]),
    ("a=%&b=%4&c=%zz&d=%2B+%c3%a9", ["a": "%", "b": "%4", "c": "%zz", "d": "+ é", "id": 11]),
    ("name=Ada&id=3&x=1", ["name": "Ada", "id": 11, "x": "1"]),
    ("", ["id": 11]),
  ]

  @Test("a form is read as upstream reads it", arguments: forms)
  func aFormIsReadAsUpstreamReadsIt(form: String, wanted: JSONValue) throws {
    var directory = directory
    let response = try directory.ask("createUser", body: form, contentType: "application/x-www-form-urlencoded")
    #expect(response.status == 201)
    #expect(try response.json() == wanted)
    #expect(try directory.ask("listUsers").json().array?.count == 10)
  }

  @Test mutating func aFormOfMoreThanAThousandParametersIsTooLarge() throws {
    let form = "application/x-www-form-urlencoded"
    let maximum = (1...1_000).map { "k\($0)=1" }.joined(separator: "&")
    #expect(try directory.ask("createUser", body: maximum, contentType: form).status == 201)
    #expect(try directory.ask("createUser", body: maximum + "&k=1", contentType: form).status == 413)
    #expect(try directory.ask("updateUser", ["1"], body: maximum + "&k=1", contentType: form).status == 413)
  }

  @Test("a body announced as JSON must be an object", arguments: ["createUser", "replaceUser", "updateUser"])
  func aBodyAnnouncedAsJSONMustBeAnObject(operation: String) throws {
    var directory = directory
    for body in ["{", "[]", "1", "null", " "] {
      #expect(try directory.ask(operation, ["1"], body: body, contentType: "application/json").status == 400)
    }
    #expect(try directory.ask(operation, ["1"], contentType: "application/json").status < 300)
  }

  @Test mutating func updatingMergesOneLevelDeep() throws {
    let body = #"{"id":99,"name":"Ada","address":{"city":"Ulm"},"mood":null}"#
    let user = try directory.ask("updateUser", ["1"], body: body, contentType: "application/json").json()
    #expect(user["id"] == 1)
    #expect(user["name"] == "Ada")
    #expect(user["username"] == "Bret")
    #expect(user["address"] == ["city": "Ulm"])
    #expect(user["mood"] == .null)
    #expect(user.object?.members.last?.name == "mood")
  }
}
