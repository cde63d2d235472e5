import Foundation
import LiveTesting
import Testing

/// Runs what a page shows, in its order, and compares what it prints.
@Suite("The README and the tutorial", .live)
struct ReadmeTests {
  struct Example: Sendable {
    let command: String
    var output: [String] = []
  }

  static let hasCurl = ["/usr/bin/curl", "/bin/curl", "/usr/local/bin/curl"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// The first block needs a server too, though it only comes to the reader's mind.
  @Test(
    "show what their commands print", .enabled(if: hasCurl, "curl is not installed"),
    arguments: ["README.md", "Sources/Understudy/Understudy.docc/FiveApps.md"])
  func showsWhatItsCommandsPrint(page: String) throws {
    let examples = try Self.examples(of: page)
    #expect(examples.count > 10)
    var server = try Server([])
    for example in examples {
      let printed = try Self.print(example.command, &server)
      #expect(Self.matches(printed, example.output), "\(example.command) printed \(printed)")
    }
  }

  /// The program on a free port, which stands for 8080.
  private final class Server {
    let program: Program
    let ready: String
    let port: String

    init(_ words: [String]) throws {
      program = try Program(words + ["--port", "0"])
      ready = try program.line()
      port = String(ready.split(separator: ":").last ?? "")
    }

    func stop() throws {
      program.terminate()
      _ = try program.result()
    }
  }

  private static let serve = "swift run understudy "

  private static func print(_ command: String, _ server: inout Server) throws -> String {
    if command.hasPrefix(serve), command.hasSuffix(" &") {
      try server.stop()
      let words = command.dropFirst(serve.count).dropLast(2).split(separator: " ").map(String.init)
      server = try Server(words)
      return server.ready.replacing(server.port, with: "8080") + "\n"
    }
    let port = server.port
    let real = command.replacing("localhost:8080", with: "localhost:\(port)")
      .replacing("swift run understudy", with: try Program.location().path)
    return try run(real).replacing("localhost:\(port)", with: "localhost:8080")
  }

  /// The commands of the blocks marked `console`, each with the lines below it.
  private static func examples(of page: String) throws -> [Example] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    var examples: [Example] = []
    var isInside = false
    for line in try String(contentsOf: root.appending(path: page), encoding: .utf8).components(separatedBy: "\n") {
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

  private static func run(_ command: String) throws -> String {
    try ChildProcess.run(.shell, ["-c", command]).output
  }

  /// Whether the output is what is shown; a line may end with `…` where it goes on.
  private static func matches(_ printed: String, _ shown: [String]) -> Bool {
    var lines = printed.components(separatedBy: "\n")
    if lines.last == "" { lines.removeLast() }
    guard lines.count == shown.count else { return false }
    return zip(lines, shown).allSatisfy { line, shown in
      shown.hasSuffix("…") ? line.hasPrefix(shown.dropLast()) : line == shown
    }
  }
}
