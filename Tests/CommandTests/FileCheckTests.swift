import JSON
import LiveTesting
import Testing
import Understudy

@testable import UnderstudyCommand

@Suite("Checking files")
struct FileCheckTests {
  static let wrong: [(path: String, text: String, complaint: String)] = [
    (
      "s.json", "{\n  \"rules\": [\n    {\"whne\": {}, \"effect\": {\"offline\": true}}\n  ]\n}",
      "s.json:3:6: /rules/0/whne: unknown key; expected one of name, about, match, when, phase, effect; did you mean when?"
    ),
    (
      "s.json", "{\"rules\": [\n  {\"effect\": {\"fault\": \"rest\"}}]}",
      "s.json:2:24: /rules/0/effect/fault: expected one of"
    ),
    ("s.json", "{\"rules\": [\n  {\"effect\": {\"fault\": \"rest\"}}]}", "did you mean reset?"),
    ("s.json", "{\"rules\": [{}]}", "s.json:1:12: /rules/0/effect: expected an effect, found nothing"),
    ("s.json", "{\"rules\": [\n,]}", "s.json:2:1: a value cannot start here"),
    ("dir/devices.json", "[\n  {\"idd\": \"A\"}\n]", "dir/devices.json:2:"),
    ("x.json", "{}", "x.json:1:1: expected a scenario (an object with \"rules\"), semantics (an array), or data"),
    ("s.json", "\"basment\"", "s.json:1:1: there is no scenario \"basment\""),
  ]

  @Test("reports the file, the line, the column, the expectation and a suggestion", arguments: wrong)
  func complains(path: String, text: String, complaint: String) {
    let found = FileCheck(path, Array(text.utf8)).complaint ?? "nothing"
    #expect(found.contains(complaint), "\(found)")
  }

  @Test("accepts the files that a server accepts")
  func takes() throws {
    for scenario in MockServer.scenarios {
      let check = FileCheck("any.json", Array(try MockServer.scenario(scenario.name).utf8))
      #expect(check.complaint == nil && check.subject?.hasPrefix("a scenario") == true)
    }
    let check = FileCheck("devices.json", Array("[]".utf8))
    #expect(check.complaint == nil && check.subject == "data of devices")
    #expect(FileCheck("s.json", Array(#""lost-ack""#.utf8)).subject == "the built-in scenario lost-ack")
    let rule = #"{"rules": [{"effect": {"fault": "reset"}}]}"#
    #expect(FileCheck("s.json", Array(rule.utf8)).subject == "a scenario with 1 rule")
  }

  private static let cart = """
    {"name":"a","rules":[{"match":{"path":"/cart","method":"POST"},"when":{"nth":2},"phase":"after",
     "effect":{"fault":"reset"}}]}
    """

  @Test("checks a scenario for another backend as run --upstream reads it, and names the option without it")
  func upstream() {
    let advice = "openapi.yaml lists all paths (for another backend, add --upstream URL)"
    #expect(FileCheck("cart.json", Array(Self.cart.utf8)).complaint?.hasSuffix(advice) == true)
    #expect(FileCheck("cart.json", Array(Self.cart.utf8), for: .upstream).complaint == nil)
    let own = Array(#"{"rules":[{"match":{"api":"devices"},"effect":{"status":503}}]}"#.utf8)
    #expect(FileCheck("own.json", own).complaint == nil)
    #expect(FileCheck("own.json", own, for: .upstream).complaint?.contains("/rules/0/match/api: expected none") == true)
    // What no backend accepts needs no option.
    let wrong = Array(#"{"rules":[{"match":{"path":"/cart"},"effect":{"fault":"rest"}}]}"#.utf8)
    #expect(FileCheck("s.json", wrong).complaint?.contains("--upstream") == false)
  }

  @Test("refuses what --scenario refuses")
  func seed() {
    let seeded = Array(#"{"rules":[],"seed":5}"#.utf8)
    #expect(FileCheck("s.json", seeded).complaint?.contains("/seed: unknown key") == true)
  }

  @Test("checks a file of semantics")
  func semantics() {
    let right = Array(#"[{"match":"POST /search","effect":"read"}]"#.utf8)
    let check = FileCheck("shop.json", right)
    #expect(check.complaint == nil && check.subject == "semantics with 1 rule")
    let wrong = Array(#"[{"match":"POST /search","effect":"reads"}]"#.utf8)
    #expect(FileCheck("shop.json", wrong).complaint?.hasPrefix("shop.json:1:35: /0/effect: expected one of") == true)
  }

  @Test("names the file, and an invalid URL of --upstream", .live)
  func program() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(Self.cart, to: "cart.json")
    let file = scratch.path + "/cart.json"
    let right = try Program("check", "--upstream", "http://localhost:9", file).result()
    #expect(right.status == 0 && right.output == "\(file): a scenario with 1 rule\n", "\(right)")
    let encrypted = try Program("check", "--upstream", "https://api.example/v1", file).result()
    #expect(encrypted.status == 0 && encrypted.output == right.output, "\(encrypted)")
    let wrong = try Program("check", "--upstream=http://localhost:99999", file).result()
    #expect(
      wrong.status == 64 && wrong.errors.contains("--upstream http://localhost:99999: expected a port"), "\(wrong)")
    let start = try Program("plan", "--scenario", file).result()
    #expect(start.status == 64 && start.errors.contains("add --upstream URL"), "\(start)")
  }

  @Test("names a file that cannot be read, once, and the reason", .live)
  func missing() throws {
    let result = try Program("check", "/nope.json").result()
    #expect(result.status == 64 && result.errors == "understudy: /nope.json: No such file or directory\n")
  }

  @Test(
    "locates a value by its pointer, or else the value that would contain it",
    arguments: [
      ("", false, "1:1"), ("/a", true, "1:2"), ("/a", false, "1:7"), ("/a/1/b~1c", true, "2:4"),
      ("/a/1/b~1c", false, "2:12"), ("/a/9", false, "1:7"), ("/é", false, "3:6"),
    ])
  func locates(pointer: String, isName: Bool, position: String) {
    let text = "{\"a\": [\"x,]}\\\"\",\n  {\"b/c\":  {\"d\": [1, 2]}}],\n\"é\": 3}"
    let locator = JSONLocator(Array(text.utf8))
    #expect(locator.position(of: JSONPointer(written: pointer), isName: isName).description == position)
  }
}
