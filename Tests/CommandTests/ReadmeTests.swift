import Foundation
import LiveTesting
import Testing

@testable import UnderstudyCommand

/// Runs the console blocks of a page from the top in one shell, as a reader does, and compares the output.
@Suite("The README and the articles", .live)
struct ReadmeTests {
  struct Example: Sendable {
    let command: String
    var output: [String] = []
  }

  static let hasCurl = isInstalled("curl")
  private static let hasPython = isInstalled("python3")

  private static func isInstalled(_ program: String) -> Bool {
    ["/usr/bin/", "/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].contains {
      FileManager.default.isExecutableFile(atPath: $0 + program)
    }
  }

  /// Articles whose commands need source that the reader writes; the gate's steps `sixth-api`, `new-fault`,
  /// `new-check` and `new-option` run them.
  private static let runElsewhere = ["AddASixthAPI.md", "AddAFault.md", "AddACheck.md", "AddAnOption.md"]

  /// The paths of the README and of each article that has a console block.
  static let pages: [String] = {
    let sources = FileManager.default.enumerator(atPath: Repository.root.appending(path: "Sources").path)
    let articles = (sources?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".md") }.map { "Sources/" + $0 }
    return ["README.md"]
      + articles.sorted().filter { page in
        !runElsewhere.contains { page.hasSuffix($0) } && (try? examples(of: page))?.isEmpty == false
      }
  }()

  /// The pages whose reader has a backend or a client in Python.
  private static let pagesWithPython: Set<String> = Set(
    pages.filter { page in (try? examples(of: page))?.contains { $0.command.contains("python3 ") } == true })

  @Test(
    "show what their commands print", .enabled(if: hasCurl, "curl is not installed"),
    arguments: pages.filter { !pagesWithPython.contains($0) })
  func showsWhatItsCommandsPrint(page: String) throws { try run(page) }

  @Test(
    "show what their commands in Python print",
    .enabled(if: hasCurl && hasPython, "curl or python3 is not installed"), arguments: pagesWithPython.sorted())
  func showsWhatItsCommandsInPythonPrint(page: String) throws { try run(page) }

  private func run(_ page: String) throws {
    let examples = try Self.examples(of: page)
    let ports = Self.backendPorts(in: examples)
    // A backend of the page gets a free port instead, because the page's may be in use, as it is here.
    let taken = ports.map { port in try? BoundListener(port: port) }
    defer { withExtendedLifetime(taken) {} }
    let shell = try ReaderShell(backendPorts: ports)
    for example in examples {
      let printed = try shell.run(example.command, expecting: example.output.count)
      #expect(Self.matches(printed, example.output), "\(example.command) printed \(printed)")
    }
    try shell.end()
  }

  @Test("are all found")
  func areFound() {
    #expect(Self.pages.count > 3)
  }

  @Test("keep the README within 200 lines")
  func readmeIsShort() throws {
    let text = try Repository.text("README.md")
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 201)
  }

  /// The commands of the blocks marked `console`, each with the lines below it.
  private static func examples(of page: String) throws -> [Example] {
    var examples: [Example] = []
    var isInside = false
    for line in try Repository.text(page).components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        isInside = line == "```console"
      } else if isInside, line.hasPrefix("$ ") {
        examples.append(Example(command: String(line.dropFirst(2))))
      } else if isInside {
        examples[examples.count - 1].output.append(line)
      }
    }
    return examples
  }

  /// The ports of the backends that the reader of a page starts.
  private static func backendPorts(in examples: [Example]) -> [Int] {
    let ports = examples.flatMap { $0.command.matches(of: /localhost:([0-9]+)/) }.compactMap { Int($0.1) }
    return Set(ports).subtracting([8080]).sorted()
  }

  /// True if the output is the one shown; a shown line that ends with `…` matches a line with this beginning.
  private static func matches(_ printed: [String], _ shown: [String]) -> Bool {
    guard printed.count == shown.count else { return false }
    return zip(printed, shown).allSatisfy { line, shown in
      shown.hasSuffix("…") ? line.hasPrefix(shown.dropLast()) : line == shown
    }
  }
}

/// A shell in which `swift run` runs the built programs. Servers and backends that are started in it listen at free ports. In
/// commands and output these have the numbers of the page: 8080 for a server.
private final class ReaderShell {
  private static let endOfOutput = "\u{1E}"
  private let scratch: ScratchDirectory
  private let shell: ChildProcess
  private var port = "8080"
  /// The port of each backend as the page shows it, and the free one that takes its place.
  private let backendPorts: [(shown: String, real: String)]

  init(backendPorts: [Int]) throws {
    self.backendPorts = try backendPorts.map { ("\($0)", "\(try BoundListener(isOpen: false).port)") }
    scratch = try ScratchDirectory()
    let programs = try Program.location().deletingLastPathComponent().path
    try scratch.write("#!/bin/sh\nshift\nprogram=$1\nshift\nexec \"\(programs)/$program\" \"$@\"\n", to: "swift")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.path + "/swift")
    let inherited = ProcessInfo.processInfo.environment
    var environment = inherited.filter { $0.key.hasPrefix("UNDERSTUDY_MUTA") }
    environment["PATH"] = scratch.path + ":" + (inherited["PATH"] ?? "/usr/bin:/bin")
    environment["PORT"] = "0"
    // A program that is just being started may still have the script open for writing.
    ChildProcess.waitForStarts()
    shell = try ChildProcess(.shell, ["-s"], environment: environment, directory: Repository.root, readsInput: true)
  }

  /// Runs a command, and returns the lines that it prints.
  ///
  /// - Parameter count: The number of lines to wait for before the next command, if this one runs in the background.
  func run(_ command: String, expecting count: Int) throws -> [String] {
    let runsOn = command.hasSuffix(" &")
    let real = backendPorts.reduce(command.replacing("localhost:8080", with: "localhost:\(port)")) { text, port in
      text.replacing(port.shown, with: port.real)
    }
    // The line break before the mark separates it from the last line of a command that failed to end it.
    try shell.write("{ \(real)\n} < /dev/null\nprintf '\\n\(Self.endOfOutput)\\n'\n")
    var lines: [String] = []
    while true {
      let line = try shell.line()
      if line == Self.endOfOutput { break }
      lines.append(line)
    }
    lines.removeLast(lines.last == "" ? 1 : 0)
    while runsOn, lines.count < count { lines.append(try shell.line()) }
    if runsOn, let address = lines.first(where: { $0.hasPrefix("listening on ") }) {
      port = String(address.split(separator: ":").last ?? "")
    }
    return lines.map { line in
      let text = line.replacing("localhost:\(port)", with: "localhost:8080")
        .replacing("127.0.0.1:\(port)", with: "127.0.0.1:8080")
      return backendPorts.reduce(text) { $0.replacing(":" + $1.real, with: ":" + $1.shown) }
    }
  }

  /// Closes the shell's input. A page that leaves its server running fails here, because the output stays open.
  func end() throws {
    _ = try shell.result()
  }
}

@Suite("The examples of the help", .live)
struct HelpExampleTests {
  @Test("run as they are shown, each with a result", arguments: Manual.examples.map(\.0))
  func run(example: String) throws {
    let program = try Program("--port", "0")
    let port = try program.line().split(separator: ":").last ?? ""
    let command = example.replacing("localhost:8080", with: "localhost:\(port)")
      .replacing(/^understudy/, with: "\(try Program.location().path)").replacing(/^curl/, with: "curl -sf")
    let result = try ChildProcess.run(.shell, ["-c", command])
    #expect(result.status == 0, "\(result.errors)")
    #expect(!result.output.isEmpty && !result.output.contains("no operation matches"), "\(result.output)")
    program.terminate()
    _ = try program.result()
  }
}
