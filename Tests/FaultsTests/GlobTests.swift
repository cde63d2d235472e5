import Faults
import Testing

@Suite("A glob")
struct GlobTests {
  static let paths: [(glob: String, matched: [String], unmatched: [String])] = [
    ("/devices", ["/devices", "/devices/"], ["/", "/devices/1", "/device", "/devicess"]),
    ("/devices/*", ["/devices/1", "/devices/a.b/"], ["/devices", "/devices/", "/devices/1/2"]),
    ("/*/on", ["/a/on", "/Bed room/on"], ["/on", "/a/b/on", "/a/off"]),
    ("/image/*.png", ["/image/a.png", "/image/.png"], ["/image/a.jpg", "/image/a/b.png"]),
    ("/a*b*c", ["/abc", "/aXbYc", "/abbbc", "/abcbc"], ["/ab", "/acb", "/abcd"]),
    ("/**", ["/", "/a", "/a/b/c"], []),
    ("/devices/**", ["/devices", "/devices/1", "/devices/1/2"], ["/", "/device"]),
    ("/**/on", ["/on", "/a/on", "/a/b/on"], ["/a/on/b", "/one"]),
    ("/a/**/b/*/c", ["/a/b/x/c", "/a/b/b/x/c", "/a/q/b/b/x/c"], ["/a/b/c", "/a/b/x/y/c"]),
    ("/**/a/**/b/**", ["/a/b", "/x/a/y/b/z"], ["/b/a", "/a"]),
    ("/", ["/", ""], ["/a"]),
  ]

  @Test("of a path stops at a slash, but two stars do not", arguments: paths)
  func path(glob: String, matched: [String], unmatched: [String]) throws {
    let glob = try #require(PathGlob(glob))
    for path in matched { #expect(glob.matches(path), "\(path)") }
    for path in unmatched { #expect(!glob.matches(path), "\(path)") }
  }

  static let texts: [(glob: String, matched: [String], unmatched: [String])] = [
    ("*", ["", "a", "a/b, c"], []), ("", [""], ["a"]), ("1.*", ["1.", "1.2/3"], ["2.1", "1"]),
    ("*beta*", ["beta", "1.0-beta.2"], ["bet", "BETA"]), ("a*a", ["aa", "aba"], ["a"]),
  ]

  @Test("of a text stops at nothing", arguments: texts)
  func text(glob: String, matched: [String], unmatched: [String]) {
    for text in matched { #expect(TextGlob(glob).matches(text), "\(text)") }
    for text in unmatched { #expect(!TextGlob(glob).matches(text), "\(text)") }
  }

  static let templates: [(glob: String, template: String, can: Bool)] = [
    ("/devices/*", "/devices/{id}", true), ("/devices/WWM-*", "/devices/{id}", true),
    ("/devices/*", "/devices", false), ("/**", "/{room}/{fixture}/on", true),
    ("/*/Light1/on", "/{room}/{fixture}/on", true), ("/*/Light1/off", "/{room}/{fixture}/on", false),
    ("/**/on", "/{room}/{fixture}/on", true), ("/api/location/*", "/api/location/2165352/", true),
  ]

  @Test("knows which templates it can meet", arguments: templates)
  func template(glob: String, template: String, can: Bool) throws {
    #expect(try #require(PathGlob(glob)).canMatch(template: template) == can)
  }

  @Test("takes no longer for stars without end")
  func stars() throws {
    let glob = try #require(PathGlob("/" + String(repeating: "*a", count: 200) + "b"))
    #expect(!glob.matches("/" + String(repeating: "a", count: 2_000)))
    let deep = try #require(PathGlob(String(repeating: "/**/a", count: 100) + "/b"))
    #expect(!deep.matches(String(repeating: "/a", count: 500)))
    let wide = try #require(PathGlob(String(repeating: "/**", count: 300) + "/b"))
    #expect(!wide.canMatch(template: "/{a}/{b}/{c}/{d}/{e}/c"))
  }
}
