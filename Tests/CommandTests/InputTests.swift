import Foundation
import LiveTesting
import Testing

@testable import UnderstudyCommand

@Suite("Input", .live)
struct InputTests {
  private static let readers = ["check", "scenario --from", "report --merge", "--port 0 --scenario"]

  @Test("that is a device or a directory is refused at once", arguments: readers)
  func devices(reader: String) throws {
    for (file, words) in [
      ("/dev/zero", "/dev/zero: It is not a regular file or a pipe"), ("/tmp", "/tmp: Is a directory"),
    ] {
      let result = try Program.shell("\"$0\" \(reader) \(file)")
      #expect([64, 65].contains(result.status) && result.errors == "understudy: \(words)\n", "\(result)")
    }
  }

  @Test("from a pipe is read to its end, but not without bounds", arguments: ["check", "report --merge"])
  func pipes(reader: String) throws {
    let endless = try Program.shell("tr '\\0' ' ' < /dev/zero 2>/dev/null | \"$0\" \(reader) /dev/stdin")
    #expect(
      [64, 65].contains(endless.status) && endless.errors.contains("/dev/stdin: It has more than "), "\(endless)")
    let late = try Program.shell(#"(sleep 0.3; echo '{"rules": []}') | "$0" check /dev/stdin"#)
    #expect(late.status == 0 && late.output == "/dev/stdin: a scenario with 0 rules\n", "\(late)")
    #expect(try Program.shell(#"true | "$0" check /dev/stdin"#).errors.contains("the text is empty"))
  }

  @Test("a file that is too large is refused by its size")
  func large() throws {
    let scratch = try ScratchDirectory()
    let result = try Program.shell("cd \"$1\"; truncate -s 3G large.json && \"$0\" check large.json", scratch.path)
    #expect(result.status == 64 && result.errors == "understudy: large.json: It has more than 16 MiB\n", "\(result)")
  }

  @Test("a pipe or a device as the state of a sandbox is refused at once")
  func storedState() throws {
    let scratch = try ScratchDirectory()
    let pipe = try Program.shell(
      #"mkdir "$1/default"; mkfifo "$1/default/state"; "$0" --port 0 --state "$1""#, scratch.path)
    #expect(pipe.status != 0 && pipe.errors.contains("default/state: It is not a regular file"), "\(pipe)")
  }

  static let files: [(name: String, text: String, words: String)] = [
    (
      "a.json", "{\n  // comment\n  \"rules\": []\n}",
      "a.json:2:3: expected a member's name in double quotes; JSON has no comments"
    ),
    ("a.json", "{\"rules\": [] # comment\n}", "JSON has no comments"), ("a.json", "/* c */ {}", "JSON has no comments"),
    ("a.json", "rules:\n  - effect: {offline: true}\n", "the text looks like YAML"),
    ("a.json", "---\nrules: []\n", "the text looks like YAML"),
    ("a.json", "# s\n- a\n- b\n", "the text looks like YAML"),
    ("a.json", "\n# s\n\nrules:\n", "the text looks like YAML"),
    ("a.json", "#!/bin/sh\nrules: 1\n", "a value cannot start here; the file is a script"),
    ("a.json", "# run the tests\nset -e\n", "a value cannot start here; JSON has no comments"),
    ("a.json", "{\"rules\": [1,]}", "a.json:1:13: remove this comma: nothing follows it before ]"),
    (
      "a.json", "{\"rules\": [],\n}", "a.json:1:13: remove this comma: nothing follows it before }"
    ),
    ("a.json", "{'rules': []}", "texts stand in double quotes"), ("a.json", "{rules: []}", "rules needs double quotes"),
    ("a.json", "{\"rules\": None}", "write null"), ("a.json", "{\"rules\": True}", "write true"),
    ("a.json", "{\"rules\": NaN}", "JSON has no NaN"), ("a.json", "{\"a\": 1\n\"b\": 2}", "a comma is missing"),
    ("a.json", "<html></html>", "the file is HTML or XML"),
    ("a.json", "{\"rules\": [", "the file may have been cut off"),
    ("a.json", #"{"log": {"entries": []}}"#, "understudy scenario --from makes a scenario of a recording"),
    ("a.json", #"{"runs": []}"#, "understudy report --merge reads report cards"),
  ]

  @Test("gets a hint on a common mistake", arguments: files)
  func hints(name: String, text: String, words: String) {
    let complaint = FileCheck(name, Array(text.utf8)).complaint ?? "nothing"
    #expect(complaint.contains(words), "\(complaint)")
  }

  @Test("of report --merge that is a script is named as one")
  func script() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("#!/bin/sh\n# name: tests\n", to: "tests.sh")
    let result = try Program("report", "--merge", scratch.path + "/tests.sh").result()
    #expect(result.status == 64 && result.errors.hasSuffix("the file is a script\n"), "\(result)")
  }

  @Test("gets a hint if it is no UTF-8 text, or compressed")
  func bytes() {
    for (bytes, words) in [
      ([0xFF, 0xFE, 0x7B, 0], "UTF-16"), ([0x7B, 0, 0x22, 0], "UTF-16"), ([0x1F, 0x8B, 8, 0], "unpack it first"),
      ([0x50, 0x4B, 3, 4], "unpack it first"),
    ] as [([UInt8], String)] {
      #expect(FileCheck("a.json", bytes).complaint?.contains(words) == true, "\(bytes)")
    }
  }

  @Test("may begin with a byte order mark, whatever kind of file it is")
  func marks() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("\u{FEFF}{\"rules\": []}", to: "s.json")
    try scratch.write("\u{FEFF}[]", to: "devices.json")
    try scratch.write("\u{FEFF}{\n\"rules\": [{}]}", to: "wrong.json")
    let check = try Program("check", scratch.path + "/s.json", scratch.path + "/devices.json").result()
    #expect(check.status == 0, "\(check)")
    let wrong = try Program("check", scratch.path + "/wrong.json").result()
    #expect(wrong.errors.contains("wrong.json:2:11: /rules/0/effect"), "\(wrong)")
    #expect(try Program("plan", "--scenario", scratch.path + "/s.json").result().status == 0)
    let server = try Program("--port", "0", "--data", scratch.path, "--scenario", scratch.path + "/s.json")
    #expect(try server.line().hasPrefix("listening"))
    server.terminate()
    _ = try server.result()
    let card = #"{"checks":[],"partial":false,"sandbox":"a","scenario":"b","seed":1,"exchanges":1,"replays":0}"#
    try scratch.write("\u{FEFF}" + card, to: "card.json")
    #expect(try Program("report", "--merge", scratch.path + "/card.json").result().status == 0)
  }

  @Test("of --scenario and --data has the line and the column of an error")
  func places() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("{\"rules\": [\n  {\"effect\": {\"fault\": \"rest\"}}]}", to: "s.json")
    let scenario = try Program("--port", "0", "--scenario", scratch.path + "/s.json").result()
    #expect(scenario.errors.contains("s.json: /rules/0/effect/fault: expected one of"), "\(scenario)")
    #expect(scenario.errors.contains("(line 2, column 24)"), "\(scenario)")
    try scratch.write("[\n  {\"id\": 1}\n]", to: "devices.json")
    let data = try Program("--port", "0", "--data", scratch.path).result()
    #expect(
      data.status == 64 && data.errors.contains("devices.json: /0") && data.errors.contains("(line 2, "), "\(data)")
  }
}
