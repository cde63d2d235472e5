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

  /// Bytes that count their reads.
  private struct Counted: BidirectionalCollection {
    final class Count {
      var reads = 0
    }

    let bytes: [UInt8]
    let count = Count()

    var startIndex: Int { bytes.startIndex }
    var endIndex: Int { bytes.endIndex }
    func index(after index: Int) -> Int { index + 1 }
    func index(before index: Int) -> Int { index - 1 }

    subscript(index: Int) -> UInt8 {
      count.reads += 1
      return bytes[index]
    }
  }

  @Test("reads each byte of a text once, for every pattern", arguments: [1, 2, 100, 400])
  func reads(length: Int) {
    let text = Counted(bytes: Array(repeating: UInt8(ascii: "a"), count: 1_000))
    let pattern = GlobPattern(("a*" + String(repeating: "a", count: length) + "b*a").utf8)
    #expect(!pattern.matches(text))
    #expect((990...1_000).contains(text.count.reads))
  }

  @Test("looks for what stands between two stars in the first 1 KiB, and for what begins and ends it everywhere")
  func farAway() {
    func text(_ distance: Int) -> String { "<" + String(repeating: "-", count: distance) + "key->" }
    #expect(TextGlob("<*key*>").matches(text(1_021)))
    #expect(!TextGlob("<*key*>").matches(text(1_022)))
    #expect(TextGlob("<*key->").matches(text(30_000)))
    #expect(TextGlob("*").matches(text(30_000)))
  }

  @Test("finds pieces that begin like themselves")
  func borders() {
    #expect(TextGlob("*aab*").matches("aaab"))
    #expect(TextGlob("*abcabd*").matches("abcabcabd"))
    #expect(TextGlob("*aa*aa*").matches("aaaa"))
    #expect(!TextGlob("*aa*aa*").matches("aaa"))
    #expect(!TextGlob("ab*ba").matches("aba"))
  }

  @Test("of a path has two stars take 64 segments before something else, and all that is left at its end")
  func longPaths() throws {
    func path(_ count: Int) -> String { String(repeating: "/x", count: count) + "/on" }
    #expect(try #require(PathGlob("/**/on")).matches(path(64)))
    #expect(!(try #require(PathGlob("/**/on")).matches(path(65))))
    #expect(try #require(PathGlob("/x/**")).matches(path(4_000)))
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
