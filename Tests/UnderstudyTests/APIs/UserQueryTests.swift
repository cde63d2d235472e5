import JSON
import Primitives
import Testing

@testable import Services
@testable import Understudy

@Suite struct UserQueryTests {
  var directory: Acting<UserDirectory>

  init() throws { directory = try Acting(UserDirectory.self) }

  private mutating func ids(_ query: String) throws -> [Int] {
    try directory.ask("listUsers", query: query).json().array?.compactMap { $0["id"]?.int } ?? []
  }

  @Test(
    "a path keeps the users with exactly that text",
    arguments: [
      ("username=Bret", [1]),
      ("username=bret", []),
      ("username=Bre", []),
      ("id=3", [3]),
      ("id=03", []),
      ("username=Bret&username=Delphine", [1, 9]),
      ("id=1&id=2&username=Bret", [1]),
      ("address.city=South+Elvis", [4]),
      ("address.city=South%20Elvis", [4]),
      ("address.geo.lat=-37.3159", [1]),
      ("address=x", []),
      ("nothing=1", Array(1...10)),
      ("address.nothing=1", Array(1...10)),
      ("nothing_like=1&id=2", [2]),
      ("username.=Bret", Array(1...10)),
      (".username=Bret", Array(1...10)),
      ("address..city=South+Elvis", Array(1...10)),
      ("_=1687446814&callback=f", Array(1...10)),
    ])
  func aPathKeepsTheUsersWithExactlyThatText(query: String, expected: [Int]) throws {
    var tests = self
    #expect(try tests.ids(query) == expected)
  }

  @Test(
    "endings compare",
    arguments: [
      ("id_gte=9", [9, 10]),
      ("id_lte=2", [1, 2]),
      ("id_gte=3&id_lte=4", [3, 4]),
      ("id_gte=x", []),
      ("id_ne=1", Array(2...10)),
      ("id_ne=1&id_ne=2", Array(3...10)),
      ("name_gte=N", [4, 8]),
      ("name_gte=Patricia+Lebsack", [4]),
      ("name_lte=Chelsey+Dietrich", [5]),
      ("address.zipcode_lte=24", [6]),
    ])
  func endingsCompare(query: String, expected: [Int]) throws {
    var tests = self
    // "Patricia" and "Nicholas" follow N in the order of names; "Mrs." precedes it.
    #expect(try tests.ids(query).sorted() == expected)
  }

  @Test(
    "like matches anywhere and ignores case",
    arguments: [
      ("name_like=clement", [3, 10]),
      ("name_like=^CLEMENT", [3, 10]),
      ("name_like=ham$", [1]),
      ("email_like=\\.biz$", [1, 7, 10]),
      ("name_like=^Cle.*ch$", [3]),
      ("name_like=lean+e", [1]),
      ("name_like=lean%2Be", [1]),
      ("username_like=^(Bret)$", []),
      ("phone_like=(254)", [5]),
      ("phone_like=(", [5, 9]),
      ("name_like=*", []),
      ("name_like=bauch|lebsack", [3, 4]),
      ("name_like=bauch&name_like=lebsack", [3, 4]),
      ("id_like=1", [1, 10]),
    ])
  func likeMatchesAnywhereAndIgnoresCase(query: String, expected: [Int]) throws {
    var tests = self
    // A plus sign is a space unless it is encoded.
    #expect(try tests.ids(query) == (query.contains("n+e") ? [] : expected))
  }

  @Test(
    "full text searches every value",
    arguments: [
      ("q=hoeger", [4, 7, 10]),
      ("q=HOEGER", [4, 7, 10]),
      ("q=gwenborough", [1]),
      ("q=-37.3159", [1]),
      ("q=", Array(1...10)),
      ("q=nowhere", []),
      ("q=hoeger&id=10", [10]),
    ])
  func fullTextSearchesEveryValue(query: String, expected: [Int]) throws {
    var tests = self
    #expect(try tests.ids(query) == expected)
  }

  @Test(
    "users are sorted by paths",
    arguments: [
      ("_sort=id&_order=desc", Array((1...10).reversed())),
      ("_sort=name", [5, 10, 3, 2, 9, 7, 1, 6, 8, 4]),
      ("_sort=name&_order=DESC", [4, 8, 6, 1, 7, 9, 2, 3, 10, 5]),
      ("_sort=address.city&_limit=3", [8, 9, 1]),
      ("_sort=nothing,id&_order=asc,desc&_limit=2", [10, 9]),
      ("_sort=nothing", Array(1...10)),
      ("_order=desc", Array(1...10)),
    ])
  func usersAreSortedByPaths(query: String, expected: [Int]) throws {
    var tests = self
    #expect(try tests.ids(query) == expected)
  }

  @Test(
    "slices count what there is",
    arguments: [
      ("_start=2&_end=4", [3, 4], "10"),
      ("_end=2", [1, 2], "10"),
      ("_start=8&_limit=5", [9, 10], "10"),
      ("_limit=3", [1, 2, 3], "10"),
      ("_limit=0", [], "10"),
      ("_limit=x", [], "10"),
      ("_limit=99999999999999999999", Array(1...10), "10"),
      ("_start=-2&_end=10", [9, 10], "10"),
      ("_end=-8", [1, 2], "10"),
      ("_start=20&_end=30", [], "10"),
      ("id_gte=5&_limit=2", [5, 6], "6"),
    ])
  func slicesCountWhatThereIs(query: String, expected: [Int], total: String) throws {
    var directory = directory
    let response = try directory.ask("listUsers", query: query)
    #expect(try response.json().array?.compactMap { $0["id"]?.int } == expected)
    #expect(response.fields == [ResponseField("X-Total-Count", total)])
  }

  @Test mutating func aStartWithoutAnEndIsIgnored() throws {
    #expect(try ids("_start=5") == Array(1...10))
    #expect(try directory.ask("listUsers", query: "_start=5").fields == [])
  }

  @Test mutating func pagesAreLinkedWithTheRestOfTheQuery() throws {
    let response = try directory.ask(
      "listUsers", query: "_page=2&_limit=3&name_like=a%20", base: "http://localhost:8080/@users")
    #expect(response.fields.first == ResponseField("X-Total-Count", "3"))
    let all = try directory.ask("listUsers", query: "_page=2&_limit=3")
    #expect(try all.json().array?.compactMap { $0["id"]?.int } == [4, 5, 6])
    let at = "<http://localhost:8080/users?_page="
    #expect(
      all.fields == [
        ResponseField("X-Total-Count", "10"),
        ResponseField(
          "Link",
          "\(at)1&_limit=3>; rel=\"first\", \(at)1&_limit=3>; rel=\"prev\", "
            + "\(at)3&_limit=3>; rel=\"next\", \(at)4&_limit=3>; rel=\"last\""),
      ])
    #expect(
      response.fields.last?.value
        .hasPrefix("<http://localhost:8080/@users/users?_page=1&_limit=3&name_like=a%20>; rel=\"first\"") == true)
  }

  @Test(
    "a page is ten users unless a limit says otherwise",
    arguments: [
      ("_page=1", Array(1...10)), ("_page=2", []), ("_page=0", Array(1...10)), ("_page=x", Array(1...10)),
      ("_page=4&_limit=3", [10]), ("_page=5&_limit=3", []), ("_page=999999999999999999&_limit=999999999999999999", []),
    ])
  func aPageIsTenUsersUnlessALimitSaysOtherwise(query: String, expected: [Int]) throws {
    var tests = self
    #expect(try tests.ids(query) == expected)
  }

  @Test("the last page is the one that ends the list, and the page before one beyond the end is the last")
  func linksAtTheEnd() throws {
    var tests = self
    func pages(_ query: String) throws -> [String: Int] {
      let link = try tests.directory.ask("listUsers", query: query).fields.first { $0.name == "Link" }?.value ?? ""
      let found = link.matches(of: /_page=([0-9]+)[^>]*>; rel="([a-z]+)"/).map { (String($0.2), Int($0.1) ?? 0) }
      return Dictionary(uniqueKeysWithValues: found)
    }
    #expect(try pages("_page=1&_limit=5") == ["first": 1, "next": 2, "last": 2])
    #expect(try pages("_page=2&_limit=5") == ["first": 1, "prev": 1, "last": 2])
    #expect(try pages("_page=1&_limit=10") == ["first": 1, "last": 1])
    #expect(try pages("_page=9&_limit=5") == ["first": 1, "prev": 2, "last": 2])
    #expect(try pages("_page=9&_limit=4") == ["first": 1, "prev": 3, "last": 3])
  }
}

@Suite("The fields of users")
struct UserPathTests {
  private static let users: [JSONValue] = [
    ["id": 1, "address": ["city": "Elvis"]], ["address": ["geo": ["lat": "1"]]], ["name": nil],
  ]

  @Test(
    "are the union of all users' fields",
    arguments: [
      ("id", true), ("address", true), ("address.city", true), ("address.geo.lat", true), ("name", true),
      ("city", false), ("address.id", false), ("address.geo.lat.x", false), ("id.", false), ("", false),
    ])
  func paths(path: String, isKnown: Bool) {
    #expect(UserPath.Tree(of: Self.users).contains(UserPath(path)) == isKnown)
  }
}

@Suite struct LikePatternTests {
  @Test(
    "a pattern matches",
    arguments: [
      ("", "abc", true), ("b", "abc", true), ("B", "aBc", true), ("^b", "abc", false), ("^ab", "abc", true),
      ("bc$", "abc", true), ("ab$", "abc", false), ("^$", "", true), ("^$", "a", false), ("a.c", "abc", true),
      ("a.c", "ac", false), ("ab?c", "ac", true), ("^a*$", "aaa", true), ("^a+$", "", false), (".*", "", true),
      ("x|b", "abc", true), ("a\\.c", "abc", false), ("a\\.c", "a.c", true), ("\\d", "5", false), ("\\d", "\\d", true),
      ("a$b", "a$b", true), ("a^", "a^", true), ("a**", "a**", true), ("[a]", "a", false), ("[a]", "x[a]", true),
      ("a+b", "aac", false), ("a+b", "aab", true), ("ä", "Ä", true),
    ])
  func aPatternMatches(pattern: String, text: String, expected: Bool) {
    #expect(LikePattern(pattern).matches(text) == expected)
  }

  @Test func aHostilePatternEndsSoon() {
    let pattern = String(repeating: "a*", count: 50) + "b"
    #expect(!LikePattern(pattern).matches(String(repeating: "a", count: 200)))
    #expect(!LikePattern(String(repeating: ".?", count: 4_000)).matches(String(repeating: "a", count: 200)))
  }
}
