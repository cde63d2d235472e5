import Testing

@testable import Faults

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

  @Test("of a path has `*` match within a segment, and `**` across segments", arguments: paths)
  func path(glob: String, matched: [String], unmatched: [String]) throws {
    let glob = try #require(PathGlob(glob))
    for path in matched { #expect(glob.matches(path), "\(path)") }
    for path in unmatched { #expect(!glob.matches(path), "\(path)") }
  }

  static let texts: [(glob: String, matched: [String], unmatched: [String])] = [
    ("*", ["", "a", "a/b, c"], []), ("", [""], ["a"]), ("1.*", ["1.", "1.2/3"], ["2.1", "1"]),
    ("*beta*", ["beta", "1.0-beta.2"], ["bet", "BETA"]), ("a*a", ["aa", "aba"], ["a"]),
  ]

  @Test("of a text has `*` match any characters", arguments: texts)
  func text(glob: String, matched: [String], unmatched: [String]) {
    for text in matched { #expect(Glob(glob).matches(text), "\(text)") }
    for text in unmatched { #expect(!Glob(glob).matches(text), "\(text)") }
  }

  static let templates: [(glob: String, template: String, can: Bool)] = [
    ("/devices/*", "/devices/{id}", true), ("/devices/WWM-*", "/devices/{id}", true),
    ("/devices/*", "/devices", false), ("/**", "/{room}/{fixture}/on", true),
    ("/*/Light1/on", "/{room}/{fixture}/on", true), ("/*/Light1/off", "/{room}/{fixture}/on", false),
    ("/**/on", "/{room}/{fixture}/on", true), ("/api/location/*", "/api/location/2165352/", true),
  ]

  @Test("is compared with path templates that it can match", arguments: templates)
  func template(glob: String, template: String, can: Bool) throws {
    #expect(try #require(PathGlob(glob)).canMatch(template: template) == can)
  }

  @Test(
    "compares each byte of a text at most twice, for every pattern",
    arguments: ["a*\(String(repeating: "a", count: 400))b*a", "a*ab*a", "a*aab*a", "*a*a*a*b*", "*aabaaabaab*"])
  func comparisons(glob: String) {
    let text = Array(repeating: UInt8(ascii: "a"), count: 1_000)
    let pattern = Glob(glob)
    #expect(!pattern.matches(text))
    var (searched, comparisons) = (0, 0)
    #expect(!pattern.hasMiddle(in: text, 0..<1_000, &searched, &comparisons))
    #expect(searched == 1_000)
    #expect((1_000...2_000).contains(comparisons))
  }

  @Test("matches as the plain reading of its stars says, for every short pattern and text")
  func exhaustive() {
    func matches(_ glob: Substring, _ text: Substring) -> Bool {
      guard let first = glob.first else { return text.isEmpty }
      if first == "*" { return matches(glob.dropFirst(), text) || !text.isEmpty && matches(glob, text.dropFirst()) }
      return text.first == first && matches(glob.dropFirst(), text.dropFirst())
    }
    func texts(of letters: [String], upTo length: Int) -> [String] {
      length == 0 ? [""] : [""] + letters.flatMap { letter in texts(of: letters, upTo: length - 1).map { letter + $0 } }
    }
    for glob in texts(of: ["a", "b", "*"], upTo: 5) {
      let pattern = Glob(glob)
      for text in texts(of: ["a", "b"], upTo: 5) where pattern.matches(text) != matches(glob[...], text[...]) {
        Issue.record("\(glob) and \(text)")
      }
    }
  }

  @Test("searches for text between two stars in the first 512 bytes only, and compares beginning and end at any length")
  func farAway() {
    func text(_ distance: Int) -> String { "<" + String(repeating: "-", count: distance) + "key->" }
    #expect(Glob("<*key*>").matches(text(509)))
    #expect(!Glob("<*key*>").matches(text(510)))
    #expect(Glob("<*key->").matches(text(30_000)))
    #expect(Glob("*").matches(text(30_000)))
  }

  @Test("of a path searches 512 bytes of all segments together")
  func farAwayInPath() throws {
    func path(_ distance: Int) -> String { "/" + String(repeating: "a", count: distance) + "/xkeyx" }
    let glob = try #require(PathGlob("/**/*key*"))
    #expect(glob.matches(path(100)))
    #expect(glob.matches(path(508)))
    #expect(!glob.matches(path(509)))
  }

  @Test("finds pieces whose beginning repeats within them")
  func borders() {
    #expect(Glob("*aab*").matches("aaab"))
    #expect(Glob("*abcabd*").matches("abcabcabd"))
    #expect(Glob("*aa*aa*").matches("aaaa"))
    #expect(!Glob("*aa*aa*").matches("aaa"))
    #expect(!Glob("ab*ba").matches("aba"))
  }

  @Test("of a path has `**` match at most 64 segments in the middle, and any number at the end")
  func longPaths() throws {
    func path(_ count: Int) -> String { String(repeating: "/x", count: count) + "/on" }
    #expect(try #require(PathGlob("/**/on")).matches(path(64)))
    #expect(!(try #require(PathGlob("/**/on")).matches(path(65))))
    #expect(try #require(PathGlob("/x/**")).matches(path(4_000)))
  }

  @Test("ends soon, however many stars it has")
  func stars() throws {
    let glob = try #require(PathGlob("/" + String(repeating: "*a", count: 200) + "b"))
    #expect(!glob.matches("/" + String(repeating: "a", count: 2_000)))
    let deep = try #require(PathGlob(String(repeating: "/**/a", count: 100) + "/b"))
    #expect(!deep.matches(String(repeating: "/a", count: 500)))
    let wide = try #require(PathGlob(String(repeating: "/**", count: 300) + "/b"))
    #expect(!wide.canMatch(template: "/{a}/{b}/{c}/{d}/{e}/c"))
  }
}
