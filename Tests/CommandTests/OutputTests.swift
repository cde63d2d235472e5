import Foundation
import LiveTesting
import Platform
import Primitives
import Testing

@testable import UnderstudyCommand

@Suite("Output", .live)
struct OutputTests {
  private static let run = #""$0" run --fail-on never"#

  @Test(
    "that cannot be written makes a success a failure, with a line that says why",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: [
      "openapi", "man", "schema scenario", "scenarios", "scenarios calm", "--help", "--version", "completions bash",
      "plan --count 3", "run --fail-on never -- true", "--port 0",
    ])
  func fullDevice(words: String) throws {
    let result = try Program.shell("\"$0\" \(words) >/dev/full")
    #expect(result.status == 74, "\(result)")
    let lines = result.errors.split(separator: "\n").filter { $0.contains("standard output") }
    #expect(lines == ["understudy: standard output: No space left on device; the output is incomplete"])
  }

  @Test(
    "has colours in a pipe only if FORCE_COLOR is set, and never with NO_COLOR",
    arguments: [("", false), ("FORCE_COLOR=1", true), ("FORCE_COLOR=", false), ("FORCE_COLOR=1 NO_COLOR=1", false)])
  func colours(variables: String, isColored: Bool) throws {
    let result = try Program.shell("\(variables) \(Self.run) -- true")
    #expect(result.output.contains("\u{1B}[") == isColored, "\(result)")
  }

  @Test(
    "on a terminal that does not tell its width is as wide as in a pipe",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
  func unknownWidth() throws {
    let onTerminal = try Program.shell(#"script -qec "stty cols 0; '$0' scenarios" /dev/null"#).output
    #expect(try Program("scenarios").result().output == onTerminal.replacing("\r\n", with: "\n"))
  }

  @Test("to a closed stream is a failure, and goes into no file that the program opens")
  func closedStream() throws {
    let scratch = try ScratchDirectory()
    let result = try Program.shell(#""$0" run --fail-on never --report "$1/card.json" -- true >&-"#, scratch.path)
    #expect(result.status == 74 && result.errors.contains("standard output"), "\(result)")
    #expect(try scratch.read("card.json").hasPrefix("{"))
  }

  @Test("into a pipe whose reader has ended is a failure without a line")
  func brokenPipe() throws {
    let scratch = try ScratchDirectory()
    let run = #""$0" run --fail-on never -- sh -c 'until [ -e "$1" ]; do :; done' sh "$1/gone""#
    let result = try Program.shell("{ \(run); echo exit $? >&2; } | { exec <&-; touch \"$1/gone\"; }", scratch.path)
    #expect(result.errors.contains("exit 74") && !result.errors.contains("standard output"), "\(result)")
  }

  @Test("of a command that failed leaves it its own code")
  func ownCode() throws {
    #expect(try Program.shell(#""$0" run -- sh -c "exit 5" >/dev/full"#).status == 5)
  }

  @Test("goes into a pipe, a device and the standard output, which stay what they are")
  func streams() throws {
    let scratch = try ScratchDirectory()
    let pipe = try Program.shell(
      #"cd "$1"; mkfifo pipe.json; cat pipe.json > copy & "$0" run --fail-on never --report pipe.json -- true >/dev/null; s=$?; wait; exit $s"#,
      scratch.path)
    #expect(pipe.status == 0, "\(pipe)")
    #expect(try scratch.read("copy").contains("\"cards\""))
    #expect(
      try FileManager.default.attributesOfItem(atPath: scratch.path + "/pipe.json")[.type] as? FileAttributeType
        != .typeRegular)
    for output in ["/dev/stdout", "/dev/fd/1"] {
      let text = try Program.shell("\(Self.run) --report \(output) -- true | cat")
      #expect(text.output.contains("Report card") && text.output.contains("\"cards\""), "\(text)")
      // In a file, the report does not overwrite what is there.
      _ = try Program.shell("cd \"$1\"; \(Self.run) --report \(output) -- echo begin > all", scratch.path)
      let all = try scratch.read("all")
      #expect(all.hasPrefix("begin\n") && all.contains("Report card") && all.contains("\"cards\""), "\(all)")
    }
    // `-` is standard output without anything else.
    let alone = try Program.shell("\(Self.run) --report - -- echo begin")
    #expect(alone.output.hasPrefix("{") && alone.output.hasSuffix("}\n"), "\(alone)")
    #expect(alone.output.contains("\"cards\"") && alone.errors.contains("Report card"), "\(alone)")
    #expect(alone.errors.contains("begin\n"), "\(alone)")
    let device = try Program.shell("\(Self.run) --report /dev/null --junit /dev/stderr -- true 2>&1")
    #expect(device.output.contains("<testsuites"))
    let kind = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
    #expect(kind == .typeCharacterSpecial)
  }

  @Test("follows links, and leaves them, and the permissions of a file, as they are")
  func links() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("old", to: "target.json")
    let script = """
      cd "$1"; chmod 600 target.json; mkdir sub; ln -s ../target.json sub/link.json; ln -s sub/link.json chain.json
      ln -s later.json dangling.json
      \(Self.run) --report chain.json --junit dangling.json -- true >/dev/null
      """
    #expect(try Program.shell(script, scratch.path).status == 0)
    #expect(try scratch.read("target.json").contains("\"cards\""))
    #expect(try scratch.read("later.json").contains("<testsuites"))
    for link in ["chain.json", "sub/link.json", "dangling.json"] {
      let kind =
        try FileManager.default.attributesOfItem(atPath: scratch.path + "/" + link)[.type] as? FileAttributeType
      #expect(kind == .typeSymbolicLink, "\(link)")
    }
    let mode =
      try FileManager.default.attributesOfItem(atPath: scratch.path + "/target.json")[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).allSatisfy { !$0.hasSuffix(".tmp") })
  }

  @Test("into a link that leads to itself is refused before the command runs")
  func circle() throws {
    let scratch = try ScratchDirectory()
    let result = try Program.shell(
      "cd \"$1\"; ln -s a.json b.json; ln -s b.json a.json; \(Self.run) --report a.json -- touch ran", scratch.path)
    #expect(result.status == 73 && result.errors.contains("a.json: Too many levels of symbolic links"), "\(result)")
    #expect(throws: (any Error).self) { try scratch.read("ran") }
  }

  @Test("the port file may be a pipe")
  func portPipe() throws {
    let scratch = try ScratchDirectory()
    let script =
      #"cd "$1"; mkfifo pipe; "$0" --port 0 --port-file pipe >/dev/null & read port < pipe; kill $!; echo $port"#
    let port = try Program.shell(script, scratch.path).output.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect((1...65_535).contains(Int(port) ?? 0), "\(port)")
  }

  static let hostile: [(text: String, shown: String)] = [
    ("\u{1B}[31mred", "\\u{1B}[31mred"), ("a\nb\r\tc", "a\\nb\\r\\tc"), ("\u{202E}gnp.exe", "\\u{202E}gnp.exe"),
    ("\u{9B}2J", "\\u{9B}2J"), ("\u{2028}", "\\u{2028}"), ("\u{2067}x\u{2069}", "\\u{2067}x\\u{2069}"),
    ("\u{7F}\u{0}", "\\u{7F}\\u{0}"), ("zero\u{200B}width", "zero\\u{200B}width"), ("naïve 日本 \\n", "naïve 日本 \\n"),
  ]

  @Test("escapes what could control a terminal, and nothing else", arguments: hostile)
  func printable(text: String, shown: String) throws {
    #expect(text.printable == shown && shown.printable == shown)
    let json = try JSONSerialization.data(withJSONObject: [text])
    let escaped = String(decoding: json, as: UTF8.self).printableJSON
    #expect(try JSONSerialization.jsonObject(with: Data(escaped.utf8)) as? [String] == [text])
    #expect(escaped.printable == escaped)
  }

  /// A name that clears the screen, adds a line and turns the text around.
  private static let name = #"a\u001b[2J\nunderstudy: fine\u202etxt"#

  @Test("quotes the names of files and of their members in one harmless line")
  func quotes() throws {
    let scratch = try ScratchDirectory()
    let rules = #"{"rules": [{"match": {"header": {"\#(Self.name)": "*"}}, "effect": {"status": 500}}]}"#
    try scratch.write(rules, to: "header.json")
    try scratch.write(#"{"rules": [], "\#(Self.name)": 1}"#, to: "key.json")
    try scratch.write(#"[{"id": "\#(Self.name)"}]"#, to: "devices.json")
    for words in [
      ["check", scratch.path + "/header.json"], ["check", scratch.path + "/key.json"],
      ["check", scratch.path + "/devices.json"], ["--scenario", scratch.path + "/header.json"],
      ["--scenario", scratch.path + "/key.json"], ["--data", scratch.path], ["plan", "--path", "/\u{1B}[2J\u{202E}"],
      ["--scenario", "x\u{1B}[2J\ny"], ["check", "no\u{1B}[2J\nfile"],
    ] {
      let result = try Program(words).result()
      #expect([64, 65, 0].contains(result.status), "\(words)")
      let text = result.errors + result.output
      #expect(!text.unicodeScalars.contains { $0 != "\n" && ($0.value < 0x20 || $0 == "\u{202E}") }, "\(text)")
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }
  }

  @Test("of --watch escapes the names of a file, too, and speaks of no option that was not given")
  func watch() throws {
    let scratch = try ScratchDirectory()
    let device = #"{"id":"A","name":"A","type":"Washing machine","installationDate":null}"#
    try scratch.write("[]", to: "devices.json")
    let server = try Program("--port", "0", "--data", scratch.path, "--watch")
    _ = try server.line()
    try scratch.write(#"[{"\#(Self.name)": \#(device)}]"#, to: "devices.json")
    let line = try server.errorLine()
    #expect(
      line.contains("devices.json: ") && line.contains("(line 1, ") && line.contains("the earlier data stays in use"),
      "\(line)")
    #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" })
    try FileManager.default.removeItem(atPath: scratch.path + "/devices.json")
    let removed = try server.errorLine()
    #expect(removed == "\(scratch.path): the last data file was removed; the earlier data stays in use")
    server.terminate()
    #expect(try server.result().status == 0)
  }

  @Test("the request log and the line that repeats a run do not show the token")
  func token() throws {
    let server = try Program("--port", "0", "--admin-token", "secret/token", "--log", "text")
    let port = try server.line().split(separator: ":").last.flatMap { Int($0) } ?? 0
    _ = Caller(port: port)?.ask("GET", "/_mock/state?access_token=secret/token", token: "secret/token")
    _ = Caller(port: port)?.ask("GET", "/_mock/state?access_token=secret%2Ftoken&x=1")
    server.terminate()
    let log = try server.result().errors
    #expect(log.contains(#/access_token=\(masked-[0-9a-f]+\) /#), "\(log)")
    #expect(log.contains(#/access_token=\(masked-[0-9a-f]+\)&x=1 /#), "\(log)")
    #expect(!log.contains("secret"))
    let run = try Program("run", "--admin-token", "secret/token", "--", "false").result()
    #expect(run.output.contains("repeat: ") && !run.output.contains("secret"), "\(run)")
  }

  @Test("writes the rest of a file in place if its directory does not allow to replace it")
  func inPlace() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("old and longer than the new", to: "file")
    try File.write(Array("new".utf8), to: scratch.path + "/file")
    #expect(try scratch.read("file") == "new")
    guard geteuid() != 0 else { return }
    _ = unsafe chmod(scratch.path, 0o555)
    defer { _ = unsafe chmod(scratch.path, 0o755) }
    try File.checkPath(scratch.path + "/file")
    try File.write(Array("2".utf8), to: scratch.path + "/file")
    #expect(try scratch.read("file") == "2")
    #expect(throws: SystemError.self) { try File.checkPath(scratch.path + "/other") }
  }
}
